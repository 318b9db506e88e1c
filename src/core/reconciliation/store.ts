import { jsonText } from '../../kit/json.ts';
import { type Fragment, fixed, PLANNED_EACH_TIME, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { Journal } from '../../money/ledger/post.ts';
import type { BreakKind, BreakRow, BreakState, Run, BreakCount } from './schema.ts';

/** Inserts a run. It is written with its breaks in one transaction, so a run killed earlier leaves no rows. */
export async function insertRun(tx: Tx, run: Run, author: string): Promise<void> {
  await tx.run(sql`
    insert into reconciliation_runs (team_id, id, provider, provider_account, account_name, file_name, file_hash, from_at, to_at, applied,
      reading, tallies, author, created_at)
    values (${run.team_id}, ${run.id}, ${run.provider}, ${run.provider_account}, ${run.account_name}, ${run.file_name}, ${run.file_hash},
      ${run.from_at}, ${run.to_at}, ${run.applied}, ${jsonText(run.reading)}, ${jsonText(run.tallies)}, ${author}, ${run.created_at})`);
}

/** Returns the last run that compared this file with this account, if there is one. */
export async function earlierRun(
  db: Queryable,
  { team_id, provider_account, file_hash }: Pick<Run, 'team_id' | 'provider_account' | 'file_hash'>,
): Promise<string | null> {
  const row = await db.maybe<{ id: string }>(sql`
    select id from reconciliation_runs
    where team_id = ${team_id} and provider_account = ${provider_account} and file_hash = ${file_hash} order by id desc limit 1`);
  return row?.id ?? null;
}

/** Marks a run as finished. */
export async function finishRun(tx: Tx, { team_id, id }: Pick<Run, 'team_id' | 'id'>, at: Date): Promise<void> {
  await tx.run(sql`update reconciliation_runs set finished_at = ${at} where team_id = ${team_id} and id = ${id}`);
}

/** All columns of a break. */
export const BREAK_FIELDS =
  fixed(`team_id, run_id, id, kind, flow, line, key, reference, subject_id, of_id, leg, there_minor, there_currency, there_at,
  there_status, here_minor, here_currency, here_at, here_standing, action, state, outcome`);

/** Returns breaks of one kind in the order in which they were found. */
export function breaksAfter(
  db: Queryable,
  { team_id, id }: Pick<Run, 'team_id' | 'id'>,
  kind: BreakKind,
  after: bigint,
  limit: number,
): Promise<BreakRow[]> {
  return db.all<BreakRow>(sql`
    select ${BREAK_FIELDS} from reconciliation_breaks
    where team_id = ${team_id} and run_id = ${id} and kind = ${kind} and id > ${after} order by id limit ${limit}`);
}

/** Returns breaks of a run in the order of their numbers. */
export function breaksOfRun(
  db: Queryable,
  { team_id, run_id }: Pick<BreakRow, 'team_id' | 'run_id'>,
  after: bigint,
  limit: number,
): Promise<BreakRow[]> {
  return db.all<BreakRow>(sql`
    select ${BREAK_FIELDS} from reconciliation_breaks
    where team_id = ${team_id} and run_id = ${run_id} and id > ${after} order by id limit ${limit}`);
}

/**
 * Waits for other runs that set money of this account aside. When two runs have different amounts for the same money, only the first is
 * posted.
 */
export async function lockAccount(
  tx: Tx,
  { team_id, provider_account }: Pick<Run, 'team_id' | 'provider_account'>,
): Promise<void> {
  const name = `reconciliation ${provider_account}`;
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${name}, ${team_id}))`);
}

/** Returns and locks those of these breaks, all of one kind, that are still open. */
export async function lockOpen(tx: Tx, rows: readonly BreakRow[]): Promise<BreakRow[]> {
  const [first] = rows;
  if (!first) return [];
  return tx.all<BreakRow>(sql`
    select ${BREAK_FIELDS} from reconciliation_breaks
    where team_id = ${first.team_id} and run_id = ${first.run_id} and kind = ${first.kind} and id = any(${rows.map(({ id }) => id)})
      and state = 'open' order by id for update`);
}

/** Returns and locks a break by its number in the report, so that only one decision is made at a time. */
export function lockBreak(tx: Tx, ref: Pick<BreakRow, 'team_id' | 'run_id' | 'id'>): Promise<BreakRow | undefined> {
  return tx.maybe<BreakRow>(sql`
    select ${BREAK_FIELDS} from reconciliation_breaks where team_id = ${ref.team_id} and run_id = ${ref.run_id} and id = ${ref.id} for update`);
}

/** Returns the provider account of a run. */
export async function findRunAccount(db: Queryable, ref: Pick<BreakRow, 'team_id' | 'run_id'>): Promise<string | undefined> {
  const row = await db.maybe<{ provider_account: string }>(sql`
    select provider_account from reconciliation_runs where team_id = ${ref.team_id} and id = ${ref.run_id}`);
  return row?.provider_account;
}

/**
 * Locks the operations of late lines, so that no result is reported for them until the correction is posted.
 * @returns those that were reported since the comparison, as `<id> <leg>`
 */
export async function lockReported(tx: Tx, late: readonly BreakRow[]): Promise<Set<string>> {
  const [first] = late;
  if (!first) return new Set();
  const ids = late.map(({ subject_id }) => subject_id);
  const attempts = await tx.all<{ name: string; reported: boolean }>(sql`
    select id || ' null' as name, mismatch is not null or status = 'succeeded' as reported from attempts
    where team_id = ${first.team_id} and id = any(${ids}) order by id for update`);
  const refunds = await tx.all<{ id: string; legs: { status: string }[] }>(sql`
    select id, legs from refunds where team_id = ${first.team_id} and id = any(${ids}) order by id for update`);
  const legs = refunds.flatMap(({ id, legs }) =>
    legs.map(({ status }, n) => ({ name: `${id} ${n}`, reported: status === 'succeeded' })),
  );
  const transfers = await tx.all<{ name: string; reported: boolean }>(sql`
    select id || ' null' as name, status = 'succeeded' or paid_late_at is not null as reported from transfers
    where team_id = ${first.team_id} and id = any(${ids}) order by id for update`);
  return new Set([...attempts, ...legs, ...transfers].filter(({ reported }) => reported).map(({ name }) => name));
}

/** The result of processing a break. */
export interface Outcome {
  row: BreakRow;
  state: BreakState;
  outcome: string;
}

/** Stores the results of processing breaks of one team. */
export async function writeOutcomes(db: Queryable, outcomes: readonly Outcome[]): Promise<void> {
  const [first] = outcomes;
  if (!first) return;
  await db.run(sql`
    update reconciliation_breaks b set state = u.state, outcome = u.outcome
    from unnest(${outcomes.map(({ row }) => row.run_id)}::text[], ${outcomes.map(({ row }) => row.kind)}::text[], ${outcomes.map(({ row }) => row.id)}::bigint[],
      ${outcomes.map(({ state }) => state)}::text[], ${outcomes.map(({ outcome }) => outcome)}::text[]) as u(run_id, kind, id, state, outcome)
    where b.team_id = ${first.row.team_id} and b.run_id = u.run_id and b.kind = u.kind and b.id = u.id`);
}

/** Returns the number of breaks of a run by kind and state. */
export function countStates(db: Queryable, { team_id, id }: Pick<Run, 'team_id' | 'id'>): Promise<BreakCount[]> {
  return db.all(sql`
    select kind, state, count(*)::integer as count from reconciliation_breaks where team_id = ${team_id} and run_id = ${id}
    group by kind, state order by kind, state`);
}

/** The fields by which a journal is unique in its team. */
export type Named = Pick<Journal, 'source_id' | 'kind'>;

/** Returns the name of a journal in the result of {@link bookedOf}. */
export function nameOf({ source_id, kind }: Named): string {
  return `${source_id} ${kind}`;
}

/** Returns the {@link nameOf names} of the given journals that are posted, whatever their amount and currency. */
export async function bookedOf(db: Queryable, team_id: bigint, journals: readonly Named[]): Promise<Set<string>> {
  const rows = await db.all<Named>(sql`
    select source_id, kind from journals where team_id = ${team_id} and (source_id, kind) in (
      select * from unnest(${journals.map(({ source_id }) => source_id)}::text[], ${journals.map(({ kind }) => kind)}::text[]))`);
  return new Set(rows.map(nameOf));
}

/**
 * SQL: a text that identifies the money of a break. It has the same values as the source of the journal (corrections.ts), but does not
 * distinguish payouts from refunds.
 */
const moneyOf = (row: 'w' | 'b'): Fragment =>
  fixed(`case when ${row}.kind in ('missing_here', 'duplicate')
    then json_build_array(${row}.flow = 'collect', ${row}.key, ${row}.reference) else json_build_array(${row}.kind, ${row}.subject_id, ${row}.leg)
    end::text`);

/** Returns the first run of the account that has set aside the money of each of these breaks of one run, by the number of the break. */
export async function runsWithMoneyOf(
  tx: Tx,
  { team_id, id, provider_account }: Pick<Run, 'team_id' | 'id' | 'provider_account'>,
  rows: readonly BreakRow[],
): Promise<Map<bigint, string>> {
  if (rows.length === 0) return new Map();
  const found = await tx.all<{ id: bigint; run_id: string }>(sql`
    select w.id, min(b.run_id) as run_id
    from reconciliation_breaks w join reconciliation_breaks b on b.team_id = w.team_id and ${moneyOf('b')} = ${moneyOf('w')}
      join reconciliation_runs r on r.team_id = b.team_id and r.id = b.run_id and r.provider_account = ${provider_account}
    where w.team_id = ${team_id} and w.run_id = ${id} and w.id = any(${rows.map((row) => row.id)})
      and b.action = 'correct' and b.state in ('held', 'settled')
    group by w.id${PLANNED_EACH_TIME}`);
  return new Map(found.map((row) => [row.id, row.run_id]));
}
