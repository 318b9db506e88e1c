import { must } from '../../kit/errors.ts';
import { PLANNED_EACH_TIME, type Queryable, sql } from '../../kit/sql.ts';
import type { Minor } from '../../kit/money.ts';
import type { Compared } from './differences.ts';
import { planningOf } from './planning.ts';

/** Bounds of all ids of payments and of transfers; ids compare byte by byte. */
export const PAYMENTS = { after: 'trx_', to: 'trx~' };
export const TRANSFERS = { after: 'po_', to: 'po~' };

/**
 * Refreshes the planner's statistics. With statistics older than the rows a comparison takes several times as long. Only the
 * owner can refresh them; for other roles PostgreSQL just issues a warning.
 */
export async function refreshStatistics(db: Queryable): Promise<void> {
  await db.run(sql`analyze payments, attempts, refunds, returns, disputes, settlement_items, transfers, journals, postings`);
}

/** Returns the next team that appears in any of the compared tables, or null. */
export async function nextTeam(db: Queryable, after: bigint): Promise<bigint | null> {
  const row = await db.maybe<{ team_id: bigint | null }>(sql`
    select least((select min(team_id) from payments where team_id > ${after}), (select min(team_id) from transfers where team_id > ${after}),
      (select min(team_id) from journals where team_id > ${after}), (select min(team_id) from settlement_items where team_id > ${after}),
      (select min(team_id) from balances where team_id > ${after})) as team_id`);
  return row?.team_id ?? null;
}

/** Returns whether the team has at most this many payments and transfers together. */
export async function hasFewSubjects(db: Queryable, team_id: bigint, most: number): Promise<boolean> {
  const row = await db.maybe<{ count: number }>(sql`
    select ((select count(*) from (select from payments where team_id = ${team_id} limit ${most + 1}) p)
      + (select count(*) from (select from transfers where team_id = ${team_id} limit ${most + 1}) t))::integer as count`);
  return must(row, 'an aggregate has a row').count <= most;
}

/**
 * Returns batches that released another amount than the pending amounts of their items. An item released before its amount was
 * stored counts with the pending amount that the journals of its payment left. The sums are computed by the database, which
 * sorts large sets on disk.
 */
export function compareReleases(db: Queryable, team_id: bigint, few: boolean): Promise<Compared[]> {
  return db.all<Compared>(sql`
    with ended as (
      select i.released_by as batch, i.currency, v.pending as account, sum(coalesce(i.released_minor, l.left_minor, 0)) as amount_minor,
        min(i.payment_id) as payment_id, count(distinct i.payment_id) as payments
      from settlement_items i
        cross join lateral (select 'pending' || case when i.account_id = '' then '' else ':' || i.account_id end as pending) v
        cross join lateral (
          select sum(case when p.credit = v.pending then p.amount_minor else -p.amount_minor end) as left_minor
          from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id
          where i.released_minor is null and j.team_id = i.team_id and j.subject_id = i.payment_id
            and p.currency = i.currency and v.pending in (p.debit, p.credit)) l
      where i.team_id = ${team_id} and i.released_by is not null
      group by 1, 2, 3
    ),
    booked as (
      select j.source_id as batch, p.currency, p.debit as account, sum(p.amount_minor) as amount_minor
      from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id
      where j.team_id = ${team_id} and j.family = 'hold.released'
      group by 1, 2, 3
    )
    select case when e.payments = 1 then e.payment_id else batch end as subject, currency, account,
      coalesce(e.amount_minor, 0)::bigint as expected, coalesce(b.amount_minor, 0)::bigint as found
    from ended e full join booked b using (batch, currency, account)
    where coalesce(e.amount_minor, 0) <> coalesce(b.amount_minor, 0)
    order by 1, 2, 3${planningOf(few)}`);
}

/** The credit of one party and the available money that could repay it, in hundredths. */
export interface Owing {
  currency: string;
  party: string;
  available_minor: Minor;
  credit_minor: Minor;
  /** Subject of the last journal that credited `available` without repaying. */
  subject: string | null;
}

/** Returns parties that have money available while they owe, or that repaid more than they owed. */
export function findOwing(db: Queryable, team_id: bigint, few: boolean): Promise<Owing[]> {
  return db.all<Owing>(sql`
    with held as (
      select currency, case when account like '%:%' then substr(account, strpos(account, ':')) else '' end as party,
        coalesce(sum(amount_minor) filter (where account like 'available%'), 0)::bigint as available_minor,
        coalesce(sum(amount_minor) filter (where account like 'credit%'), 0)::bigint as credit_minor
      from (
        select currency, account, posted_minor as amount_minor from balances where team_id = ${team_id}
        union all select currency, account, amount_minor from balance_deltas where team_id = ${team_id}
      ) parts where split_part(account, ':', 1) in ('available', 'credit')
      group by 1, 2
    )
    select h.currency, h.party, h.available_minor, h.credit_minor, last.subject_id as subject
    from held h left join lateral (
      select j.subject_id from postings p join journals j on j.team_id = p.team_id and j.id = p.journal_id
      where p.team_id = ${team_id} and p.credit = 'available' || h.party and p.currency = h.currency
        -- Written as in the index: from a condition on a parameter the planner does not derive the condition of the index.
        and p.credit not in ('clearing', 'refund_clearing', 'fee_income')
      order by p.journal_id desc limit 1) last on true
    where (h.credit_minor < 0 and h.available_minor > 0) or h.credit_minor > 0
    order by 1, 2${planningOf(few)}`);
}

/** A journal whose subject is unknown. */
export interface Stray {
  id: bigint;
  kind: string;
  subject_id: string;
}

/**
 * Returns journals about neither a payment nor a transfer, although their kind requires one. Journals about one are compared
 * with it.
 */
export function findStrays(db: Queryable, team_id: bigint, limit: number): Promise<Stray[]> {
  return db.all<Stray>(sql`
    select id, kind, subject_id from journals
    where team_id = ${team_id}
      and subject_id not between ${TRANSFERS.after} and ${TRANSFERS.to} and subject_id not between ${PAYMENTS.after} and ${PAYMENTS.to}
      and kind <> 'sandbox.funded' and kind not like 'hold.released:%' and kind not like 'credit.repaid:%' and kind not like 'reconciliation.%'
    order by id limit ${limit}${PLANNED_EACH_TIME}`);
}
