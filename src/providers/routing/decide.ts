import { wireFromMinor } from '../../kit/money.ts';
import { inability, isClosed, offersFor } from './ability.ts';
import type { Offer } from '../adapters/contract.ts';
import { arrange, type Able } from './arrange.ts';
import type { Rule, Ruleset } from './rules.ts';
import {
  type Account,
  BUILT_IN,
  type Considered,
  type Decision,
  type Explanation,
  type FloatView,
  type HealthView,
  type Moment,
  type RouteRequest,
} from './schema.ts';

/**
 * Decides which accounts are tried for a request, and why. A pure function: the random draw and the time are inputs.
 * @param floats null: the accounts' floats are unknown
 */
export function decide(
  rules: Ruleset,
  accounts: readonly Account[],
  health: HealthView,
  request: RouteRequest,
  { at, draw }: Moment,
  floats: FloatView | null = null,
): Decision {
  const rule = rules.deciding(request);
  const builtIn = rule === null && accounts.some(isBuiltIn);
  const able: Able[] = [];
  const out: Considered[] = [];
  for (const account of accounts) {
    const entry = blank(account);
    entry.why =
      outsideOf(rule, builtIn, account) ?? inability(account.provider, request) ?? checkHealth(health, account, request, entry);
    if (entry.why === '') able.push({ account, entry });
    else out.push(entry);
  }
  const waits =
    out.some((entry) => entry.health !== null) ||
    accounts.some((account) => outsideOf(rule, builtIn, account) === null && isClosed(account.provider, request));
  const short = shortages(floats, able, request, at);
  const arranged = shortLast(arrange(rule?.way ?? null, able, request, draw), short);
  const tried = rule !== null && !rule.fallback ? arranged.slice(0, 1) : arranged;
  for (const [i, { entry }] of arranged.entries()) settle(entry, i, i < tried.length);
  for (const [entry, why] of short) entry.why = `${entry.why}; ${short.size < arranged.length ? 'put last: ' : ''}${why}`;
  return {
    candidates: tried.map(({ account }) => account.provider),
    limits: able.length === 0 && !waits ? accounts.flatMap((account) => limitsOf(account, rule, builtIn, request)) : [],
    waits,
    explanation: {
      at: new Date(at).toISOString(),
      operation: request.operation,
      channel: request.channel.id,
      currency: request.currency,
      amount: wireFromMinor(request.amount_minor),
      rule: rule && { id: rule.id, priority: rule.priority, summary: rule.summary },
      by: byOf(rule, builtIn),
      draw: rule?.way.kind === 'share' ? draw : null,
      accounts: [...arranged.map(({ entry }) => entry), ...out, ...missing(rule, accounts)],
    },
  };
}

function isBuiltIn({ provider }: Account): boolean {
  return provider.account_id === BUILT_IN;
}

function blank({ name, provider }: Account): Considered {
  return {
    name,
    account_id: provider.account_id,
    provider: provider.name,
    verdict: 'left_out',
    place: null,
    why: '',
    health: null,
  };
}

/** Returns the reason why the account is not considered, or null. */
function outsideOf(rule: Rule | null, builtIn: boolean, account: Account): string | null {
  if (rule?.names && !rule.names.has(account.name)) return 'the rule does not name it';
  return builtIn && !isBuiltIn(account) ? 'in the sandbox it takes only what a rule sends to it' : null;
}

/** Returns the offers of an account that is considered. */
function limitsOf(account: Account, rule: Rule | null, builtIn: boolean, request: RouteRequest): Offer[] {
  return outsideOf(rule, builtIn, account) === null ? (offersFor(account.provider, request) ?? []) : [];
}

/**
 * Records the account's health.
 * @returns the reason why it is excluded, or an empty string
 */
function checkHealth(health: HealthView, { provider }: Account, request: RouteRequest, entry: Considered): string {
  const seen = health.look(provider.account_id, request.channel.id, request.operation);
  if (!seen) return '';
  entry.health = seen.note;
  return seen.gate === 'open' ? `circuit open since ${seen.note.open_since}` : '';
}

/** Returns the accounts whose float is known to be insufficient, with the reason. */
function shortages(floats: FloatView | null, able: readonly Able[], request: RouteRequest, at: number): Map<Considered, string> {
  const found = able.map(
    ({ account, entry }) => [entry, floats?.shortOf(account.provider.account_id, request, at) ?? null] as const,
  );
  return new Map(found.filter((pair): pair is [Considered, string] => pair[1] !== null));
}

/**
 * Moves accounts with an insufficient float behind the others, in the same order. None is excluded: the known float is
 * up to some minutes old, and only the provider can reject a payout.
 */
function shortLast(arranged: Able[], short: ReadonlyMap<Considered, string>): Able[] {
  const isShort = ({ entry }: Able) => short.has(entry);
  return [...arranged.filter((one) => !isShort(one)), ...arranged.filter(isShort)];
}

function settle(entry: Considered, i: number, tried: boolean): void {
  if (!tried) {
    entry.why = 'the rule allows no fallback';
    return;
  }
  entry.verdict = i === 0 ? 'chosen' : 'fallback';
  entry.place = i + 1;
  if (entry.health?.open_since) entry.why = `${entry.why}; a probe: its circuit is open since ${entry.health.open_since}`;
}

function byOf(rule: Rule | null, builtIn: boolean): Explanation['by'] {
  return rule ? rule.way.kind : builtIn ? 'built_in' : 'added';
}

/**
 * Returns the accounts named by the rule that are not listed. Accounts are never deleted, so a missing one was most
 * likely disabled.
 */
function missing(rule: Rule | null, accounts: readonly Account[]): Considered[] {
  if (!rule?.names) return [];
  const there = new Set(accounts.map(({ name }) => name));
  return [...rule.names]
    .filter((name) => !there.has(name))
    .map((name) => ({
      name,
      account_id: null,
      provider: null,
      verdict: 'left_out',
      place: null,
      why: 'it is disabled, or no account has this name',
      health: null,
    }));
}
