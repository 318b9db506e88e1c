/**
 * The chart of accounts. There is one account per team, currency and name. A connected subaccount has accounts of its own:
 * `available:acct_…`.
 *
 * Guarded accounts are one row that never goes below zero: they decide whether money may leave. A locked account is one row
 * too, but may be negative: it holds the platform's advances, and every transaction that draws on it first reads it under the
 * lock. Streamed accounts are only credited, or their sign is not checked; they are changed by appended deltas, so that a busy
 * merchant does not contend for one row lock (docs/decisions/0008-ledger.md, with the measurements).
 */
const KINDS = {
  available: 'guarded',
  reserved: 'guarded',
  credit: 'locked',
  pending: 'streamed',
  'in.transit': 'streamed',
  hold: 'streamed',
  disputed: 'streamed',
  clearing: 'streamed',
  refund_clearing: 'streamed',
  fee_income: 'streamed',
} as const;

export type AccountName = keyof typeof KINDS;

/** The accounts that contain a merchant's own money, in the order of docs/contract/money.md; the others are the platform's. */
export const OWN_ACCOUNTS = [
  'available',
  'pending',
  'reserved',
  'hold',
  'disputed',
  'in.transit',
  'credit',
] as const satisfies AccountName[];

/** An account's full name: the account name, followed by a colon and the subaccount when there is one. */
export type Account = AccountName | `${AccountName}:${string}`;

/** Returns the full name of an account; null is the team itself. */
export function account(name: AccountName, subaccount: string | null): Account {
  return subaccount ? `${name}:${subaccount}` : name;
}

/** Whether the account belongs to a connected subaccount. */
export function isOfSubaccount(name: Account): boolean {
  return name.includes(':');
}

type Kind = (typeof KINDS)[AccountName];

/** Returns how an account is written: guarded, locked or streamed. */
export function kindOf(name: Account): Kind {
  return KINDS[name.split(':')[0] as AccountName];
}
