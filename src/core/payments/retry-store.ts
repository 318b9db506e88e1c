import { must } from '../../kit/errors.ts';
import { type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { PaymentRef } from './store.ts';

/** Records that a locked payment was tried again. */
export async function writeRetriedBy(tx: Tx, { team_id, id }: PaymentRef, retried_by: string, now: Date): Promise<void> {
  const changed = await tx.run(sql`
    update payments set retried_by = ${retried_by}, updated_at = ${now}
    where team_id = ${team_id} and id = ${id} and retried_by is null`);
  must(changed === 1 ? changed : undefined, 'it is locked, and was not tried again before');
}

/**
 * Returns the last payment of a chain of retries.
 * @param steps maximum payments after the given one
 */
export async function lastOfChain(db: Queryable, { team_id, id }: PaymentRef, steps: number): Promise<{ id: string }> {
  const last = await db.maybe<{ id: string }>(sql`
    with recursive chain as (
      select id, retried_by, 0 as step from payments where team_id = ${team_id} and id = ${id}
      union all
      select p.id, p.retried_by, step + 1
      from chain c join payments p on p.team_id = ${team_id} and p.id = c.retried_by where step < ${steps}
    )
    select id from chain order by step desc limit 1`);
  return must(last, 'the payment was found before');
}
