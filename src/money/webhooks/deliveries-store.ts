import type { Action } from '../../tenants/audit/actions.ts';
import { INSERT_WORKER_ENTRIES } from '../../tenants/audit/store.ts';
import type { MailKind } from '../../tenants/outbox/schema.ts';
import { INSERT_MAILS } from '../../tenants/outbox/store.ts';
import { randomBytes, randomInt } from 'node:crypto';
import type { Turn } from '../../platform/work/shards.ts';
import type { Environment } from '../../kit/environment.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import { BY_KEY, clause, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { HOST } from './backlog-store.ts';
import { FAILED_BEFORE_MS } from './schedule.ts';

/** A delivery claimed by this worker until its lease ends. */
export interface Claimed {
  id: bigint;
  team_id: bigint;
  endpoint_id: string;
  event_id: string;
  /** Number of earlier attempts. */
  tries: number;
  event_type: string;
  sequence: number;
  /** Body as stored (packed). */
  body: Buffer;
  /** Current state of the endpoint. Null: it was deleted or deactivated, so there is nothing to send. */
  target: { url: string; secret_sealed: string; api_version: string } | null;
  /** Whether the endpoint has failed since its last success. */
  failing: boolean;
}

/** Deliveries in progress by endpoint, how many of them are retries, and the endpoint's limit where it differs from the common one. */
export type Busy = Record<string, { count: number; retries: number; slots?: number }>;

export interface ClaimRequest {
  /** Start position: endpoints after this id. */
  after: string;
  /** Maximum rows to claim. */
  rows: number;
  /** Maximum endpoints to examine. */
  endpoints: number;
  lease_ms: number;
  /** Maximum concurrent deliveries to one endpoint, and to one that is failing. */
  slots: number;
  failing_slots: number;
  /** Maximum rows to claim for all failing endpoints together. */
  failing_rows: number;
  busy: Busy;
  /** Teams whose deliveries this worker may take. */
  turn: Turn;
}

export interface Claim {
  rows: Claimed[];
  /** Marks the claimed rows, so that only their holder can record the outcomes. */
  claim: string;
  /** Number of endpoints with deliveries that were examined, and the last of them. */
  looked_at: number;
  last: string | null;
  /** Milliseconds until the next examined delivery is due; null when none is waiting. */
  next_due_ms: number | null;
}

type ClaimRow = Omit<Claimed, 'target' | 'body'> &
  Omit<Claim, 'rows'> & { body: Buffer | null; url: string | null; secret_sealed: string | null; api_version: string };

/**
 * A claim is a UUID that starts with the end of its lease (48 bits of milliseconds by the database's clock, like the creation
 * time in a UUID of version 7). UUIDs compare byte by byte: a claim below the UUID of the current time has expired. A claim
 * changes no other column and this column has no index, so PostgreSQL updates the row in place (heap-only). Moving `due_at`
 * instead wrote three index entries per claim, at 60 µs per row instead of 38 µs.
 */
const leaseEnd = (ms: number, tail: string) =>
  clause`(lpad(to_hex((extract(epoch from pirogue_now()) * 1000)::bigint + ${ms}::bigint), 12, '0') || ${tail}::text)::uuid`;

/**
 * Claims due deliveries, a few per endpoint: walks the endpoints through the index (one step each, regardless of the backlog)
 * and takes as many rows of each as it has free slots. Rows in progress stay at the head of their endpoint's queue; there are
 * at most as many as slots. The row of a dead worker becomes free when its lease ends.
 */
export async function claimDue(db: Queryable, request: ClaimRequest): Promise<Claim> {
  const { after, rows, endpoints, lease_ms, slots, failing_slots, failing_rows, busy, turn } = request;
  const found = await db.all<ClaimRow>(sql`
    with recursive clock as materialized (
      select ${leaseEnd(0, '0'.repeat(20))} as expired, ${leaseEnd(lease_ms, randomBytes(10).toString('hex'))} as claim
    ),
    walk as (
      (select endpoint_id, team_id, due_at, 1 as step from deliveries
       where endpoint_id > ${after} order by endpoint_id, due_at limit 1)
      union all
      select n.endpoint_id, n.team_id, n.due_at, walk.step + 1
      from walk cross join lateral (
        select d.endpoint_id, d.team_id, d.due_at from deliveries d
        where d.endpoint_id > walk.endpoint_id order by d.endpoint_id, d.due_at limit 1) n
      where walk.step < ${endpoints}
    ),
    seen as (
      select count(*)::integer as looked_at, max(endpoint_id) as last,
        (extract(epoch from min(due_at) filter (where due_at > pirogue_now()) - pirogue_now()) * 1000)::float8 as next_due_ms
      from walk
    ),
    wanting as (
      select walk.endpoint_id, e.failing_since is not null as failing,
        greatest(0, case when e.failing_since is null then coalesce((busy.at_work ->> 'slots')::integer, ${slots}::integer)
          else ${failing_slots}::integer end - coalesce((busy.at_work ->> 'count')::integer, 0)) as wants,
        (e.failing_since is not null and coalesce((busy.at_work ->> 'retries')::integer, 0) = 0)::integer as reserved
      from walk
      left join webhook_endpoints e on e.team_id = walk.team_id and e.id = walk.endpoint_id
      cross join lateral (select ${JSON.stringify(busy)}::jsonb -> walk.endpoint_id as at_work) busy
      where walk.due_at <= pirogue_now() - ${turn.late_ms}::float8 * interval '1 ms'
        and (walk.team_id & 15) = any(${turn.shards}::bigint[])
    ),
    -- Failing endpoints share the remaining slots in random order, so that none of them waits forever.
    due as materialized (
      select endpoint_id, reserved, case when failing then least(wants, ${failing_rows}::integer
        - (sum(wants) over (partition by failing order by hashtextextended(endpoint_id, ${randomInt(2 ** 32)})) - wants))
        else wants end as free
      from wanting order by endpoint_id
    ),
    -- The slot of a failing endpoint is for retries: first attempts would fill all of its time and delay retries for days.
    picked as materialized (
      select d.id from due
      left join lateral (
        select id from deliveries
        where deliveries.endpoint_id = due.endpoint_id and deliveries.due_at <= pirogue_now() and tries > 0
          and (claim is null or claim < (select expired from clock))
        order by due_at limit greatest(0, least(due.reserved, due.free)) for update skip locked) retry on true
      cross join lateral (
        select retry.id where retry.id is not null
        union all
        select id from (
          select id from deliveries
          where deliveries.endpoint_id = due.endpoint_id and deliveries.due_at <= pirogue_now()
            and (claim is null or claim < (select expired from clock)) and id is distinct from retry.id
          order by due_at limit greatest(0, due.free - (retry.id is not null)::integer) for update skip locked) other) d
      limit ${rows}
    ),
    claimed as (
      update deliveries d set claim = clock.claim from picked, clock where d.id = picked.id
      returning d.id, d.team_id, d.endpoint_id, d.event_id, d.tries
    )
    select seen.*, clock.claim, c.*, v.type as event_type, v.sequence, v.body, e.url, e.secret_sealed, e.api_version,
      e.failing_since is not null as failing
    from seen cross join clock left join claimed c on true
    left join events v on v.team_id = c.team_id and v.id = c.event_id
    left join webhook_endpoints e on e.team_id = c.team_id and e.id = c.endpoint_id and e.active
    order by c.id${BY_KEY}`);
  const { looked_at = 0, last = null, next_due_ms = null, claim = '' } = found[0] ?? {};
  return { rows: found.filter((row) => row.id !== null).map(claimedOf), claim, looked_at, last, next_due_ms };
}

function claimedOf(row: ClaimRow): Claimed {
  const { id, team_id, endpoint_id, event_id, tries, event_type, sequence, body, failing, url, secret_sealed, api_version } = row;
  // Nothing can be sent without the event either (kept 90 days, longer than any retry).
  const target = url !== null && secret_sealed !== null && body !== null ? { url, secret_sealed, api_version } : null;
  return { id, team_id, endpoint_id, event_id, tries, event_type, sequence, body: body ?? Buffer.alloc(0), target, failing };
}

/** Outcome of one claimed delivery. */
export interface Outcome {
  /** Id of the row in `deliveries`. */
  id: string;
  claim: string;
  /** Milliseconds until the next attempt; null: the delivery is finished. */
  retry_ms: number | null;
  /** Null: nothing was sent, so that it is not one of the delivery's tries. */
  attempt: Attempt | null;
}

/** One POST. The endpoint and the attempt number are in the delivery's row. */
export interface Attempt {
  attempt_id: string;
  event_type: string;
  succeeded: boolean;
  status: number | null;
  body: string | null;
  error: string | null;
  ms: number;
  at: string;
}

export interface OutcomeTerms {
  environment: Environment;
  /** Days without a success after which an endpoint is deactivated. */
  disable_after_days: number;
}

export interface Deactivated {
  team_id: bigint;
  id: string;
  url: string;
}

/**
 * Records many outcomes in one statement: adds attempts, deletes finished deliveries, reschedules failed ones, and updates the
 * endpoints' failure state. Rows whose lease ended and that another worker claimed are left unchanged, so recording the same
 * outcomes twice has no effect.
 * An endpoint without a success for `disable_after_days` is deactivated by its next failure if it also failed hours before, or if that
 * was the last attempt of a delivery. An endpoint that seldom gets an event therefore keeps its retries after a short failure.
 * @returns the deactivated endpoints
 */
export function recordOutcomes(db: Queryable, terms: OutcomeTerms, outcomes: readonly Outcome[]): Promise<Deactivated[]> {
  const { environment, disable_after_days: days } = terms;
  const last_at = Math.max(0, ...outcomes.flatMap(({ attempt }) => (attempt ? [Date.parse(attempt.at)] : [])));
  const idAt = (ago_ms: number) => lowestIdAt('whd', environment, Math.max(0, last_at - ago_ms));
  const input = JSON.stringify(outcomes.map(({ attempt, ...rest }) => ({ ...rest, ...attempt })));
  return db.all<Deactivated>(sql`
    with done as materialized (
      select * from json_to_recordset(${input}::json) as d(id bigint, claim uuid, retry_ms float8, attempt_id text,
        event_type text, succeeded boolean, status integer, body text, error text, ms integer, at timestamptz)
    ),
    finished as (
      delete from deliveries d using done where d.id = done.id and d.claim = done.claim and done.retry_ms is null
      returning d.team_id, d.endpoint_id, d.event_id, d.tries + 1 as attempt, done.*, null::timestamptz as next_at
    ),
    put_back as (
      update deliveries d set tries = d.tries + (done.attempt_id is not null)::integer, claim = null,
        due_at = pirogue_now() + done.retry_ms * interval '1 ms'
      from done where d.id = done.id and d.claim = done.claim and done.retry_ms is not null
      returning d.team_id, d.endpoint_id, d.event_id, d.tries as attempt, done.*, d.due_at as next_at
    ),
    made as (
      select * from finished where attempt_id is not null union all select * from put_back where attempt_id is not null
    ),
    attempted as (
      insert into delivery_attempts (team_id, id, endpoint_id, event_id, event_type, attempt, succeeded, response_status,
        response_body, error, duration_ms, next_attempt_at, created_at)
      select team_id, attempt_id, endpoint_id, event_id, event_type, attempt, succeeded, status, body, error, ms, next_at, at
      from made
    ),
    results as (
      select team_id, endpoint_id, bool_or(succeeded) as answered, min(at) as first_at,
        max(at) as last_at, bool_or(retry_ms is null) as ended
      from made group by team_id, endpoint_id
    ),
    changes as (
      select v.*, e.failing_since, coalesce(e.active and not v.answered
        and v.last_at - e.failing_since >= ${days}::float8 * interval '1 day'
        and (v.ended or exists (
          select from delivery_attempts a where a.team_id = v.team_id and a.endpoint_id = v.endpoint_id
            and a.id >= ${idAt(FAILED_BEFORE_MS.from)} and a.id < ${idAt(FAILED_BEFORE_MS.to)})), false) as hopeless
      from results v join webhook_endpoints e on e.team_id = v.team_id and e.id = v.endpoint_id
    ),
    marked as (
      update webhook_endpoints e set
        failing_since = case when c.answered then null else coalesce(e.failing_since, c.first_at) end,
        active = e.active and not c.hopeless,
        backlog_full_since = case when c.hopeless then null else e.backlog_full_since end,
        disabled_reason = case when c.hopeless then ${`No delivery succeeded for ${days} days.`} else e.disabled_reason end,
        updated_at = case when c.hopeless then c.last_at else e.updated_at end
      from changes c
      where e.team_id = c.team_id and e.id = c.endpoint_id and e.failing_since is not distinct from c.failing_since
        and (c.hopeless or c.answered = (e.failing_since is not null))
      returning e.team_id, e.id, e.url, c.hopeless
    ),
    -- The mail names the host only: the rest of the address may contain a secret.
    mail_input as (
      select team_id, ${'endpoint_deactivated' satisfies MailKind}::text as kind, null as recipient,
        json_build_object('webhook', id, 'host', ${HOST}, 'days', ${days}::integer) as facts
      from marked where hopeless
    ),
    queued_mails as (${INSERT_MAILS}),
    audit_input as (
      select team_id, ${'webhook.deactivate' satisfies Action}::text as action, id as resource_id from marked where hopeless
    ),
    audited as (${INSERT_WORKER_ENTRIES})
    select team_id, id, url from marked where hopeless${BY_KEY}`);
}

/**
 * Queues an event again for every active subscribed endpoint, or for the endpoint it was made for. Deliveries that wait for a
 * retry are replaced; those in progress are left to finish, and those to active endpoints that no longer subscribe as they are.
 * @returns number of deliveries queued
 */
export async function requeue(
  tx: Tx,
  event: { team_id: bigint; id: string; resource_id: string },
  subscriptions: string[],
): Promise<number> {
  return tx.run(sql`
    with endpoints as (
      select team_id, id, events && ${subscriptions} or id = ${event.resource_id} as matches from webhook_endpoints
      where team_id = ${event.team_id} and active
    ),
    waiting as (
      delete from deliveries where event_id = ${event.id} and team_id = ${event.team_id} and claim is null
        and endpoint_id not in (select id from endpoints where not matches)
    )
    insert into deliveries (team_id, endpoint_id, event_id)
    select team_id, id, ${event.id} from endpoints where matches order by id`);
}
