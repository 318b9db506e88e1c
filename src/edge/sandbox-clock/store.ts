import { part, type Queryable, sql } from '../../kit/sql.ts';

/*
 * Moving a team's clock changes every table with a scheduled time, including those of other slices. One module with all
 * tables is
 * easier to keep complete than one in each slice.
 */

/** Which rows are moved, by how much, and the current time. */
export interface Move {
  team_id: bigint;
  by_ms: number;
  now: Date;
}

/** How many scheduled times were moved, and how many of them became due. */
export interface Moved {
  moved: number;
  due: number;
}

const NOTHING: Moved = { moved: 0, due: 0 };

const span = (by_ms: number) => part`${by_ms}::float8 * interval '1 ms'`;

/**
 * Moves the expiry of payments that are not final, and the next tranche of those in tranches.
 * @param payment_id moves only this payment; all when absent
 */
export async function movePayments(tx: Queryable, { team_id, by_ms, now }: Move, payment_id?: string): Promise<Moved> {
  const alone = payment_id === undefined ? part`` : part`and id = ${payment_id}`;
  const row = await tx.maybe<Moved>(sql`
    with held as materialized (
      -- Locked in the order in which every change of payments locks them.
      select id from payments where team_id = ${team_id} and status in ('pending', 'processing', 'partial') ${alone}
      order by id for update
    ),
    moved as (
      update payments p set expires_at = p.expires_at - ${span(by_ms)}, continue_at = p.continue_at - ${span(by_ms)}
      from held where p.team_id = ${team_id} and p.id = held.id
      returning p.expires_at
    )
    select count(*)::integer as moved,
      (count(*) filter (where expires_at <= ${now} and expires_at + ${span(by_ms)} > ${now}))::integer as due
    from moved`);
  return row ?? NOTHING;
}

/** Moves the next poll of charges in progress, and their submission time. */
export async function moveAttempts(tx: Queryable, { team_id, by_ms, now }: Move): Promise<Moved> {
  const row = await tx.maybe<Moved>(sql`
    with moved as (
      update attempts set next_poll_at = next_poll_at - ${span(by_ms)}, submitted_at = submitted_at - ${span(by_ms)}
      where team_id = ${team_id} and status in ('created', 'open', 'unknown')
      returning next_poll_at
    ) ${summary(by_ms, now, part`next_poll_at`)}`);
  return row ?? NOTHING;
}

/** Moves the next poll of refunds, and their submission time. */
export async function moveRefunds(tx: Queryable, { team_id, by_ms, now }: Move): Promise<Moved> {
  const row = await tx.maybe<Moved>(sql`
    with moved as (
      update refunds set next_poll_at = next_poll_at - ${span(by_ms)}, submitted_at = submitted_at - ${span(by_ms)}
      where team_id = ${team_id} and next_poll_at is not null
      returning next_poll_at
    ) ${summary(by_ms, now, part`next_poll_at`)}`);
  return row ?? NOTHING;
}

/** Moves the next poll of transfers, and their dispatch time. */
export async function moveTransfers(tx: Queryable, { team_id, by_ms, now }: Move): Promise<Moved> {
  const row = await tx.maybe<Moved>(sql`
    with moved as (
      update transfers set next_poll_at = next_poll_at - ${span(by_ms)}, dispatched_at = dispatched_at - ${span(by_ms)}
      where team_id = ${team_id} and status = 'processing'
      returning next_poll_at
    ) ${summary(by_ms, now, part`next_poll_at`)}`);
  return row ?? NOTHING;
}

/** Moves the end of the retention of collected money. */
export async function moveHolds(tx: Queryable, { team_id, by_ms, now }: Move): Promise<Moved> {
  const row = await tx.maybe<Moved>(sql`
    with moved as (
      update settlement_items set release_at = release_at - ${span(by_ms)}
      where team_id = ${team_id} and released_at is null
      returning release_at
    ) ${summary(by_ms, now, part`release_at`)}`);
  return row ?? NOTHING;
}

/** Moves deliveries that wait for a retry, by endpoint to use the index. It uses the database's clock, as the sender does. */
export async function moveDeliveries(tx: Queryable, { team_id, by_ms }: Move): Promise<Moved> {
  const row = await tx.maybe<Moved>(sql`
    with moved as (
      update deliveries set due_at = due_at - ${span(by_ms)}
      where team_id = ${team_id} and due_at > pirogue_now()
        and endpoint_id in (select id from webhook_endpoints where team_id = ${team_id})
      returning due_at
    ) ${summary(by_ms, part`pirogue_now()`, part`due_at`)}`);
  return row ?? NOTHING;
}

type Woven = ReturnType<typeof part>;

function summary(by_ms: number, now: Date | Woven, moment: Woven): Woven {
  return part`select count(*)::integer as moved,
    (count(*) filter (where ${moment} <= ${now} and ${moment} + ${span(by_ms)} > ${now}))::integer as due from moved`;
}
