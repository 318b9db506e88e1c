/**
 * The chart of accounts. One account per team, currency and name. A connected subaccount has buckets of its own:
 * `available:acct_…`.
 *
 * Guarded accounts are one row that never goes below zero: they decide whether money may leave. A locked account is one
 * row too, but may be negative: what the platform advanced, which whoever draws on it reads under the lock first.
 * Streamed accounts are only credited, or their sign is not checked; they take appended deltas, so that a busy
 * merchant is no lock (docs/decisions/0008-ledger.md, with the measurements).
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

/** An account's full name: the bucket, with the subaccount behind a colon when there is one. */
export type Account = AccountName | `${AccountName}:${string}`;

export function account(name: AccountName, subaccount: string | null): Account {
  return subaccount ? `${name}:${subaccount}` : name;
}

type Kind = (typeof KINDS)[AccountName];

export function kindOf(name: Account): Kind {
  return KINDS[name.split(':')[0] as AccountName];
}
