import type { Environment } from '../../kit/environment.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import { jsonText } from '../../kit/json.ts';
import type { Minor } from '../../kit/money.ts';
import { pageTail } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { allOf, type Fragment, fixed, PLANNED_EACH_TIME, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { notAt } from '../../platform/work/account-key.ts';
import type { TransferRow } from './schema.ts';

const columns =
  fixed(`team_id, id, reference, amount_minor, fee_minor, currency, status, reason, message, description, beneficiary_id,
  recipient, channel, metadata, provider_account, provider_key, provider_ref, decision, resolution, stage, counted_day, event_count, polls, next_poll_at, created_at,
  updated_at, dispatched_at, completed_at`);

export interface TransferRef {
  team_id: bigint;
  id: string;
}

/**
 * Inserts a transfer.
 * @param by the key and request that created it, for the audit trail
 */
export async function insertTransfer(tx: Tx, row: TransferRow, by: { key_id: string; request_id: string }): Promise<void> {
  await tx.run(sql`
    insert into transfers (team_id, id, reference, amount_minor, fee_minor, currency, status, description, beneficiary_id, recipient,
      channel, metadata, provider_key, decision, stage, counted_day, event_count, next_poll_at, key_id, request_id, created_at, updated_at)
    values (${row.team_id}, ${row.id}, ${row.reference}, ${row.amount_minor}, ${row.fee_minor}, ${row.currency}, ${row.status},
      ${row.description}, ${row.beneficiary_id}, ${JSON.stringify(row.recipient)}, ${row.channel},
      ${row.metadata && JSON.stringify(row.metadata)}, ${row.provider_key}, ${row.decision && JSON.stringify(row.decision)}, ${row.stage},
      ${row.counted_day}, ${row.event_count}, ${row.next_poll_at}, ${by.key_id}, ${by.request_id}, ${row.created_at}, ${row.updated_at})`);
}

export function findTransfer(db: Queryable, ref: TransferRef): Promise<TransferRow | undefined> {
  return db.maybe<TransferRow>(sql`select ${columns} from transfers where team_id = ${ref.team_id} and id = ${ref.id}`);
}

/** Locks transfers in a fixed order until the transaction ends, so that concurrent transactions cannot deadlock. */
export function lockTransfers(tx: Tx, refs: readonly TransferRef[]): Promise<TransferRow[]> {
  return tx.all<TransferRow>(sql`
    select ${columns} from transfers
    where (team_id, id) in (select * from unnest(${refs.map((ref) => ref.team_id)}::bigint[], ${refs.map((ref) => ref.id)}::text[]))
    order by team_id, id for update`);
}

/** Writes all mutable columns of the transfers in one statement. Called only by `applyTransfers`. */
export async function updateTransfers(tx: Tx, rows: TransferRow[]): Promise<void> {
  await tx.run(sql`
    update transfers t set status = u.status, reason = u.reason, message = u.message, provider_account = u.provider_account,
      provider_key = u.provider_key, provider_ref = u.provider_ref, decision = u.decision, resolution = u.resolution, stage = u.stage, event_count = u.event_count, next_poll_at = u.next_poll_at, updated_at = u.updated_at,
      dispatched_at = u.dispatched_at, completed_at = u.completed_at
    from json_to_recordset(${jsonText(rows.map(written))}::json) as u(team_id bigint, id text, status text, reason text, message text,
      provider_account text, provider_key text, provider_ref text, decision json, resolution json, stage text, event_count integer, next_poll_at timestamptz, updated_at timestamptz,
      dispatched_at timestamptz, completed_at timestamptz)
    where t.team_id = u.team_id and t.id = u.id`);
}

/** Returns only the columns that are written, to send no more to the database than needed. */
function written(row: TransferRow): Partial<TransferRow> {
  const {
    team_id,
    id,
    status,
    reason,
    message,
    provider_account,
    provider_key,
    provider_ref,
    decision,
    resolution,
    stage,
    event_count,
    next_poll_at,
    updated_at,
    dispatched_at,
    completed_at,
  } = row;
  return {
    team_id,
    id,
    status,
    reason,
    message,
    provider_account,
    provider_key,
    provider_ref,
    decision,
    resolution,
    stage,
    event_count,
    next_poll_at,
    updated_at,
    dispatched_at,
    completed_at,
  };
}

/** How a callback identifies a transfer. */
export type TransferSubject = { by: 'id' | 'provider_key'; value: string };

/** Makes a transfer that is under way due for polling now, after a callback from its provider. */
export async function pollNow(
  db: Queryable,
  team_id: bigint,
  account_id: string,
  subject: TransferSubject,
  now: Date,
): Promise<void> {
  const named = subject.by === 'id' ? part`id = ${subject.value}` : part`provider_key = ${subject.value}`;
  await db.run(sql`
    update transfers set next_poll_at = ${now}
    where team_id = ${team_id} and provider_account = ${account_id} and stage = 'dispatched' and status = 'processing' and ${named}`);
}

/**
 * Claims transfers whose next step is due; those of a killed worker become due again after the lease.
 * @param lease_ms milliseconds
 */
export function claimDueTransfers(
  db: Queryable,
  now: Date,
  lease_ms: number,
  limit: number,
  skip: readonly string[],
): Promise<TransferRow[]> {
  return db.all<TransferRow>(sql`
    update transfers set next_poll_at = ${new Date(now.getTime() + lease_ms)}, polls = polls + 1
    where (team_id, id) in (
      select team_id, id from transfers where next_poll_at <= ${now} ${notAt(fixed('coalesce(provider_account, channel)'), skip)}
      order by next_poll_at limit ${limit} for update skip locked
    ) returning ${columns}${PLANNED_EACH_TIME}`);
}

// --------------------------------------------------------------------------------------------------- list
export interface TransferFilters {
  search?: string | undefined;
  status?: string | undefined;
  beneficiary?: string | undefined;
  channel?: string | undefined;
  /** UTC days, inclusive. */
  date_from?: string | undefined;
  date_to?: string | undefined;
  amount_min_minor?: Minor | undefined;
  amount_max_minor?: Minor | undefined;
}

/** Returns one page, in reading order. Skipped rows are read from the index only; just the page is read from the table. */
export function listTransfers(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  filters: TransferFilters,
  position: Position,
): Promise<TransferRow[]> {
  const order = position.kind === 'newer' ? part`id` : part`id desc`;
  return db.all<TransferRow>(sql`
    select ${columns} from transfers where team_id = ${team_id} and id in (
      select id from transfers where ${conditions(environment, team_id, filters)} ${pageTail(position)}
    ) order by ${order}`);
}

export async function countTransfers(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  filters: TransferFilters,
): Promise<number> {
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from transfers where ${conditions(environment, team_id, filters)}`);
  return Number(row?.total ?? 0n);
}

const DAY_MS = 86_400_000;

/** Returns the conditions of a list. Ids sort by time, so a range of days is a range of ids. */
function conditions(environment: Environment, team_id: bigint, filters: TransferFilters): Fragment {
  const { search, status, beneficiary, channel, date_from, date_to, amount_min_minor, amount_max_minor } = filters;
  const found = [part`team_id = ${team_id}`];
  if (status !== undefined) found.push(part`status = ${status}`);
  if (beneficiary !== undefined) found.push(part`beneficiary_id = ${beneficiary}`);
  if (channel !== undefined) found.push(part`channel = ${channel}`);
  if (date_from) found.push(part`id >= ${lowestIdAt('po', environment, Date.parse(date_from))}`);
  if (date_to) found.push(part`id < ${lowestIdAt('po', environment, Date.parse(date_to) + DAY_MS)}`);
  if (amount_min_minor !== undefined) found.push(part`amount_minor >= ${amount_min_minor}`);
  if (amount_max_minor !== undefined) found.push(part`amount_minor <= ${amount_max_minor}`);
  if (search) found.push(searchCondition(search));
  return allOf(found);
}

function searchCondition(search: string): Fragment {
  const like = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  return part`(id ilike ${like} or reference ilike ${like} or description ilike ${like} or recipient->>'name' ilike ${like}
    or recipient->>'phone' ilike ${like} or recipient->>'account_number' ilike ${like} or recipient->>'email' ilike ${like})`;
}
