import { type Fragment, part, PLANNED_EACH_TIME, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { ARCHIVE_TEXT } from '../payments/archived-store.ts';
import type { Reason } from './schema.ts';

/** Payments of a team with ids above `after` and below `to`. */
export interface IdRange {
  team_id: bigint;
  after: string;
  to: string;
}

/** Returns the next team that has payments, or null. */
export async function nextTeam(db: Queryable, after: bigint): Promise<bigint | null> {
  const row = await db.maybe<{ team_id: bigint | null }>(
    sql`select min(team_id) as team_id from payments where team_id > ${after}`,
  );
  return row?.team_id ?? null;
}

/** A payment of a page. */
export interface Candidate {
  id: string;
  archived: boolean;
  /** The row is locked until the transaction ends. False: another transaction has locked it. */
  held: boolean;
}

/** SQL: a page of payments by the primary key. */
const page = ({ team_id, after, to }: IdRange, limit: number): Fragment => part`
  select id, archived is not null as archived from payments where team_id = ${team_id} and id > ${after} and id < ${to}
  order by id limit ${limit}`;

/** Locks the next payments that are not archived, in the order in which every change locks them. */
export function lockPage(tx: Tx, range: IdRange, limit: number): Promise<Candidate[]> {
  return tx.all<Candidate>(sql`
    with page as materialized (${page(range, limit)}),
    held as materialized (
      select p.id from payments p where p.team_id = ${range.team_id} and p.id in (select id from page where not archived)
      order by p.id for update skip locked
    )
    select page.id, page.archived, held.id is not null as held from page left join held using (id) order by id${PLANNED_EACH_TIME}`);
}

/** Returns the same page without locking anything. */
export function readPage(db: Queryable, range: IdRange, limit: number): Promise<Candidate[]> {
  return db.all<Candidate>(sql`
    select id, archived, true as held from (${page(range, limit)}) page order by id${PLANNED_EACH_TIME}`);
}

/** A payment with the reason for which it is left, or with the text that is archived. */
export type Judged = { id: string; bytes: number } & ({ reason: Reason; text: null } | { reason: null; text: string });

/** SQL: why the payment `p` is left; null: it can be archived. */
const reasonOf = (changed_before: Date): Fragment => part`case
    when p.status in ('pending', 'processing', 'partial') then 'not_final'
    when p.updated_at >= ${changed_before} then 'changed_recently'
    when exists (select from attempts a where a.team_id = p.team_id and a.payment_id = p.id
      and (a.status in ('created', 'open', 'unknown') or a.next_poll_at is not null)) then 'charge_under_way'
    when exists (select from attempts a where a.team_id = p.team_id and a.payment_id = p.id and a.mismatch is not null)
      then 'amount_unresolved'
    when exists (select from returns o where o.team_id = p.team_id and o.payment_id = p.id
        and (o.closed_at is null or o.next_step_at is not null or o.state in ('owed', 'refunding', 'paying_out', 'waiting', 'overpaid')))
      or exists (select from attempts a where a.team_id = p.team_id and a.payment_id = p.id and a.giveback) then 'return_open'
    when exists (select from refunds r where r.team_id = p.team_id and r.payment_id = p.id
      and (r.status in ('pending', 'processing') or r.next_poll_at is not null)) then 'refund_open'
    when exists (select from disputes d where d.team_id = p.team_id and d.payment_id = p.id
      and d.status in ('needs_response', 'under_review')) then 'dispute_open'
    when exists (select from settlement_items i where i.team_id = p.team_id and i.payment_id = p.id and i.released_at is null)
      then 'money_pending'
    when exists (select from attempts a where a.team_id = p.team_id and a.payment_id = p.id
      and (a.payer is not null or a.client_ip is not null)) then 'payer_needed'
  end`;

/**
 * Judges payments in a statement of its own: everything that changes a payment locks it first, so that nothing changes once they are
 * locked.
 * @param changed_before payments that changed later are left
 */
export function judge(db: Queryable, team_id: bigint, ids: readonly string[], changed_before: Date): Promise<Judged[]> {
  return db.all<Judged>(sql`
    select p.id, r.reason, case when r.reason is null then ${ARCHIVE_TEXT} end as text, (pg_column_size(p.*)
      + coalesce((select sum(pg_column_size(a.*)) from attempts a where a.team_id = p.team_id and a.payment_id = p.id), 0))::integer as bytes
    from payments p cross join lateral (select ${reasonOf(changed_before)} as reason) r
    where p.team_id = ${team_id} and p.id = any(${[...ids]}) order by p.id${PLANNED_EACH_TIME}`);
}

/** Returns the next archived payments. */
export async function nextArchived(db: Queryable, { team_id, after, to }: IdRange, limit: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    select id from payments where team_id = ${team_id} and id > ${after} and id < ${to} and archived is not null
    order by id limit ${limit}${PLANNED_EACH_TIME}`);
  return rows.map(({ id }) => id);
}

/** Returns which of these payments are archived, in the order of their ids. */
export async function archivedOf(db: Queryable, team_id: bigint, ids: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    select id from payments where team_id = ${team_id} and id = any(${[...ids]}) and archived is not null order by id`);
  return rows.map(({ id }) => id);
}
