import { packWhole, unpack } from '../../kit/packing.ts';
import type { Considered, Explanation, HealthNote } from './schema.ts';

/** Returns a decision as sentences, for operators. */
export function explain(explanation: Explanation): string[] {
  const { operation, channel, currency, amount, accounts } = explanation;
  const tried = accounts.filter(({ verdict }) => verdict !== 'left_out');
  const out = accounts.filter(({ verdict }) => verdict === 'left_out');
  return [
    `${operation === 'payout' ? 'Payout of' : 'Charge of'} ${amount} ${currency} on ${channel}.`,
    decidedBy(explanation),
    ...(tried.length === 0 ? ['No account could take it.'] : tried.map(triedLine)),
    ...out.map(({ name, why, health }) => `${name} was left out: ${why}${healthWords(health)}.`),
  ];
}

/**
 * Returns an explanation as it is stored with an attempt: a JSON string with the packed text in base64, a tenth of the JSON. It is read
 * by {@link explanationOf} only, never by SQL.
 */
export function storedExplanation(explanation: object): string {
  return JSON.stringify(packWhole(JSON.stringify(explanation)).toString('base64'));
}

/** Returns the explanation stored with an attempt, or null if it has another format. Earlier versions stored it unpacked. */
export function explanationOf(stored: unknown): Explanation | null {
  const value: unknown = typeof stored === 'string' ? JSON.parse(unpack(Buffer.from(stored, 'base64'))) : stored;
  return isExplanation(value) ? value : null;
}

function isExplanation(value: unknown): value is Explanation {
  return typeof value === 'object' && value !== null && 'accounts' in value && Array.isArray(value.accounts);
}

/** Returns the deciding factor in one sentence: the rule, or the order in which accounts were added. */
export function decidedBy({ rule, by, draw }: Explanation): string {
  if (!rule) {
    return by === 'built_in'
      ? 'No rule matched: in the sandbox the built-in provider takes what no rule sends elsewhere.'
      : 'No rule matched: accounts are tried in the order in which they were added.';
  }
  const drawn = draw === null ? '' : ` The draw was ${draw}.`;
  return `Rule ${rule.id} (priority ${rule.priority}) decided: ${rule.summary}.${drawn}`;
}

function triedLine({ verdict, place, name, provider, why, health }: Considered): string {
  const turn = verdict === 'chosen' ? 'was chosen' : `is fallback ${(place ?? 0) - 1}`;
  return `${name} (${provider}) ${turn}: ${why}${healthWords(health)}.`;
}

function healthWords(health: HealthNote | null): string {
  if (!health) return '';
  const { standing, calls, failures, p95_ms } = health;
  const speed = p95_ms === null ? '' : `, 95 % answered within ${p95_ms} ms`;
  return ` (${standing}: ${failures} of ${calls} calls failed in ten minutes${speed})`;
}
