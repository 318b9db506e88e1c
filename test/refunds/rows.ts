import { insertAttempts, type NewAttempt } from '../../src/core/attempts/store.ts';
import type { RefundPart, RefundRow } from '../../src/core/refunds/schema.ts';
import { insertRefund } from '../../src/core/refunds/store.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { type Books, openBooks } from '../ledger/books.ts';
import { inTableOrder, takenBack } from '../setup/taken-back.ts';

/* What tests of the store share: an automatic reversal, and rows that differ from it in what a test says. */

export const AT = new Date('2030-01-01T00:00:00Z');
export const later = (ms: number) => new Date(AT.getTime() + ms);
export const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

export const leg = (changes: Partial<RefundPart> = {}): RefundPart => ({
  ...{ attempt_id: 'att_1', amount_minor: 700n, provider_key: 'key-0', provider_ref: 'ref', status: 'waiting' },
  ...{ sent_at: '2029-12-31T00:00:00.000Z', ...changes },
});

export const ROW: RefundRow = {
  ...{ team_id: 1n, id: 'rfd_1', payment_id: 'trx_1', kind: 'giveback', attempt_id: 'att_1', return_id: 'rtn_1', way: 'refund' },
  ...{ legs: [leg()], amount_minor: 700n, currency: 'XAF', status: 'pending', reason: 'duplicate', failure_reason: null },
  ...{ message: 'it waits', metadata: { ticket: 7 }, draws: [{ account_id: '', bucket: 'available', amount_minor: 700n }] },
  ...{ resolution: null, event_count: 2, polls: 3, next_poll_at: later(60_000), created_at: later(-9), updated_at: later(-8) },
  ...{ submitted_at: later(-1_000), completed_at: null },
};

export interface RefundRows extends Books {
  insert(tx: Tx, changes: Partial<RefundRow>): Promise<void>;
  /** Stores an attempt that was made at this account and has ended. */
  attempt(tx: Tx, team_id: bigint, id: string, provider_account: string): Promise<void>;
  /** Runs the work on these rows as the owner of the tables, whom no policy confines to a team, and takes it back. */
  trial(rows: readonly Partial<RefundRow>[], work: (tx: Tx) => Promise<void>): Promise<void>;
}

export async function openRows(): Promise<RefundRows> {
  const books = await openBooks();
  return {
    ...books,
    insert,
    attempt,
    trial: (rows, work) =>
      takenBack(books.owner, async (tx) => {
        await inTableOrder(tx);
        for (const row of rows) await insert(tx, row);
        await work(tx);
      }),
  };
}

async function insert(tx: Tx, changes: Partial<RefundRow>): Promise<void> {
  const row = { ...ROW, ...changes };
  await insertRefund(tx, row, { key_id: 'key_1', request_id: 'req_1' });
  await tx.run(
    sql`update refunds set polls = ${row.polls}, submitted_at = ${row.submitted_at} where team_id = ${row.team_id} and id = ${row.id}`,
  );
}

async function attempt(tx: Tx, team_id: bigint, id: string, provider_account: string): Promise<void> {
  await insertAttempts(tx, [
    {
      ...{
        team_id,
        id,
        payment_id: `trx of ${id}`,
        provider: 'p',
        provider_account,
        channel: 'cm.mtn',
        amount_minor: 700n,
        currency: 'XAF',
      },
      ...{ payer: null, country: 'CM', provider_key: id, client_ip: null, counted_day: '2030-01-01', decision: {} },
      ...{ created_at: AT, next_poll_at: AT },
    } as unknown as NewAttempt,
  ]);
}
