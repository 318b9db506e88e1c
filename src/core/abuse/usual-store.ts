import { type Queryable, sql, type Tx } from '../../kit/sql.ts';

/**
 * Maximum number of paid payments of a team that are read, newest first, once an hour: so many that a busy currency seldom displaces the last
 * hundred payments of another.
 */
const MAX_PAYMENTS = 200_000;
/** Statuses of a payment that was paid. */
const PAID = ['succeeded', 'partially_refunded', 'refunded'];

/**
 * Claims the teams whose usual figures were last computed at or before `before`. Clocks of workers differ by less than a minute. A time
 * further in the future was written before the database's clock was set back, so that its team is claimed too.
 */
export async function claimTeams(db: Queryable, team_ids: readonly bigint[], now: Date, before: Date): Promise<bigint[]> {
  const rows = await db.all<{ team_id: bigint }>(sql`
    insert into abuse_paces (team_id, made_at)
    select team_id, ${now}::timestamptz from unnest(${[...team_ids]}::bigint[]) as t (team_id) order by team_id
    on conflict (team_id) do update set made_at = excluded.made_at where abuse_paces.made_at <= ${before}
      or abuse_paces.made_at > excluded.made_at + interval '1 minute'
    returning team_id`);
  return rows.map(({ team_id }) => team_id);
}

/**
 * Computes the 99th percentile of the paid amounts by currency. Unpaid payments are not read: anybody with a public key can create any number.
 * @param lowest_id lower bound of the payments' ids, which encode their time
 */
export async function makeAmounts(tx: Tx, team_id: bigint, lowest_id: string): Promise<void> {
  await tx.run(sql`delete from abuse_amounts where team_id = ${team_id}`);
  await tx.run(sql`
    insert into abuse_amounts (team_id, currency, payments, high_minor)
    select ${team_id}::bigint, currency, count(*)::int, percentile_disc(0.99) within group (order by amount_minor)
    from (
      select p.* from unnest(${PAID}::text[]) s (status) cross join lateral (
        select id, currency, amount_minor from payments where team_id = ${team_id} and status = s.status and id >= ${lowest_id}
        order by id desc limit ${MAX_PAYMENTS}) p
      order by p.id desc limit ${MAX_PAYMENTS}) newest
    group by currency`);
}

/** Computes the busiest window of a team between two times. */
export async function makePace(tx: Tx, team_id: bigint, from: Date, to: Date): Promise<void> {
  await tx.run(sql`
    update abuse_paces set busiest = coalesce((
      select max(charges) from abuse_windows where team_id = ${team_id} and starts_at >= ${from} and starts_at < ${to}), 0)
    where team_id = ${team_id}`);
}

/**
 * Deletes rows that no rule uses any more. Blocks are deleted from the moment at which they expire.
 * @returns number of rows deleted
 */
export async function deleteUnused(
  db: Queryable,
  before: Record<'payers' | 'windows' | 'refusals' | 'blocks', Date>,
  limit: number,
): Promise<number> {
  const payers = await db.run(sql`
    delete from abuse_payers where (team_id, payer_hash) in (
      select team_id, payer_hash from abuse_payers where last_at < ${before.payers} order by last_at limit ${limit} for update skip locked)`);
  const windows = await db.run(sql`
    delete from abuse_windows where (team_id, starts_at) in (
      select team_id, starts_at from abuse_windows where starts_at < ${before.windows} order by starts_at limit ${limit}
      for update skip locked)`);
  const refusals = await db.run(sql`
    delete from abuse_refusals where (team_id, payment_id, rule) in (
      select team_id, payment_id, rule from abuse_refusals where last_at < ${before.refusals} order by last_at limit ${limit}
      for update skip locked)`);
  const blocks = await db.run(sql`
    delete from abuse_blocks where (team_id, id) in (
      select team_id, id from abuse_blocks where expires_at <= ${before.blocks} order by expires_at limit ${limit} for update skip locked)`);
  return payers + windows + refusals + blocks;
}
