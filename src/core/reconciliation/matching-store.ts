import { type Fragment, fixed, part, PLANNED_EACH_TIME, type Sql, sql, type Tx } from '../../kit/sql.ts';
import type { StatementLine } from '../../providers/adapters/statement.ts';
import type { Tally } from './schema.ts';

/*
 * The comparison of a statement with the books. The lines are in a temporary table that is dropped with the transaction.
 * A few statements process all lines at once, so that a million lines take seconds and none of our memory.
 * PLANNED_EACH_TIME: a plan made for a small file is unsuitable for a large one.
 */

/** A line with its line number in the file. Only final lines are staged: succeeded or failed. */
export type StagedLine = StatementLine & { line: number };

/** The books that a run compares. Ids sort by time: operations older than `lowest` are matched only by key. */
export interface Books {
  team_id: bigint;
  provider_account: string;
  run_id: string;
  lowest: { attempt: string; transfer: string; refund: string };
}

/** Creates the staging table. */
export async function makeStage(tx: Tx): Promise<void> {
  // For the joins of this transaction only: with the default of 4 MB a million lines would be sorted on disk.
  await tx.run(sql`set local work_mem = '128MB'`);
  await tx.run(sql`
    create temporary table statement_lines (
      line integer not null, flow text not null, key text collate "C", reference text collate "C", amount_minor bigint not null,
      currency text not null, at timestamptz(3) not null, succeeded boolean not null
    ) on commit drop`);
}

/** Inserts lines into the staging table. */
export async function stageLines(tx: Tx, lines: readonly StagedLine[]): Promise<void> {
  await tx.run(sql`
    insert into statement_lines
    select * from unnest(${lines.map(({ line }) => line)}::integer[], ${lines.map(({ flow }) => flow)}::text[],
      ${lines.map(({ key }) => key)}::text[], ${lines.map(({ reference }) => reference)}::text[],
      ${lines.map(({ amount_minor }) => amount_minor)}::bigint[], ${lines.map(({ currency }) => currency)}::text[],
      ${lines.map(({ at }) => new Date(at).toISOString())}::timestamptz[],
      ${lines.map(({ status }) => status === 'succeeded')}::boolean[])`);
}

/** Updates the statistics of the staging table. Without them PostgreSQL estimates a million lines as few. */
export async function closeStage(tx: Tx): Promise<void> {
  await tx.run(sql`analyze statement_lines`);
}

/**
 * The two sides of the books. Outgoing money may be in a statement as a payout or as a refund, whichever it is in our
 * books. `held`: a mismatch of a collection, or a failed refund part whose late success is posted like a late report: by the
 * refund, or by its return. What a statement has set aside before stays there.
 */
export const SIDES = [
  { flows: fixed("('collect')"), here: collected },
  { flows: fixed("('payout', 'refund')"), here: sentOut },
] as const;

function collected({ team_id, provider_account }: Books): Fragment {
  return part`(
    select 'collect' as flow, a.id, a.payment_id as of_id, null::integer as leg, a.provider_key as key, a.provider_ref as reference,
      a.amount_minor, a.currency, coalesce(a.submitted_at, a.created_at) as begun_at, a.closed_at,
      case when a.status = 'succeeded' then 'succeeded' when a.status in ('created', 'open', 'unknown') then 'open'
        else 'ended' end as standing,
      a.mismatch is not null as held
    from attempts a where a.team_id = ${team_id} and a.provider_account = ${provider_account})`;
}

/** The keys of the lines about outgoing money. */
const KEYS = fixed("select key from statement_lines where key is not null and flow <> 'collect'");
/** No keys, for a comparison without the staging table. */
export const NO_KEYS = fixed('select null');

/**
 * Refunds that waited for money, and payouts of returns that a person tried again, may be sent long after their creation. Operations
 * older than `lowest` are therefore found by the indexes of their keys.
 */
function sentOut({ team_id, provider_account, lowest }: Books, keys: Fragment = KEYS): Fragment {
  return part`(
    select 'payout' as flow, t.id, t.id as of_id, null::integer as leg, t.provider_key as key, t.provider_ref as reference,
      t.amount_minor, t.currency, coalesce(t.dispatched_at, t.created_at) as begun_at, coalesce(t.paid_late_at, t.completed_at) as closed_at,
      case when t.status = 'succeeded' or t.paid_late_at is not null then 'succeeded' when t.stage = 'closed' then 'ended'
        when t.stage = 'dispatched' and t.dispatched_at is not null then 'open' else 'waiting' end as standing,
      false as held
    from (
      select * from transfers where team_id = ${team_id} and id >= ${lowest.transfer}
      union all
      select * from transfers where team_id = ${team_id} and id < ${lowest.transfer} and provider_key in (${keys})
    ) t where t.provider_account = ${provider_account}
    union all
    select 'refund', r.id, r.payment_id, leg.n::integer - 1, leg.value->>'provider_key', leg.value->>'provider_ref',
      (leg.value->>'amount_minor')::bigint, r.currency, coalesce(r.submitted_at, r.created_at),
      case when r.status = 'failed' and leg.value->>'status' = 'succeeded' then coalesce((
        select j.created_at from journals j
        where j.team_id = r.team_id and j.source_id = r.id and j.kind = 'refund.leg:' || (leg.n - 1)), r.completed_at) else r.completed_at end,
      case when leg.value->>'status' = 'succeeded' then 'succeeded' when leg.value->>'status' = 'sent' then 'open'
        when leg.value->>'status' = 'waiting' and r.status in ('pending', 'processing') then 'waiting' else 'ended' end,
      r.status = 'failed' and case when r.return_id is null then leg.value->>'status' = 'failed' or leg.value->>'sent_at' is not null
        else r.way <> 'manual' end
        and not exists (select from journals j where j.team_id = r.team_id and j.source_id = r.id || ':' || (leg.n - 1)
          and j.kind = 'reconciliation.late')
    from (
      select r.*, null as only_key from refunds r where r.team_id = ${team_id} and r.id >= ${lowest.refund}
      union all
      select r.*, k.provider_key from refund_keys k join refunds r on r.team_id = k.team_id and r.id = k.refund_id
      where k.team_id = ${team_id} and k.refund_id < ${lowest.refund} and k.provider_key in (${keys})
    ) r cross join json_array_elements(r.legs) with ordinality as leg(value, n)
      join attempts a on a.team_id = r.team_id and a.id = leg.value->>'attempt_id'
    where (r.only_key is null or r.only_key = leg.value->>'provider_key')
      and coalesce(leg.value->>'provider_account', a.provider_account) = ${provider_account})`;
}

const BREAK_COLUMNS =
  fixed(`team_id, run_id, kind, flow, line, key, reference, subject_id, of_id, leg, there_minor, there_currency, there_at,
  there_status, here_minor, here_currency, here_at, here_standing, action, state`);

/** A tally as PostgreSQL returns it: a sum of amounts may exceed its largest integer. */
type TallyRow = Omit<Tally, 'sum_minor'> & { sum_minor: string };

async function talliesOf(tx: Tx, statement: Sql): Promise<Tally[]> {
  const rows = await tx.all<TallyRow>(statement);
  return rows.map((row) => ({ ...row, sum_minor: BigInt(row.sum_minor) }));
}

/**
 * Removes lines that repeat the key (or, without one, the reference) of another line of their side from the comparison. The line
 * that stays is the one we booked, else the earliest. Money that moved twice is a break. A rejected attempt beside a
 * successful one is not.
 */
export async function setRepeatedAside(tx: Tx, books: Books): Promise<Tally[]> {
  await tx.run(sql`
    create temporary table repeated_lines on commit drop as
    with lines as not materialized (select l.*, l.flow = 'collect' as incoming from statement_lines l)
    select l.*, 'key ' || l.key as ident from lines l
      join (select incoming, key from lines where key is not null group by 1, 2 having count(*) > 1) g using (incoming, key)
    union all
    select l.*, 'reference ' || l.reference from lines l
      join (select incoming, reference from lines where key is null group by 1, 2 having count(*) > 1) g using (incoming, reference)
    where l.key is null${PLANNED_EACH_TIME}`);
  const tallies: Tally[] = [];
  for (const side of SIDES) tallies.push(...(await rankRepeated(tx, books, side)));
  return tallies;
}

function rankRepeated(tx: Tx, books: Books, { flows, here }: (typeof SIDES)[number]): Promise<Tally[]> {
  return talliesOf(
    tx,
    sql`
    with ranked as materialized (
      select l.*, h.id as subject_id, h.of_id, h.leg, h.amount_minor as here_minor, h.currency as here_currency, h.closed_at, h.standing,
        row_number() over w as nth, first_value(l.reference) over w as first_reference
      from repeated_lines l left join ${here(books)} h on h.key = l.key
      where l.flow in ${flows}
      window w as (partition by l.ident order by l.succeeded desc, (l.reference = h.reference) desc nulls last, l.at, l.line)
    ), gone as (
      delete from statement_lines s using ranked r where s.line = r.line and r.nth > 1
    ), broken as (
      insert into reconciliation_breaks (${BREAK_COLUMNS})
      select ${books.team_id}, ${books.run_id}, 'duplicate', flow, line, key, reference, subject_id, of_id, leg, amount_minor, currency, at,
        'succeeded', here_minor, here_currency, closed_at, standing,
        case when reference <> first_reference then 'correct' else 'none' end, 'open'
      from ranked where nth > 1 and succeeded order by line
    )
    select 'duplicate' as verdict, flow, currency, count(*)::integer as count, sum(amount_minor)::text as sum_minor
    from ranked where nth > 1 and succeeded group by flow, currency${PLANNED_EACH_TIME}`,
  );
}

/** The result of comparing each line, and the possible action. */
const VERDICT = fixed(`
  case when j.again then case when j.succeeded then 'duplicate' else 'nothing' end when j.subject_id is null then case when j.succeeded then 'missing_here' else 'nothing' end
    when j.standing = 'succeeded' then case when not j.succeeded then 'missing_there' when j.same then 'matched' else 'amount' end
    when j.standing = 'open' then case when j.same or not j.succeeded then 'unknown' else 'amount' end
    when j.succeeded then 'late' else 'matched' end as verdict`);
const ACTION = fixed(`
  case verdict when 'missing_here' then 'correct' when 'unknown' then 'close'
    when 'amount' then case when standing = 'succeeded' then 'correct' when flow = 'collect' and not held then 'close' else 'none' end
    when 'late' then case when standing = 'waiting' or (flow = 'collect' and held and not same) then 'none'
      when (flow = 'collect' or held) and same then 'close' else 'correct' end
    else 'none' end`);

/**
 * Compares every remaining line with the operation of the same key. With `by: 'reference'`, compares the lines without
 * a key.
 */
export async function judgeLines(tx: Tx, books: Books, by: 'key' | 'reference'): Promise<Tally[]> {
  const tallies: Tally[] = [];
  for (const { flows, here } of SIDES) {
    const matching =
      by === 'key' ? part`${here(books)} h on h.key = l.key` : part`${byReference(books, here)} h on h.reference = l.reference`;
    const lines = by === 'key' ? fixed('l.key is not null') : fixed('l.key is null');
    // An operation may be in two lines, one with its key and one without. If money moved in the other line, that line counts.
    const again =
      by === 'key'
        ? part`not l.succeeded and h.reference in (
            select u.reference from ${byReference(books, here)} u join statement_lines o on o.reference = u.reference
            where o.key is null and o.succeeded and o.flow in ${flows})`
        : fixed('exists (select from statement_lines k where k.key = h.key and k.succeeded)');
    tallies.push(...(await judge(tx, books, matching, part`l.flow in ${flows} and ${lines}`, again)));
  }
  return tallies;
}

/** Selects operations by reference. A reference shared by two operations is ambiguous and not matched. */
function byReference(books: Books, here: (books: Books) => Fragment): Fragment {
  return part`(select * from (
    select t.*, count(*) over (partition by t.reference) as same_reference from ${here(books)} t
    where t.reference is not null and (t.flow <> 'collect' or t.id >= ${books.lowest.attempt})
  ) u where u.same_reference = 1)`;
}

function judge(tx: Tx, books: Books, matching: Fragment, lines: Fragment, again: Fragment): Promise<Tally[]> {
  return talliesOf(
    tx,
    sql`
    with joined as (
      select l.*, h.id as subject_id, h.of_id, h.leg, h.amount_minor as here_minor, h.currency as here_currency, h.closed_at, h.standing, h.held,
        h.amount_minor = l.amount_minor and h.currency = l.currency as same, ${again} as again
      from statement_lines l left join ${matching}
      where ${lines}
    ), judged as materialized (select j.*, ${VERDICT} from joined j),
    broken as (
      insert into reconciliation_breaks (${BREAK_COLUMNS})
      select ${books.team_id}, ${books.run_id}, verdict, flow, line, key, reference, subject_id, of_id, leg, amount_minor, currency, at,
        case when succeeded then 'succeeded' else 'failed' end, here_minor, here_currency, closed_at, standing, ${ACTION},
        case when held and (verdict = 'amount' and standing = 'open' or verdict = 'late' and flow = 'collect' and not same) then 'held' else 'open' end
      from judged where verdict not in ('matched', 'nothing') order by line
    )
    select verdict, flow, currency, count(*)::integer as count, coalesce(sum(amount_minor) filter (where succeeded), 0)::text as sum_minor
    from judged group by verdict, flow, currency${PLANNED_EACH_TIME}`,
  );
}

/**
 * Finds operations that began and succeeded within the period and are in no line. An operation in progress at one edge
 * of the period may be in the previous or the next statement, so it is not reported.
 */
export async function findMissingThere(tx: Tx, books: Books, from: Date, to: Date, keyless: boolean): Promise<Tally[]> {
  const tallies: Tally[] = [];
  const named = keyless
    ? part`and not exists (select from statement_lines l where l.key is null and l.reference = h.reference)`
    : part``;
  for (const { here } of SIDES) {
    tallies.push(
      ...(await talliesOf(
        tx,
        sql`
        with missing as materialized (
          select h.* from ${here(books)} h
          where h.standing = 'succeeded' and h.begun_at >= ${from} and h.closed_at <= ${to}
            and (h.flow <> 'collect' or h.id >= ${books.lowest.attempt})
            and not exists (select from statement_lines l where l.key = h.key) ${named}
        ), broken as (
          insert into reconciliation_breaks (${BREAK_COLUMNS})
          select ${books.team_id}, ${books.run_id}, 'missing_there', flow, null, key, reference, id, of_id, leg, null, null, null,
            null, amount_minor, currency, closed_at, standing, 'none', 'open' from missing order by id
        )
        select 'missing_there' as verdict, flow, currency, count(*)::integer as count, sum(amount_minor)::text as sum_minor
        from missing group by flow, currency${PLANNED_EACH_TIME}`,
      )),
    );
  }
  return tallies;
}
