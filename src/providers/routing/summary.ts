import { wireFromMinor } from '../../kit/money.ts';
import type { RuleRow } from './schema.ts';

type RuleText = Omit<RuleRow, 'id' | 'team_id' | 'environment' | 'priority' | 'created_at'>;

/** Returns a rule in one line: `charges on cm.mtn in XAF from 1000 to 500000: kora, then hub2`. */
export function summaryOf(rule: RuleText): string {
  return `${what(rule)}: ${who(rule)}${rule.fallback ? '' : ', no fallback'}`;
}

function what({ operation, countries, channels, currencies, min_minor, max_minor }: RuleText): string {
  return [
    operation === null ? 'everything' : operation === 'collect' ? 'charges' : 'payouts',
    ...(channels.length > 0 ? [`on ${channels.join(', ')}`] : []),
    ...(countries.length > 0 ? [`of ${countries.join(', ')}`] : []),
    ...(currencies.length > 0 ? [`in ${currencies.join(', ')}`] : []),
    ...(min_minor === null ? [] : [`from ${wireFromMinor(min_minor)}`]),
    ...(max_minor === null ? [] : [`to ${wireFromMinor(max_minor)}`]),
  ].join(' ');
}

function who({ account_order, shares }: RuleText): string {
  if (account_order) return account_order.join(', then ');
  if (!shares) return 'the cheapest';
  const sum = shares.reduce((total, { weight }) => total + weight, 0);
  return shares.map(({ name, weight }) => `${name} ${Math.round((weight / sum) * 1000) / 10} %`).join(', ');
}
