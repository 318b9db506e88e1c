/**
 * Differences that `pirogue ledger verify` can find, with the advice for each. A posted journal is never repaired by changing
 * it.
 */
export const ADVICE = {
  line_without_journal: 'The journal was removed: put it back from a backup, with the same id.',
  journal_without_lines: 'Its lines were removed: put them back from a backup.',
  impossible_line: 'The line was not written by this program, or was changed: compare it with a backup.',
  booked_twice: 'One change moved money twice: book the reverse of the later journal, and restore the unique index of journals.',
  balance_drift:
    'Payouts trust the balance: stop those of this team, compare its lines with a backup, then correct the row in balances.',
  currency_sum: 'Money appeared or vanished in balances: the accounts above that differ say where.',
  below_zero: 'More was paid out than there was: stop payouts of this team and restore the constraint balances_guard.',
  not_guarded: 'Nothing keeps this account at zero or above: set "guarded" of its row in balances.',
  seal_broken:
    'Journals under this seal were changed, added or removed after it was made: compare them with a backup from before.',
  chain_broken: 'A seal was changed or removed: compare ledger_seals with a backup.',
  counter_behind:
    'The books come from another server (a dump was restored): new ones cannot be sealed until its transaction ' +
    'counter is past theirs. Stop it and raise the counter (pg_resetwal --epoch), then run this again.',
} as const;

export type Check = keyof typeof ADVICE;

/** A difference between the ledger and what it must contain. */
export interface Difference {
  check: Check;
  /** Null: the difference concerns the whole store. */
  team_id: bigint | null;
  /** The journal, line, account or seal concerned. */
  what: string;
  expected: string;
  found: string;
}

/** Called with each difference as soon as it is found: all of them together may not fit in memory. */
export type Report = (difference: Difference) => void;
