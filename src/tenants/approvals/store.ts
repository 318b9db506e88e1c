import type { Environment } from '../../kit/environment.ts';
import { clause, fixed, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { ApprovalRow, Decision } from './schema.ts';

/** An approval of a team in an environment. */
export interface ApprovalRef {
  team_id: bigint;
  environment: Environment;
  id: string;
}

/** Values of a new approval. */
export type NewApproval = ApprovalRef &
  Pick<
    ApprovalRow,
    'kind' | 'operation' | 'permission' | 'form_key' | 'body_sealed' | 'amount_minor' | 'currency' | 'asked_by'
  > & {
    asked_session: string;
    /** Milliseconds from now. */
    lives_ms: number;
  };

const columns =
  fixed(`id, team_id, environment, kind, operation, permission, form_key, body_sealed, amount_minor, currency, asked_by,
  asked_at, expires_at, expires_at <= pirogue_now() as over, decision, decided_by, decided_at, done_at, outcome, result, message`);

/** Condition of approvals that need a decision or have not run yet: that of the index `approvals_waiting`, and not expired. */
const WAITING = clause`(decision is null or (decision = 'approved' and done_at is null)) and expires_at > pirogue_now()`;

/**
 * Inserts an approval.
 * @returns false when its form was submitted before
 */
export async function insertApproval(tx: Tx, row: NewApproval): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into approvals (id, team_id, environment, kind, operation, permission, form_key, body_sealed, amount_minor, currency,
      asked_by, asked_session, asked_at, expires_at)
    values (${row.id}, ${row.team_id}, ${row.environment}, ${row.kind}, ${row.operation}, ${row.permission}, ${row.form_key},
      ${row.body_sealed}, ${row.amount_minor}, ${row.currency}, ${row.asked_by}, ${row.asked_session}, pirogue_now(),
      pirogue_now() + ${row.lives_ms}::float8 * interval '1 ms')
    on conflict (team_id, form_key) do nothing`);
  return inserted === 1;
}

/** Returns an approval of a team in an environment. */
export function findApproval(db: Queryable, { team_id, environment, id }: ApprovalRef): Promise<ApprovalRow | undefined> {
  return db.maybe<ApprovalRow>(sql`
    select ${columns} from approvals where id = ${id} and team_id = ${team_id} and environment = ${environment}`);
}

/** Returns approvals of a team. */
export function findApprovals(
  db: Queryable,
  { team_id, environment }: Omit<ApprovalRef, 'id'>,
  ids: readonly string[],
): Promise<ApprovalRow[]> {
  return db.all<ApprovalRow>(sql`
    select ${columns} from approvals
    where id = any(${[...ids]}::text[]) and team_id = ${team_id} and environment = ${environment}`);
}

/** Returns the approval, locked until the transaction ends. */
export function lockApproval(tx: Tx, { team_id, environment, id }: ApprovalRef): Promise<ApprovalRow | undefined> {
  return tx.maybe<ApprovalRow>(sql`
    select ${columns} from approvals where id = ${id} and team_id = ${team_id} and environment = ${environment} for update`);
}

/** Returns the id of the approval that a form has asked for. */
export async function findByForm(db: Queryable, team_id: bigint, form_key: string): Promise<string | undefined> {
  const row = await db.maybe<{ id: string }>(sql`select id from approvals where team_id = ${team_id} and form_key = ${form_key}`);
  return row?.id;
}

/** Returns whether a person has requested an approval in a team within this time. */
export async function hasAskedWithin(
  db: Queryable,
  { team_id, environment }: Omit<ApprovalRef, 'id'>,
  user_id: string,
  within_ms: number,
): Promise<boolean> {
  const row = await db.maybe(sql`
    select id from approvals where asked_at > pirogue_now() - ${within_ms}::float8 * interval '1 ms' and team_id = ${team_id}
      and environment = ${environment} and asked_by = ${user_id} limit 1`);
  return row !== undefined;
}

/** Stores a decision about an open approval, and the time until which it can run. */
export async function writeDecision(
  tx: Tx,
  id: string,
  { decision, by, session, lives_ms }: { decision: Decision; by: string; session: string; lives_ms: number },
): Promise<void> {
  await tx.run(sql`
    update approvals set decision = ${decision}, decided_by = ${by}, decided_session = ${session}, decided_at = pirogue_now(),
      expires_at = case when ${decision} = 'approved' then pirogue_now() + ${lives_ms}::float8 * interval '1 ms' else expires_at end
    where id = ${id} and decision is null`);
}

/** Stores that an approved operation is done, even when another try was rejected meanwhile. */
export async function writeDone(db: Queryable, id: string, result: string | null): Promise<void> {
  await db.run(sql`
    update approvals set done_at = pirogue_now(), outcome = 'done', result = coalesce(${result}, result), message = null
    where id = ${id} and decision = 'approved' and outcome is distinct from 'done'`);
}

/** Stores why an approved operation has failed. It is not tried again. */
export async function writeFailed(db: Queryable, id: string, message: string): Promise<void> {
  await db.run(sql`
    update approvals set done_at = pirogue_now(), outcome = 'failed', message = ${message}
    where id = ${id} and decision = 'approved' and done_at is null`);
}

/** Returns the approvals that need a decision or have not run yet, the oldest first. */
export function listWaiting(db: Queryable, team_id: bigint, environment: Environment, limit: number): Promise<ApprovalRow[]> {
  return db.all<ApprovalRow>(sql`
    select ${columns} from approvals where team_id = ${team_id} and environment = ${environment} and ${WAITING}
    order by id limit ${limit}`);
}

/**
 * Returns approvals that are done, failed, rejected, withdrawn or expired, the newest first.
 * @param before id after which the list continues; null: its beginning
 */
export function listEnded(
  db: Queryable,
  { team_id, environment }: Omit<ApprovalRef, 'id'>,
  before: string | null,
  limit: number,
): Promise<ApprovalRow[]> {
  return db.all<ApprovalRow>(sql`
    select ${columns} from approvals
    where team_id = ${team_id} and environment = ${environment} and (${before}::text is null or id < ${before}) and not (${WAITING})
    order by id desc limit ${limit}`);
}

/** Counts what waits in an environment of a team, up to a limit. */
export async function countWaiting(
  db: Queryable,
  { team_id, environment }: Omit<ApprovalRef, 'id'>,
  limit: number,
): Promise<number> {
  const row = await db.maybe<{ count: number }>(sql`
    select count(*)::integer as count from (
      select from approvals where team_id = ${team_id} and environment = ${environment} and ${WAITING} limit ${limit}) as waiting`);
  return row?.count ?? 0;
}

/**
 * Deletes approvals that are past their retention.
 * @returns number of rows
 */
export function forgetApprovals(db: Queryable, keep_ms: number, limit: number): Promise<number> {
  return db.run(sql`
    delete from approvals where id in (select id from approvals
      where asked_at < pirogue_now() - ${keep_ms}::float8 * interval '1 ms' order by asked_at limit ${limit})`);
}
