import type { Minor } from '../../kit/money.ts';
import { BY_KEY, fixed, type Queryable, sql } from '../../kit/sql.ts';
import { EVERY_TURN, type Turn } from '../../platform/work/shards.ts';
import type { RefundRow } from './schema.ts';

/** A refund that waits for money, as it was read. */
export type WaitingRefund = Pick<RefundRow, 'team_id' | 'id' | 'payment_id' | 'polls' | 'next_poll_at'>;

/** Maximum waiting refunds that one statement compares with the balances: those that are due first. */
const MAX_COMPARED = 1_000;

/** SQL: whether a refund waits for money. The index `refunds_uncovered` has these rows only. */
const WAITS = fixed(`kind = 'merchant' and status = 'pending' and draws is null`);

/**
 * SQL: the amount that the parties of the payment of the refund `w` lack, in hundredths. A subaccount gives the same part of its share as
 * is refunded of the payment's amount, and the team gives the rest (docs/decisions/0014-who-pays-for-what.md). Each gives first from what
 * is pending of the payment, then from its available balance. What rounding moves between parties, a unit of the currency or less, is left
 * out. The name of the account has a collation: otherwise it would be compared like ids, for which `balances` has no index.
 */
const LACKED = fixed(`
  select coalesce(sum(greatest(trunc(case when p.account_id = '' then w.amount_minor - p.of_others else p.given end, -2) - p.held, 0)), 0) as minor
  from (
    select i.account_id, g.given, sum(g.given) over () as of_others,
      coalesce(b.posted_minor, 0) + case when i.released_at is null and i.amount_minor <= i.share_minor then i.amount_minor else 0 end as held
    from settlement_items i join payments t on t.team_id = i.team_id and t.id = i.payment_id
    cross join lateral (
      select case when i.account_id = '' then 0 else w.amount_minor::numeric * i.share_minor / t.amount_minor end as given
    ) g
    left join balances b on b.team_id = i.team_id and b.currency = i.currency
      and b.account = ('available' || case i.account_id when '' then '' else ':' || i.account_id end) collate "default"
    where i.team_id = w.team_id and i.payment_id = w.payment_id
  ) p`);

/**
 * Returns refunds that wait for money and that the balances seem to cover now, the oldest first. Nothing is locked, so the result is final
 * only when a refund is covered. Where something may be advanced, each refund is compared with what each team owes: at most
 * {@link MAX_COMPARED} of each.
 * @param due_before refunds whose next automatic try is later are left out: they were tried a moment ago
 * @param cap_minor maximum total credit of a team, in hundredths
 */
export function findCoverable(
  db: Queryable,
  due_before: Date,
  cap_minor: Minor,
  limit: number,
  { shards }: Turn = EVERY_TURN,
): Promise<WaitingRefund[]> {
  return db.all<WaitingRefund>(sql`
    with waiting as materialized (
      select team_id, id, payment_id, currency, amount_minor, polls, next_poll_at from refunds
      where ${WAITS} and next_poll_at < ${due_before} and (team_id & 15) = any(${[...shards]}::bigint[])
      order by next_poll_at limit ${MAX_COMPARED}
    ), lacking as materialized (
      select w.*, lacked.minor as lacked_minor from waiting w cross join lateral (${LACKED}) lacked where lacked.minor <= ${cap_minor}
    ), owing as materialized (
      -- What the platform has advanced to a team and its subaccounts. All balances of the team are read, once for all of its refunds.
      select team_id, currency, coalesce(-sum(posted_minor), 0) as owed_minor
      from (select distinct team_id, currency from lacking where lacked_minor > 0) team
      join balances using (team_id, currency)
      where split_part(account, ':', 1) = 'credit' group by team_id, currency
    )
    select w.team_id, w.id, w.payment_id, w.polls, w.next_poll_at
    from lacking w left join owing using (team_id, currency)
    where w.lacked_minor = 0 or w.lacked_minor + coalesce(owed_minor, 0) <= ${cap_minor}
    order by w.id limit ${limit}${BY_KEY}`);
}

/** Stores when a refund that still waits is tried again automatically, unless a worker has claimed or covered it since it was read. */
export async function writeNextTry(db: Queryable, waiting: WaitingRefund, at: Date): Promise<void> {
  const { team_id, id, polls, next_poll_at } = waiting;
  await db.run(sql`
    update refunds set next_poll_at = ${at}
    where team_id = ${team_id} and id = ${id} and ${WAITS} and polls = ${polls} and next_poll_at = ${next_poll_at}`);
}
