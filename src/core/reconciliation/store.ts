import { jsonText } from '../../kit/json.ts';
import { fixed, type Queryable, sql, type Tx } from '../../kit/sql.ts';
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

/** Returns which of these journals are posted. */
export async function bookedOf(
  db: Queryable,
  team_id: bigint,
  journals: readonly { source_id: string; kind: string }[],
): Promise<Set<string>> {
  const rows = await db.all<{ source_id: string; kind: string }>(sql`
    select source_id, kind from journals where team_id = ${team_id} and (source_id, kind) in (
      select * from unnest(${journals.map(({ source_id }) => source_id)}::text[], ${journals.map(({ kind }) => kind)}::text[]))`);
  return new Set(rows.map(({ source_id, kind }) => `${source_id} ${kind}`));
}
