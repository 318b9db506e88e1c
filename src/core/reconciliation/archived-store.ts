import { PLANNED_EACH_TIME, sql, type Tx } from '../../kit/sql.ts';

/** Ids from `from`, below `to`. */
interface Ids {
  from: string;
  to: string;
}

/** Whether a payment of this range is archived. */
export async function hasArchivedWithin(tx: Tx, team_id: bigint, payments: Ids): Promise<boolean> {
  const row = await tx.maybe<{ found: boolean }>(sql`
    select exists (
      select from payments
      where team_id = ${team_id} and id >= ${payments.from} and id < ${payments.to} and archived is not null
    ) as found${PLANNED_EACH_TIME}`);
  return row?.found === true;
}

/**
 * Returns the next archived payments to compare, in the order of their ids: those that may have an attempt whose key a staged line names,
 * those with a refund whose key such a line names, and those with a refund of this range.
 */
export async function archivedCompared(tx: Tx, team_id: bigint, refunds: Ids, after: string, limit: number): Promise<string[]> {
  const rows = await tx.all<{ payment_id: string }>(sql`
    with named as materialized (select distinct pirogue_archive_key(key) as key from statement_lines where key is not null)
    select p.id as payment_id from named n join payments p on p.team_id = ${team_id} and p.archived_key = n.key where p.id > ${after}
    union
    select k.payment_id from named n join archived_attempts k on k.team_id = ${team_id} and k.key = n.key where k.payment_id > ${after}
    union
    select r.payment_id from refunds r join payments p on p.team_id = r.team_id and p.id = r.payment_id
    where r.team_id = ${team_id} and r.id >= ${refunds.from} and r.id < ${refunds.to} and r.payment_id > ${after} and p.archived is not null
    union
    select r.payment_id from statement_lines l
      join refund_keys k on k.team_id = ${team_id} and k.provider_key = l.key
      join refunds r on r.team_id = k.team_id and r.id = k.refund_id
      join payments p on p.team_id = r.team_id and p.id = r.payment_id
    where l.flow <> 'collect' and r.payment_id > ${after} and p.archived is not null
    order by payment_id limit ${limit}${PLANNED_EACH_TIME}`);
  return rows.map(({ payment_id }) => payment_id);
}
