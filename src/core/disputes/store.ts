import { must } from '../../kit/errors.ts';
import { jsonText } from '../../kit/json.ts';
import { type Conditions, conditionsOf, equalTo } from '../../kit/list-filters.ts';
import { ALL_IDS, rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { Minor } from '../../kit/money.ts';
import type { Position } from '../../kit/paging.ts';
import { fixed, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { countMoved, intervalOf, type Shifted, type TimeShift } from '../../platform/db/time-shift.ts';
import { readDraws } from '../../money/settlement/draw.ts';
import type { DisputeRow } from './schema.ts';

const columns =
  fixed(`team_id, id, payment_id, amount_minor, currency, status, reason, evidence, draws, note, due_at, event_count,
  created_at, updated_at, closed_at`);

function read(row: DisputeRow): DisputeRow {
  return { ...row, draws: readDraws(row.draws) ?? [] };
}

/** Inserts a dispute. */
export async function insertDispute(tx: Tx, row: DisputeRow): Promise<void> {
  await tx.run(sql`
    insert into disputes (team_id, id, payment_id, amount_minor, currency, status, reason, draws, note, due_at, event_count, created_at,
      updated_at)
    values (${row.team_id}, ${row.id}, ${row.payment_id}, ${row.amount_minor}, ${row.currency}, ${row.status}, ${row.reason},
      ${jsonText(row.draws)}, ${row.note}, ${row.due_at}, ${row.event_count}, ${row.created_at}, ${row.updated_at})`);
}

/** Returns a dispute; undefined when the team has no such dispute. */
export async function findDispute(db: Queryable, team_id: bigint, id: string): Promise<DisputeRow | undefined> {
  const row = await db.maybe<DisputeRow>(sql`select ${columns} from disputes where team_id = ${team_id} and id = ${id}`);
  return row && read(row);
}

/** Returns a dispute, locked until the transaction ends. The caller has locked the payment before. */
export async function lockDispute(tx: Tx, team_id: bigint, id: string): Promise<DisputeRow | undefined> {
  const row = await tx.maybe<DisputeRow>(
    sql`select ${columns} from disputes where team_id = ${team_id} and id = ${id} for update`,
  );
  return row && read(row);
}

/** The disputes of a payment by which its money goes, or went, back to the payer. */
export interface Blocking {
  /** Id of the open one, or null. */
  open: string | null;
  /** Id of a lost one, or null. */
  lost: string | null;
  /** Sum of the lost ones, in hundredths. */
  lost_minor: Minor;
}

/** Returns the disputes that prevent refunds of the payment. The caller has locked the payment's row. */
export async function findBlocking(db: Queryable, team_id: bigint, payment_id: string): Promise<Blocking> {
  const row = await db.maybe<Blocking>(sql`
    select min(id) filter (where status in ('needs_response', 'under_review')) as open, min(id) filter (where status = 'lost') as lost,
      coalesce(sum(amount_minor) filter (where status = 'lost'), 0)::bigint as lost_minor
    from disputes where team_id = ${team_id} and payment_id = ${payment_id}`);
  return must(row, 'a sum returns a row');
}

/** Returns the sum, in hundredths, of the disputes by which money of the payment goes, or went, back to the payer. */
export async function disputedOf(db: Queryable, team_id: bigint, payment_id: string): Promise<Minor> {
  const row = await db.maybe<{ sum_minor: Minor }>(sql`
    select coalesce(sum(amount_minor), 0)::bigint as sum_minor from disputes
    where team_id = ${team_id} and payment_id = ${payment_id} and status in ('needs_response', 'under_review', 'lost')`);
  return row?.sum_minor ?? 0n;
}

/** Writes every column of a dispute that can change. */
export async function updateDispute(tx: Tx, row: DisputeRow): Promise<void> {
  await tx.run(sql`
    update disputes set status = ${row.status}, evidence = ${row.evidence && JSON.stringify(row.evidence)}, note = ${row.note}, event_count = ${row.event_count},
      updated_at = ${row.updated_at}, closed_at = ${row.closed_at}
    where team_id = ${row.team_id} and id = ${row.id}`);
}

/** Moves the end of the time in which open disputes can be answered. */
export async function shiftDisputes(tx: Tx, { team_id, by_ms, now }: TimeShift): Promise<Shifted> {
  const row = await tx.maybe<Shifted>(sql`
    with moved as (
      update disputes set due_at = due_at - ${intervalOf(by_ms)}
      where team_id = ${team_id} and status = 'needs_response' and due_at is not null
      returning due_at
    ) ${countMoved(by_ms, now, part`due_at`)}`);
  return must(row, 'a count returns a row');
}

export interface DisputeFilters {
  payment?: string | undefined;
  status?: string | undefined;
}

const CONDITIONS: Conditions<DisputeFilters> = { payment: equalTo('payment_id'), status: equalTo('status') };

/** Returns one page of disputes, in reading order. */
export async function listDisputes(
  db: Queryable,
  team_id: bigint,
  query: DisputeFilters,
  position: Position,
): Promise<DisputeRow[]> {
  const listed = rowsOf(team_id, conditionsOf(query, CONDITIONS));
  const rows = await db.all<DisputeRow>(sql`select ${columns} from disputes where ${rowsOfPage(listed, position)}`);
  return rows.map(read);
}

/** Counts the disputes that match the filters, in a range of ids. */
export async function countDisputes(db: Queryable, team_id: bigint, query: DisputeFilters, ids = ALL_IDS): Promise<number> {
  const counted = rowsToCount(rowsOf(team_id, conditionsOf(query, CONDITIONS)), ids);
  const rows = await db.all<{ total: bigint }>(sql`
    select count(*) as total from (select id from disputes where ${counted}) counted`);
  return Number(rows[0]?.total ?? 0n);
}
