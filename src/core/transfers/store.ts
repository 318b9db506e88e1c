import { assignments, columnsOf, typedColumns } from '../../kit/columns.ts';
import type { Environment } from '../../kit/environment.ts';
import { jsonText } from '../../kit/json.ts';
import { type Conditions, conditionsOf, containing, equalTo, withinAmounts, withinDays } from '../../kit/list-filters.ts';
import { ALL_IDS, rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { PagingQuery, Position } from '../../kit/paging.ts';
import { must } from '../../kit/errors.ts';
import { amongKeys, BY_KEY, clause, fixed, type Fragment, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { countMoved, intervalOf, type Shifted, type TimeShift } from '../../platform/db/time-shift.ts';
import { notAt } from '../../platform/work/account-key.ts';
import { BY_SHARD, dueBefore, EVERY_TURN, IN_SHARD, shardsOf, type Turn } from '../../platform/work/shards.ts';
import { ListSearcher } from '../../platform/search/list.ts';
import type { Searchable } from '../../platform/search/searchable.ts';
import { PAID_LATE_AT } from './late-store.ts';
import type { ListTransfersQuery, Recipient, TransferRow, TransferStanding } from './schema.ts';

/** The columns of a {@link TransferRow} with their types. */
export const COLUMNS: Record<keyof TransferRow, string> = {
  team_id: 'bigint',
  id: 'text',
  reference: 'text',
  amount_minor: 'bigint',
  fee_minor: 'bigint',
  currency: 'text',
  status: 'text',
  reason: 'text',
  message: 'text',
  description: 'text',
  beneficiary_id: 'text',
  account_id: 'text',
  recipient: 'json',
  channel: 'text',
  metadata: 'json',
  provider_account: 'text',
  provider_key: 'text',
  provider_ref: 'text',
  decision: 'json',
  resolution: 'json',
  stage: 'text',
  counted_day: 'text',
  event_count: 'integer',
  polls: 'integer',
  next_poll_at: 'timestamptz',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  dispatched_at: 'timestamptz',
  completed_at: 'timestamptz',
  paid_late_at: 'timestamptz',
};

const columns = fixed(Object.keys(COLUMNS).join(', '));

/** The columns that a state change writes. */
const CHANGED = [
  'status',
  'reason',
  'message',
  'provider_account',
  'provider_key',
  'provider_ref',
  'decision',
  'resolution',
  'stage',
  'event_count',
  'next_poll_at',
  'updated_at',
  'dispatched_at',
  'completed_at',
] as const;
const CHANGES = ['team_id', 'id', ...CHANGED] as const;
const changed = fixed(assignments(CHANGED));
const changes = fixed(typedColumns(COLUMNS, CHANGES));

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
    insert into transfers (team_id, id, reference, amount_minor, fee_minor, currency, status, description, beneficiary_id, account_id, recipient,
      channel, metadata, provider_key, decision, stage, counted_day, event_count, next_poll_at, key_id, request_id, created_at, updated_at)
    values (${row.team_id}, ${row.id}, ${row.reference}, ${row.amount_minor}, ${row.fee_minor}, ${row.currency}, ${row.status},
      ${row.description}, ${row.beneficiary_id}, ${row.account_id}, ${JSON.stringify(row.recipient)}, ${row.channel},
      ${row.metadata && JSON.stringify(row.metadata)}, ${row.provider_key}, ${row.decision && JSON.stringify(row.decision)}, ${row.stage},
      ${row.counted_day}, ${row.event_count}, ${row.next_poll_at}, ${by.key_id}, ${by.request_id}, ${row.created_at}, ${row.updated_at})`);
}

/** Returns a transfer; undefined when the team has no such transfer. */
export function findTransfer(db: Queryable, ref: TransferRef): Promise<TransferRow | undefined> {
  return db.maybe<TransferRow>(sql`select ${columns} from transfers where team_id = ${ref.team_id} and id = ${ref.id}`);
}

/** Returns the recipients of transfers by the transfers' ids. */
export async function findRecipients(db: Queryable, team_id: bigint, ids: readonly string[]): Promise<Map<string, Recipient>> {
  const rows = await db.all<{ id: string; recipient: Recipient }>(sql`
    select id, recipient from transfers where team_id = ${team_id} and id = any(${ids}::text[])`);
  return new Map(rows.map(({ id, recipient }) => [id, recipient]));
}

/** Returns the outcomes of transfers. */
export function findStandings(db: Queryable, team_id: bigint, ids: readonly string[]): Promise<TransferStanding[]> {
  return db.all<TransferStanding>(sql`
    select t.id, t.status, ${PAID_LATE_AT} as paid_late_at from transfers t
    where t.team_id = ${team_id} and t.id = any(${[...ids]}::text[])`);
}

/** Locks transfers in a fixed order until the transaction ends, so that concurrent transactions cannot deadlock. */
export function lockTransfers(tx: Tx, refs: readonly TransferRef[]): Promise<TransferRow[]> {
  return tx.all<TransferRow>(sql`
    select ${columns} from transfers
    where ${amongKeys(refs)}
    order by team_id, id for update`);
}

/** Writes all mutable columns of the transfers in one statement. Called only by `applyTransfers`. */
export async function updateTransfers(tx: Tx, rows: TransferRow[]): Promise<void> {
  const written = rows.map((row) => columnsOf(row, CHANGES));
  await tx.run(sql`
    update transfers t set ${changed} from json_to_recordset(${jsonText(written)}::json) as u(${changes})
    where t.team_id = u.team_id and t.id = u.id`);
}

/** Counts a poll of an ended transfer and schedules the next, unless it was made due or claimed again since its claim. */
export async function writeRecheck(db: Queryable, row: TransferRow, at: Date | null): Promise<void> {
  const { team_id, id, polls, next_poll_at } = row;
  await db.run(sql`
    update transfers set next_poll_at = ${at}, polls = polls + 1
    where team_id = ${team_id} and id = ${id} and stage = 'closed' and polls = ${polls} and next_poll_at = ${next_poll_at}`);
}

/** SQL: whether the transfer ended without money, but was sent: it may have been paid nevertheless. */
const MAY_BE_PAID_LATE = fixed("status in ('failed', 'cancelled') and provider_account is not null and paid_late_at is null");

/** SQL: the decision of a transfer that counts as sent because the account that had turned it away has called back. */
export const RECALLED = fixed(`(decision::jsonb || '{"recalled": true}')::json`);

/** Makes transfers that ended without money due for polling now, after a report about them. Earlier polls no longer count. */
export async function recheckNow(db: Queryable, refs: readonly TransferRef[], now: Date): Promise<void> {
  await db.run(sql`
    update transfers set next_poll_at = ${now}, polls = 0
    where ${amongKeys(refs)}
      and ${MAY_BE_PAID_LATE}`);
}

/** A transfer that a callback is about. */
export type ReportedTransfer = Pick<TransferRow, 'id' | 'recipient'>;

/** A provider account from which a callback came. `keyOf`: its key for an id of ours. */
export interface TransferSource {
  team_id: bigint;
  account_id: string;
  keyOf(id: string): string;
}

/** How a callback identifies a transfer. */
export type TransferSubject = { by: 'id' | 'provider_key'; value: string };

/**
 * Makes a transfer due for polling now, after a callback from its provider. This includes a transfer that the provider has turned away,
 * which is not sent again before, and one that has ended without money, because it may have been paid nevertheless. It is polled under its
 * current key, even if the callback names no key and may be about one that was used up.
 * @returns the transfer, also one that has ended
 */
export async function pollNow(
  db: Queryable,
  { team_id, account_id }: TransferSource,
  subject: TransferSubject,
  now: Date,
): Promise<ReportedTransfer | undefined> {
  const named = subject.by === 'id' ? clause`id = ${subject.value}` : clause`provider_key = ${subject.value}`;
  // Two statements: in one, PostgreSQL may look for the row among all that are under way.
  const known = await db.maybe<ReportedTransfer & { is_sent: boolean; is_ended: boolean }>(sql`
    select id, recipient, stage = 'dispatched' and status = 'processing' as is_sent, ${MAY_BE_PAID_LATE} as is_ended
    from transfers where team_id = ${team_id} and provider_account = ${account_id} and ${named}`);
  let isEnded = known?.is_ended;
  if (known?.is_sent) {
    const changed = await db.run(sql`
      update transfers set next_poll_at = ${now}, dispatched_at = coalesce(dispatched_at, ${now}),
        decision = case when dispatched_at is null then ${RECALLED} else decision end
      where team_id = ${team_id} and id = ${known.id} and provider_account = ${account_id} and stage = 'dispatched' and status = 'processing'`);
    isEnded = changed === 0;
  }
  if (known && isEnded) await recheckNow(db, [{ team_id, id: known.id }], now);
  return known;
}

/**
 * Claims transfers whose next step is due; those of a killed worker become due again after the lease. A claim of a transfer that has ended
 * does not count as a poll, because most are dropped while its account does not respond: {@link writeRecheck} counts its polls.
 * @param lease_ms milliseconds
 */
export function claimDueTransfers(
  db: Queryable,
  now: Date,
  lease_ms: number,
  limit: number,
  skip: readonly string[],
  turn: Turn = EVERY_TURN,
): Promise<TransferRow[]> {
  return db.all<TransferRow>(sql`
    update transfers set next_poll_at = ${new Date(now.getTime() + lease_ms)}, polls = polls + (stage <> 'closed')::integer
    where (team_id, id) in (
      select k.team_id, k.id from ${shardsOf(turn)} cross join lateral (
        select team_id, id from transfers where ${IN_SHARD} and next_poll_at <= ${dueBefore(now, turn)} ${notAt(fixed('coalesce(provider_account, channel)'), skip)}
        order by ${BY_SHARD}, next_poll_at limit ${limit} for update skip locked) k
      limit ${limit}
    ) returning ${columns}${BY_KEY}`);
}

// --------------------------------------------------------------------------------------------------- list
type Filters = Omit<ListTransfersQuery, keyof PagingQuery>;

const SEARCHED = [
  'id',
  'reference',
  'description',
  ...['name', 'phone', 'account_number', 'email'].map((key) => `recipient->>'${key}'`),
];

/** Transfers for the search index. */
export const SEARCHABLE_TRANSFERS: Searchable = {
  ...{ kind: 'transfers', prefix: 'po', table: 'transfers', id: 'id' },
  groups: [SEARCHED],
};

/** Returns the searcher of lists of transfers. */
export function transferSearcher(): ListSearcher<TransferRow> {
  return new ListSearcher(SEARCHABLE_TRANSFERS, { from: 'transfers', ids: ['id'], columns });
}

const FILTERS = {
  search: containing(SEARCHED),
  status: equalTo('status'),
  beneficiary: equalTo('beneficiary_id'),
  channel: equalTo('channel'),
  ...withinAmounts,
};

/** Returns the conditions of a list besides its team. */
export function filtersOf(environment: Environment, query: Filters): Fragment[] {
  const conditions: Conditions<Filters> = { ...FILTERS, ...withinDays('po', environment) };
  return conditionsOf(query, conditions);
}

/** Returns one page: newest first, or oldest first for `newer`. */
export function listTransfers(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  query: Filters,
  position: Position,
): Promise<TransferRow[]> {
  const ids = (rows: Fragment) => clause`select id from transfers where ${rows}`;
  const page = rowsOfPage(rowsOf(team_id, filtersOf(environment, query)), position, ids);
  return db.all<TransferRow>(sql`select ${columns} from transfers where ${page}`);
}

/** Counts the transfers that match the filters. */
export async function countTransfers(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  query: Filters,
  ids = ALL_IDS,
): Promise<number> {
  const counted = rowsToCount(rowsOf(team_id, filtersOf(environment, query)), ids);
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (select id from transfers where ${counted}) counted`);
  return Number(row?.total ?? 0n);
}

/** Moves the next poll of transfers, and their dispatch time. */
export async function shiftTransfers(tx: Tx, { team_id, by_ms, now }: TimeShift): Promise<Shifted> {
  const row = await tx.maybe<Shifted>(sql`
    with moved as (
      update transfers set next_poll_at = next_poll_at - ${intervalOf(by_ms)}, dispatched_at = dispatched_at - ${intervalOf(by_ms)}
      where team_id = ${team_id} and status = 'processing'
      returning next_poll_at
    ) ${countMoved(by_ms, now, part`next_poll_at`)}`);
  return must(row, 'a count returns a row');
}
