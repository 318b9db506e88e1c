import { assignments, columnsOf, typedColumns } from '../../kit/columns.ts';
import { jsonText } from '../../kit/json.ts';
import { must } from '../../kit/errors.ts';
import { BY_KEY, clause, fixed, type Fragment, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { countMoved, intervalOf, type Shifted, type TimeShift } from '../../platform/db/time-shift.ts';
import type { Next, Subject } from '../../providers/adapters/contract.ts';
import { storedExplanation } from '../../providers/routing/explain.ts';
import { notAt } from '../../platform/work/account-key.ts';
import { BY_SHARD, dueBefore, EVERY_TURN, IN_SHARD, shardsOf, type Turn } from '../../platform/work/shards.ts';
import { type AttemptRow, type AttemptStatus, type Mismatch, NEVER_ARRIVED, type Resolution } from './schema.ts';

/** A payment whose attempts are read. */
type PaymentRef = { team_id: bigint; id: string };

/** The columns of an {@link AttemptRow}. */
export const ATTEMPT_COLUMNS =
  fixed(`team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, payer, payer_hash, remember, method_id, country,
  provider_key, provider_ref, handle, mismatch, mismatches, resolution, decision, reason, message, action, client_ip, polls, must_return, prompted_by, counted_day, next_poll_at, created_at, submitted_at, unanswered_step_at, closed_at`);

/** Columns of an attempt that is being inserted. */
export type NewAttempt = Pick<
  AttemptRow,
  | 'team_id'
  | 'id'
  | 'payment_id'
  | 'provider'
  | 'provider_account'
  | 'channel'
  | 'amount_minor'
  | 'currency'
  | 'payer'
  | 'country'
  | 'provider_key'
  | 'client_ip'
  | 'counted_day'
  | 'created_at'
> &
  Partial<Pick<AttemptRow, 'remember' | 'method_id' | 'prompted_by' | 'submitted_at'>> & {
    /** Why this provider was chosen; stored with the attempt for later inspection. */
    decision: object;
    /** When the attempt is polled if its process dies before the provider's response is stored. */
    next_poll_at: Date;
  };

/**
 * Stores the intents, committed before anything is sent to a provider.
 * @returns the attempts as stored
 * @throws a unique violation of attempts_one_open when a payment already has an open attempt
 */
export function insertAttempts(tx: Tx, attempts: readonly NewAttempt[]): Promise<AttemptRow[]> {
  const rows = attempts.map((attempt) => ({ ...attempt, decision: storedExplanation(attempt.decision) }));
  return tx.all<AttemptRow>(sql`
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, payer, remember,
      method_id, country, provider_key, client_ip, prompted_by, counted_day, decision, next_poll_at, created_at, submitted_at)
    select team_id, id, payment_id, provider, provider_account, channel, 'created', amount_minor, currency, payer, remember,
      method_id, country, provider_key, client_ip, prompted_by, counted_day, decision::json, next_poll_at, created_at, submitted_at
    from json_to_recordset(${jsonText(rows)}::json) as n(team_id bigint, id text, payment_id text, provider text,
      provider_account text, channel text, amount_minor bigint, currency text, payer text, remember boolean, method_id text,
      country text, provider_key text, client_ip text, prompted_by text, counted_day text, decision text,
      next_poll_at timestamptz, created_at timestamptz, submitted_at timestamptz)
    returning ${ATTEMPT_COLUMNS}`);
}

/** Returns an attempt that is not archived; undefined when there is none. */
export function findAttempt(db: Queryable, team_id: bigint, id: string): Promise<AttemptRow | undefined> {
  return db.maybe<AttemptRow>(sql`select ${ATTEMPT_COLUMNS} from attempts where team_id = ${team_id} and id = ${id}`);
}

/** Returns all attempts of the payments, oldest first. */
export function attemptsOf(db: Queryable, refs: readonly PaymentRef[]): Promise<AttemptRow[]> {
  return db.all<AttemptRow>(sql`
    select ${ATTEMPT_COLUMNS} from attempts
    where (team_id, payment_id) in (select * from unnest(${refs.map((ref) => ref.team_id)}::bigint[], ${refs.map((ref) => ref.id)}::text[]))
    order by team_id, id`);
}

/**
 * Returns all attempts of the payments, oldest first, each locked until the transaction ends. Other writes to an attempt (a
 * provider reference from a callback, an erasure) are either visible here or wait for the lock.
 */
export function lockAttempts(tx: Tx, refs: readonly PaymentRef[]): Promise<AttemptRow[]> {
  return tx.all<AttemptRow>(sql`
    select ${ATTEMPT_COLUMNS} from attempts
    where (team_id, payment_id) in (select * from unnest(${refs.map((ref) => ref.team_id)}::bigint[], ${refs.map((ref) => ref.id)}::text[]))
    order by team_id, id for update`);
}

/** What a provider response changed about an attempt; fields left out stay unchanged. */
export interface AttemptUpdate {
  status: AttemptStatus;
  payer?: string;
  provider_ref?: string | null;
  reason?: string | null;
  message?: string | null;
  action?: Next | null;
  mismatch?: Mismatch | null;
  mismatches?: number;
  resolution?: Resolution;
  /** Null: no further poll. */
  next_poll_at: Date | null;
  submitted_at?: Date | null;
  unanswered_step_at?: null;
  closed_at?: Date | null;
}

/** The columns that {@link updateAttempts} writes. The whole row, with its decision, is twice as long. */
const CHANGED = {
  ...({ status: 'text', payer: 'text', provider_ref: 'text', reason: 'text', message: 'text', action: 'json' } as const),
  ...({ mismatch: 'json', mismatches: 'smallint', resolution: 'json', must_return: 'boolean' } as const),
  ...({ next_poll_at: 'timestamptz', submitted_at: 'timestamptz', closed_at: 'timestamptz' } as const),
  ...({ unanswered_step_at: 'timestamptz' } as const),
} satisfies Partial<Record<keyof AttemptRow, string>>;
const CHANGED_NAMES = Object.keys(CHANGED) as (keyof typeof CHANGED)[];
const changed = fixed(typedColumns(CHANGED, CHANGED_NAMES));
const replaced = fixed(assignments(CHANGED_NAMES.filter((name) => name !== 'must_return')));

/** Writes changed attempts in one statement. Called only by `apply`. */
export async function updateAttempts(tx: Tx, attempts: AttemptRow[]): Promise<void> {
  const rows = attempts.map((attempt) => columnsOf(attempt, ['team_id', 'id', ...CHANGED_NAMES]));
  await tx.run(sql`
    update attempts a set ${replaced}, must_return = a.must_return or u.must_return
    from json_to_recordset(${jsonText(rows)}::json) as u(team_id bigint, id text, ${changed})
    where a.team_id = u.team_id and a.id = u.id`);
}

/** An attempt about to be submitted. */
export interface Sending {
  team_id: bigint;
  id: string;
  /** Returned by the provider before; null keeps the stored one. */
  handle: string | null;
  submitted_at: Date;
}

/**
 * Marks attempts as submitted and stores the handles that their providers returned before. Where a provider first returns a handle, an
 * attempt is sent only with this mark. The mark is set only after a check of the current status of the attempt, of its payment and of the
 * payment's other attempts, which may have changed while the provider prepared it. With any other provider, the intent itself is the mark.
 *
 * The check is a statement of its own: whoever changes the payment holds the locks of all its attempts, and a statement that waits for them
 * would go on to check what the others were before (decision 0106).
 * @param chargeable SQL: whether the payment of the row `a` of `attempts` may be charged
 * @returns ids of the marked attempts; the others must no longer be sent
 */
export async function markSent(tx: Tx, sendings: readonly Sending[], chargeable: Fragment): Promise<Set<string>> {
  // In the order in which every change of attempts locks them.
  const locked = tx.run(sql`
    select 1 from attempts a join json_to_recordset(${jsonText(sendings)}::json) as s(team_id bigint, id text)
      on a.team_id = s.team_id and a.id = s.id
    order by a.team_id, a.id for update of a`);
  const marked = tx.all<{ id: string }>(sql`
    update attempts a set submitted_at = s.submitted_at, handle = coalesce(s.handle, a.handle)
    from json_to_recordset(${jsonText(sendings)}::json) as s(team_id bigint, id text, handle text, submitted_at timestamptz)
    where a.team_id = s.team_id and a.id = s.id and a.status = 'created'
      and ${chargeable}
      and not exists (
        -- Its provider rejected it and has called back since, or reports another amount. The coalesce hides the condition from the planner,
        -- as below.
        select 1 from attempts o
        where o.team_id = a.team_id and o.payment_id = a.payment_id and o.id <> a.id
          and coalesce(o.next_poll_at is not null or o.mismatch is not null, false))
    returning a.id`);
  const [, rows] = await Promise.all([locked, marked]);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Stores that a further step of the payer is about to be sent. The caller has locked the attempt.
 * @param poll_at when it is polled if its process dies before the provider's response is stored; an earlier poll is kept
 * @returns the attempt as stored; undefined if there is none
 */
export async function markStep(
  tx: Tx,
  { team_id, id }: Pick<AttemptRow, 'team_id' | 'id'>,
  at: Date,
  poll_at: Date,
): Promise<AttemptRow | undefined> {
  return tx.maybe<AttemptRow>(sql`
    update attempts set unanswered_step_at = ${at}, next_poll_at = least(next_poll_at, ${poll_at})
    where team_id = ${team_id} and id = ${id} returning ${ATTEMPT_COLUMNS}`);
}

/** Removes the mark of a step that had no effect at the provider, unless another step was sent since. */
export async function unmarkStep(db: Queryable, { team_id, id, unanswered_step_at }: AttemptRow): Promise<void> {
  await db.run(sql`
    update attempts set unanswered_step_at = null
    where team_id = ${team_id} and id = ${id} and unanswered_step_at = ${unanswered_step_at}`);
}

/**
 * Makes an open attempt due for polling now, after a callback from its provider.
 * @returns whether it was open
 */
export async function pollNow(db: Queryable, { team_id, id }: Pick<AttemptRow, 'team_id' | 'id'>, now: Date): Promise<boolean> {
  // `coalesce` hides the condition from the planner, which could look for the row in an index of all attempts that are open.
  const changed = await db.run(sql`
    update attempts set next_poll_at = ${now}
    where team_id = ${team_id} and id = ${id} and coalesce(status in ('created', 'open', 'unknown'), false)`);
  return changed > 0;
}

/**
 * Makes a closed attempt due for polling now, after a callback about it, if its provider may have it after all: it was turned away, closed
 * as never arrived, or resolved as failed by a person. Until the poll, its payment takes no other charge. The caller has locked the
 * payment.
 * @param since an attempt that ended earlier is left alone
 */
export async function pollDoubted(tx: Tx, { team_id, id }: AttemptRow, now: Date, since: Date): Promise<void> {
  await tx.run(sql`
    update attempts set next_poll_at = ${now}
    where team_id = ${team_id} and id = ${id} and closed_at >= ${since} and status <> 'succeeded'
      and (status = 'unavailable' or (status = 'expired' and reason = ${NEVER_ARRIVED}) or resolution->>'as' = 'failed')`);
}

/**
 * Stores the provider's reference of an attempt whose response was lost, unless another attempt of the same provider account
 * has that reference.
 * @param ref the reference from a callback
 * @param since lowest attempt id compared; older prompts have expired
 * @returns whether it was stored
 */
export async function storeReportedRef(tx: Tx, attempt: AttemptRow, ref: string, since: string): Promise<boolean> {
  const { team_id, id, provider_account } = attempt;
  // Serialises two attempts that are reported with the same reference at the same time: the second sees the first.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${ref}, ${team_id}))`);
  const stored = await tx.run(sql`
    update attempts set provider_ref = ${ref}
    where team_id = ${team_id} and id = ${id} and provider_ref is null and status <> 'succeeded'
      and not exists (select 1 from attempts o where o.team_id = ${team_id} and o.id >= ${since}
        and o.provider_account = ${provider_account} and o.provider_ref = ${ref})`);
  return stored === 1;
}

/** Provider references are indexed only while the attempt is open; our own identifiers are always indexed. */
function matching({ by, value }: AttemptReference): Fragment {
  switch (by) {
    case 'id':
      return clause`id = ${value}`;
    case 'provider_key':
      return clause`provider_key = ${value}`;
    case 'provider_ref':
      return clause`provider_ref = ${value} and status in ('created', 'open', 'unknown')`;
  }
}

/** How a callback identifies an attempt. `reported`: the provider reference that the callback reports. */
export type AttemptReference = { by: 'id' | 'provider_key' | 'provider_ref'; value: string; reported?: Subject };

/** Returns the newest attempt of a provider account that a callback identifies, or undefined. */
export function findBySubject(
  db: Queryable,
  team_id: bigint,
  account_id: string,
  subject: AttemptReference,
): Promise<AttemptRow | undefined> {
  return db.maybe<AttemptRow>(sql`
    select ${ATTEMPT_COLUMNS} from attempts where team_id = ${team_id} and provider_account = ${account_id} and ${matching(subject)}
    order by id desc limit 1`);
}

/**
 * Claims attempts whose next poll is due and moves that time past the lease, so that the attempts of a killed worker become due
 * again without intervention.
 * @param lease_ms milliseconds
 */
export function claimDueAttempts(
  db: Queryable,
  now: Date,
  lease_ms: number,
  limit: number,
  skip: readonly string[],
  turn: Turn = EVERY_TURN,
): Promise<AttemptRow[]> {
  return db.all<AttemptRow>(sql`
    update attempts set next_poll_at = ${new Date(now.getTime() + lease_ms)}, polls = polls + 1
    where (team_id, id) in (
      select k.team_id, k.id from ${shardsOf(turn)} cross join lateral (
        select team_id, id from attempts where ${IN_SHARD} and next_poll_at <= ${dueBefore(now, turn)} ${notAt(fixed('provider_account'), skip)}
        order by ${BY_SHARD}, next_poll_at limit ${limit} for update skip locked) k
      limit ${limit}
    ) returning ${ATTEMPT_COLUMNS}${BY_KEY}`);
}

/** Moves the next poll of charges in progress, and their submission time. */
export async function shiftAttempts(tx: Tx, { team_id, by_ms, now }: TimeShift): Promise<Shifted> {
  const row = await tx.maybe<Shifted>(sql`
    with moved as (
      update attempts set next_poll_at = next_poll_at - ${intervalOf(by_ms)}, submitted_at = submitted_at - ${intervalOf(by_ms)},
        unanswered_step_at = unanswered_step_at - ${intervalOf(by_ms)}
      where team_id = ${team_id} and status in ('created', 'open', 'unknown')
      returning next_poll_at
    ) ${countMoved(by_ms, now, part`next_poll_at`)}`);
  return must(row, 'a count returns a row');
}
