import { type Queryable, sql } from '../../kit/sql.ts';
import type { AttemptRow } from './schema.ts';

/** Returns the attempts to deliver these events, oldest first. They are deleted after a retention period. */
export function attemptsOfEvents(
  db: Queryable,
  team_id: bigint,
  event_ids: readonly string[],
  limit: number,
): Promise<AttemptRow[]> {
  return db.all<AttemptRow>(sql`
    select id, endpoint_id, event_id, event_type, attempt, succeeded, response_status, response_body, error, duration_ms,
      next_attempt_at, created_at
    from delivery_attempts
    where team_id = ${team_id} and event_id = any(${event_ids}::text[]) order by id limit ${limit}`);
}

/** A delivery that has not ended. */
export interface WaitingDelivery {
  event_id: string;
  endpoint_id: string;
  /** Number of attempts so far. */
  tries: number;
  /** Time of the next attempt. */
  due_at: Date;
}

/** Returns the deliveries of these events that have not ended, by their next attempt. */
export function waitingOfEvents(
  db: Queryable,
  team_id: bigint,
  event_ids: readonly string[],
  limit: number,
): Promise<WaitingDelivery[]> {
  return db.all<WaitingDelivery>(sql`
    select event_id, endpoint_id, tries, due_at from deliveries
    where event_id = any(${event_ids}::text[]) and team_id = ${team_id} order by due_at limit ${limit}`);
}
