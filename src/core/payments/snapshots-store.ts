import { amongKeys, fixed, type Queryable, sql } from '../../kit/sql.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import { type Stored, withArchived } from './archived-store.ts';
import type { PaymentRow } from './schema.ts';
import type { PaymentRef } from './store.ts';

/** Snapshot of a payment: the fields that show its progress. */
export interface PaymentSnapshot {
  payment: Pick<PaymentRow, 'team_id' | 'id' | 'status' | 'expires_at' | 'continue_at'>;
  /** Oldest first. */
  attempts: (Pick<AttemptRow, 'id' | 'status' | 'action' | 'mismatch'> &
    Record<'next_poll_at' | 'closed_at', Date | string | null>)[];
}

/** SQL: what a snapshot shows of the attempt `a`. */
const VIEW = fixed(`json_build_object('id', a.id, 'status', a.status, 'action', a.action, 'next_poll_at', a.next_poll_at,
  'closed_at', a.closed_at, 'mismatch', a.mismatch)`);

/** Returns the snapshots of many payments in one statement. */
export async function readSnapshots(db: Queryable, refs: readonly PaymentRef[]): Promise<PaymentSnapshot[]> {
  type Row = PaymentSnapshot['payment'] & Pick<PaymentSnapshot, 'attempts'>;
  const rows = await db.all<Stored<Row>>(sql`
    select team_id, id, status, expires_at, continue_at, archived, coalesce((
      select json_agg(${VIEW} order by a.id)
      from attempts a where a.team_id = p.team_id and a.payment_id = p.id), '[]') as attempts
    from payments p
    where ${amongKeys(refs)}`);
  const shown = await withArchived(db, rows, VIEW);
  return shown.map(({ team_id, id, status, expires_at, continue_at, attempts }) => ({
    payment: { team_id, id, status, expires_at, continue_at },
    attempts,
  }));
}
