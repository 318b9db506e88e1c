import { RESTORED_ATTEMPTS } from '../attempts/archived-store.ts';
import { type ArchivedText, packedOf } from '../payments/archived-store.ts';
import { fixed, PLANNED_EACH_TIME, type Queryable, sql } from '../../kit/sql.ts';
import type { Compared } from './differences.ts';
import { planningOf } from './planning.ts';

/*
 * The rows determine what the ledger accounts should contain for each payment; the journals determine what they do contain. One
 * statement compares a range of payments, so that both sides belong to one snapshot while payments are processed. It reads the
 * tables of several slices: one function per slice would read several snapshots.
 */

/** Payments or transfers of a team: ids above `after`, up to and including `to`. */
export interface SubjectRange {
  team_id: bigint;
  after: string;
  to: string;
  /** Whether the team has few of them ({@link planningOf}). */
  few: boolean;
}

/** Returns the id that ends a chunk of payments; null when fewer payments are left. */
export async function lastPaymentOfChunk(db: Queryable, team_id: bigint, after: string, chunk: number): Promise<string | null> {
  const row = await db.maybe<{ id: string }>(sql`
    select id from payments where team_id = ${team_id} and id > ${after} order by id offset ${chunk - 1} limit 1${PLANNED_EACH_TIME}`);
  return row?.id ?? null;
}

/** Money that providers report as moved, according to the rows: refunds, shares of the parties, and draws on `credit`. */
const ROWS = fixed(`
  refunds_of as materialized (
    select r.payment_id, r.kind, r.attempt_id, r.currency, r.status, r.amount_minor, coalesce(p.gone, 0) as gone, r.draws,
      -- Outside the balance of the parties: all that was drawn, less what came back when the refund failed.
      case when r.draws is null then 0 when r.status = 'failed' then coalesce(p.gone, 0) else r.amount_minor end as kept
    from ranged_refunds r cross join lateral (
      select sum((value->>'amount_minor')::bigint) filter (where value->>'status' = 'succeeded') as gone
      from json_array_elements(r.legs)) p
  ),
  -- The captures of payments that returned some, in the order in which they were not counted: an unpaid payment does not count what
  -- arrived late before its end.
  captures as materialized (
    select j.subject_id as payment_id, j.source_id as attempt_id, p.currency, p.amount_minor,
      sum(p.amount_minor) over (partition by j.subject_id) as captured_minor,
      sum(p.amount_minor) over (partition by j.subject_id order by j.kind <> 'payment.late_success', j.id) as so_far_minor
    from ranged_journals j
      cross join lateral (select currency, amount_minor from postings p
        where p.team_id = j.team_id and p.journal_id = j.id and p.debit = 'clearing' offset 0) p
    where j.kind in ('payment.part_captured', 'payment.late_success', 'payment.succeeded')
      and j.subject_id in (select payment_id from refunds_of where kind = 'giveback')
  ),
  shares as materialized (
    select payment_id, account_id, currency, share_minor, amount_minor, released_at, released_by, released_minor,
      case when account_id = '' then '' else ':' || account_id end as party,
      sum(share_minor) over w as net_minor, count(*) over w as parties
    from ranged_items window w as (partition by payment_id)
  ),
  -- What refunds and disputes keep from the parties, and how many there were, also of those that failed. A subaccount gives of what it received
  -- the part that is kept of the payment's amount; the team gives the rest, also the fee, and alone what was paid on top of the amount.
  -- fee_before: of that fee, what a dispute may have taken while another claim was under way that has been returned since.
  claims as materialized (
    select payment_id, kept, claims, (kept - on_top) / p.amount_minor as part,
      case when some_returned and disputed then greatest(p.captured_minor - p.amount_minor - on_top, 0) else 0 end as fee_before
    from (
      select payment_id, sum(kept) as kept, count(*) as claims, bool_or(kept < amount_minor) as some_returned, bool_or(disputed) as disputed
      from (
        select payment_id, amount_minor, kept, false as disputed from refunds_of where kind = 'merchant' and draws is not null
        union all
        select payment_id, amount_minor, case when status in ('needs_response', 'under_review', 'lost') then amount_minor else 0 end, true
        from ranged_disputes
      ) every group by payment_id
    ) sums join ranged_payments p on p.id = payment_id
      cross join lateral (select least(greatest(kept - p.amount_minor, 0), p.captured_minor - p.amount_minor) as on_top) fee
  ),
  -- Only what was advanced: what comes back becomes available, and repays what is owed.
  on_credit as materialized (
    select payment_id, currency, draw.value, -(draw.value->>'amount_minor')::bigint as amount_minor
    from (
      select payment_id, currency, draws from refunds_of where draws is not null
      union all select payment_id, currency, draws from ranged_disputes
    ) drawn, json_array_elements(draws) draw where draw.value->>'bucket' = 'credit'
  )`);

/** The expected amount of every account, by the rows. A null amount: the rows do not determine it. */
const EXPECTED = fixed(`
  select payment_id, currency, 'clearing' as account, -amount_minor as amount_minor from ranged_attempts where landed
  union all select payment_id, mismatch->>'currency', 'clearing', -(mismatch->>'amount_minor')::bigint
    from ranged_attempts where mismatch is not null
  union all select payment_id, currency, 'clearing', gone from refunds_of
  union all select payment_id, currency, 'clearing', amount_minor from ranged_disputes where status = 'lost'
  union all select payment_id, currency, 'refund_clearing', amount_minor - gone
    from refunds_of where draws is not null and status in ('pending', 'processing')
  union all select payment_id, currency, 'hold', amount_minor from ranged_attempts where landed
  union all select payment_id, mismatch->>'currency', 'hold', (mismatch->>'amount_minor')::bigint
    from ranged_attempts where mismatch is not null
  union all select id, currency, 'hold', -captured_minor from ranged_payments where paid
  union all select payment_id, currency, 'hold', -kept from refunds_of where kind = 'giveback'
  union all select id, currency, 'fee_income', fee_minor from ranged_payments where paid
  union all select payment_id, currency, 'pending' || party,
      case when released_at is null then amount_minor when released_by is null then 0 else released_minor end from shares
  union all select payment_id, currency, 'disputed' || case when draw.value->>'account_id' = '' then '' else ':' || (draw.value->>'account_id') end,
      (draw.value->>'amount_minor')::bigint
    from ranged_disputes, json_array_elements(draws) draw where status in ('needs_response', 'under_review')
  union all select payment_id, currency, 'credit' || case when value->>'account_id' = '' then '' else ':' || (value->>'account_id') end,
      amount_minor from on_credit
  union all select s.payment_id, s.currency, 'share' || s.party,
      s.share_minor - coalesce(round(case when s.account_id = '' then c.kept - c.part * (s.net_minor - s.share_minor)
        else c.part * s.share_minor end), 0)
    from shares s left join claims c using (payment_id)
  union all select payment_id, currency, 'refunded', gone from refunds_of where kind = 'merchant'
  union all select c.payment_id, c.currency, 'refunded', c.amount_minor from captures c join ranged_payments p on p.id = c.payment_id
    where not p.paid and not p.unfinished and c.so_far_minor > c.captured_minor - p.captured_minor
      and exists (select from refunds_of r where r.kind = 'giveback' and r.attempt_id = c.attempt_id and r.gone > 0)
  union all select r.payment_id, r.currency, p.account, p.sign * r.amount_minor
    from ranged_returns r cross join unnest(r.resolutions) as done(resolved_as)
    join (values ('kept', 'hold', -1), ('kept', 'share', 1), ('recovered', 'clearing', -1), ('recovered', 'hold', 1),
      ('absorbed', 'fee_income', -1), ('absorbed', 'hold', 1)
    ) p(resolved_as, account, sign) using (resolved_as)
  -- In suspense until it leaves, by a way that has ended or by one that is under way; missing there once it left more than once.
  union all select payment_id, currency, 'owed',
      amount_minor * (1 - times_paid - case when state in ('refunding', 'paying_out') then 1 else 0 end)
    from ranged_returns
  -- What the payer received too often: what was put back is counted, what the merchant kept is not.
  union all select payment_id, currency, 'excess', amount_minor * greatest(0, times_paid - 1
      + cardinality(array_remove(array_remove(resolutions, 'kept'), 'returned'))
      - cardinality(array_positions(resolutions, 'kept')))
    from ranged_returns
  union all select payment_id, currency, 'owed', amount_minor from ranged_attempts where marked
  -- In suspense for the payment itself, until it is paid or ends.
  union all select id, currency, 'owed', captured_minor from ranged_payments where unfinished
  union all select payment_id, mismatch->>'currency', 'owed', (mismatch->>'amount_minor')::bigint
    from ranged_attempts where mismatch is not null
  union all select id, currency, 'excess', 0 from ranged_payments`);

/**
 * The amounts that the journals posted to every account. Amounts are listed a second time by party, over all its accounts, and
 * suspense a second time, to be compared with what is owed to payers.
 */
const BOOKED = fixed(`
  select j.subject_id as payment_id, p.currency, a.account, sum(s.amount_minor) as amount_minor
  from ranged_journals j
    cross join lateral (select currency, debit, credit, amount_minor from postings p
      where p.team_id = j.team_id and p.journal_id = j.id offset 0) p
    cross join lateral (values (p.debit, -p.amount_minor), (p.credit, p.amount_minor)) s(account, amount_minor)
    cross join lateral (select split_part(s.account, ':', 1) as bucket,
      case when s.account like '%:%' then substr(s.account, strpos(s.account, ':')) else '' end as party) b
    cross join lateral (
      select s.account where b.bucket not in ('available', 'credit')
      union all select s.account where b.bucket = 'credit' and (j.kind in ('refund.drawn', 'dispute.opened') or j.kind like 'refund.drawn_late:%')
      union all select 'share' || b.party where b.bucket in ('pending', 'available', 'credit')
      union all select 'owed' where b.bucket = 'hold'
    ) a
  group by 1, 2, 3
  union all select id, currency, 'refunded', refunded_minor from ranged_payments
  -- What was paid covers refunds of the merchant and disputes; each other capture covers its own return, and no other.
  union all select p.id, p.currency, 'excess', coalesce(a.excess, 0)
      + greatest(0, coalesce(r.gone, 0) + coalesce(d.lost, 0) - case when p.paid then p.captured_minor else 0 end)
    from ranged_payments p
      left join (
        select payment_id, sum(greatest(0, g.gone - case when t.landed then t.amount_minor else 0 end)) as excess
        from (select payment_id, attempt_id, sum(gone) as gone from refunds_of where kind = 'giveback' group by 1, 2) g
          left join ranged_attempts t using (payment_id, attempt_id)
        group by 1
      ) a on a.payment_id = p.id
      left join (select payment_id, sum(gone) as gone from refunds_of where kind = 'merchant' group by 1) r on r.payment_id = p.id
      left join (select payment_id, sum(amount_minor) as lost from ranged_disputes where status = 'lost' group by 1) d
        on d.payment_id = p.id`);

/**
 * SQL: by how much a share may differ. Shares are rounded: with several parties, a claim may be a whole unit off for one of them, also to
 * make up for earlier claims that failed. A process of the previous version divided the fee by what each party received, which left less to
 * the subaccount and more to the team. `fee_first`: a dispute that took the fee on top, while a claim that was returned later was under way,
 * took it from the team, and correspondingly less from the others. A process of the previous version left it so; this one makes it right when the claim returns.
 */
const SLACK = fixed(`
  select payment_id, 'share' || s.party as account, 100 * c.claims as slack,
    (c.part - c.kept / s.net_minor) * case when s.account_id = '' then s.share_minor - s.net_minor else s.share_minor end as formerly,
    c.fee_before / s.net_minor * case when s.account_id = '' then s.share_minor - s.net_minor else s.share_minor end as fee_first
  from shares s join claims c using (payment_id) where s.parties > 1 and s.net_minor > 0`);

/**
 * Returns where the rows of a range of payments and the journals about them differ.
 * @param archived the texts of the archived payments of the range: their attempts are compared as they would be restored
 */
export function comparePayments(
  db: Queryable,
  { team_id, after, to, few }: SubjectRange,
  archived: readonly ArchivedText[],
): Promise<Compared[]> {
  return db.all<Compared>(sql`
    with ${packedOf(archived)},
    ranged_payments as materialized (
      select id, archived is not null as archived, currency, amount_minor, captured_minor, refunded_minor, fee_minor,
        status in ('succeeded', 'partially_refunded', 'refunded') as paid, status in ('pending', 'processing', 'partial') as unfinished
      from payments where team_id = ${team_id} and id > ${after} and id <= ${to}
    ),
    ranged_attempts as materialized (
      select payment_id, id as attempt_id, currency, amount_minor, status = 'succeeded' as landed, mismatch,
        -- Written by a process of the previous version, which made no returns.
        giveback as marked
      from (
        select payment_id, id, currency, amount_minor, status, mismatch, giveback from attempts
        where team_id = ${team_id} and payment_id > ${after} and payment_id <= ${to}
        -- Of one that was restored since its text was read, the rows are in the table.
        union all select payment_id, id, currency, amount_minor, status, mismatch, giveback from ${RESTORED_ATTEMPTS} kept
        where exists (select from ranged_payments p where p.id = kept.payment_id and p.archived)
      ) every
      where status = 'succeeded' or mismatch is not null
    ),
    ranged_refunds as materialized (
      select * from refunds where team_id = ${team_id} and payment_id > ${after} and payment_id <= ${to}
    ),
    ranged_disputes as materialized (
      select * from disputes where team_id = ${team_id} and payment_id > ${after} and payment_id <= ${to}
    ),
    ranged_returns as materialized (
      select payment_id, currency, amount_minor, state, resolutions,
        -- Processes of the previous version do not count it.
        greatest(times_paid, case when state = 'overpaid' then 2 when closed_at is not null or late_refund then 1 else 0 end)
          as times_paid
      from returns
      where team_id = ${team_id} and payment_id > ${after} and payment_id <= ${to}
    ),
    ranged_items as materialized (
      select * from settlement_items where team_id = ${team_id} and payment_id > ${after} and payment_id <= ${to}
    ),
    ranged_journals as materialized (
      select team_id, id, subject_id, source_id, kind from journals
      where team_id = ${team_id} and subject_id > ${after} and subject_id <= ${to} and kind not like 'reconciliation.%'
    ),
    ${ROWS},
    expected as (
      select payment_id, currency, account, sum(amount_minor) as amount_minor, bool_or(amount_minor is null) as has_unknown
      from (${EXPECTED}) every group by 1, 2, 3
    ),
    booked as (
      select payment_id, currency, account, sum(amount_minor) as amount_minor from (${BOOKED}) every group by 1, 2, 3
    ),
    slack as (${SLACK})
    select payment_id as subject, currency, account, coalesce(e.amount_minor, 0)::bigint as expected,
      coalesce(b.amount_minor, 0)::bigint as found
    from expected e full join booked b using (payment_id, currency, account) left join slack using (payment_id, account)
    where not coalesce(e.has_unknown, false) and coalesce(b.amount_minor, 0) - coalesce(e.amount_minor, 0)
      not between least(formerly, 0) + least(fee_first, 0) - coalesce(slack, 0)
        and greatest(formerly, 0) + greatest(fee_first, 0) + coalesce(slack, 0)
      -- No payment counts more than was captured (src/core/refunds/apply.ts).
      and (account <> 'refunded' or exists (
        select from ranged_payments p
        where p.id = payment_id and least(coalesce(e.amount_minor, 0), p.captured_minor) <> p.refunded_minor))
    order by 1, 2, 3${planningOf(few)}`);
}
