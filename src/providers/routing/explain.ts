import { packWhole, unpack } from '../../kit/packing.ts';
import type { Considered, Explanation, HealthNote } from './schema.ts';

/** The words of an explanation in a language. Accounts are given by their names. */
export interface RoutingWords {
  heading(explanation: Explanation): string;
  /** No rule matched: in the sandbox, and elsewhere. */
  builtIn: string;
  added: string;
  rule(rule: NonNullable<Explanation['rule']>): string;
  draw(draw: number): string;
  none: string;
  chosen(account: string): string;
  fallback(account: string, place: number): string;
  leftOut(account: string): string;
  colon: string;
  reason(why: string): string;
  health(health: HealthNote): string;
}

export const ENGLISH: RoutingWords = {
  heading: ({ operation, amount, currency, channel }) =>
    `${operation === 'payout' ? 'Payout of' : 'Charge of'} ${amount} ${currency} on ${channel}.`,
  builtIn: 'No rule matched: in the sandbox the built-in provider takes what no rule sends elsewhere.',
  added: 'No rule matched: accounts are tried in the order in which they were added.',
  rule: ({ id, priority, summary }) => `Rule ${id} (priority ${priority}) decided: ${summary}.`,
  draw: (draw) => ` The draw was ${draw}.`,
  none: 'No account could take it.',
  chosen: (account) => `${account} was chosen`,
  fallback: (account, place) => `${account} is fallback ${place}`,
  leftOut: (account) => `${account} was left out`,
  colon: ': ',
  reason: (why) => why,
  health: ({ standing, calls, failures, p95_ms }) => {
    const speed = p95_ms === null ? '' : `, 95 % answered within ${p95_ms} ms`;
    return ` (${standing}: ${failures} of ${calls} calls failed in ten minutes${speed})`;
  },
};

/** Returns a decision as sentences, for operators and the people of a team. */
export function explain(explanation: Explanation, words = ENGLISH): string[] {
  const { accounts } = explanation;
  const tried = accounts.filter(({ verdict }) => verdict !== 'left_out');
  const out = accounts.filter(({ verdict }) => verdict === 'left_out');
  const line = (said: string, { why, health }: Considered) =>
    `${said}${words.colon}${words.reason(why)}${health ? words.health(health) : ''}.`;
  return [
    words.heading(explanation),
    decidedBy(explanation, words),
    ...(tried.length === 0 ? [words.none] : tried.map((one) => line(triedWords(one, words), one))),
    ...out.map((one) => line(words.leftOut(one.name), one)),
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
export function decidedBy({ rule, by, draw }: Explanation, words = ENGLISH): string {
  if (!rule) return by === 'built_in' ? words.builtIn : words.added;
  return `${words.rule(rule)}${draw === null ? '' : words.draw(draw)}`;
}

function triedWords({ verdict, place, name, provider }: Considered, words: RoutingWords): string {
  const account = `${name} (${provider})`;
  return verdict === 'chosen' ? words.chosen(account) : words.fallback(account, (place ?? 0) - 1);
}
