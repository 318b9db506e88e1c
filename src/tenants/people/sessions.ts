import { randomBase62, sha256 } from '../../kit/crypto.ts';
import { newId } from '../../kit/ids.ts';
import type { Queryable } from '../../kit/sql.ts';
import type { Session } from './schema.ts';
import { findSession, insertSession, touchSession } from './session-store.ts';

/** Time without use after which a session ends. */
export const IDLE_MS = 2 * 3_600_000;
/** Age at which a session ends, used or not. */
export const ABSOLUTE_MS = 12 * 3_600_000;
/** Age of the last factor up to which it counts as fresh. */
export const FRESH_MS = 10 * 60_000;
/** Minimum time between two writes of a session's last use. */
const TOUCH_MS = 60_000;
const MAX_AGENT = 300;

/** Form of a session's cookie: 256 random bits in base 62. The database has only their hash. */
const COOKIE_FORM = /^[0-9A-Za-z]{43}$/;

/**
 * Opens a session.
 * @param at milliseconds since the epoch, for its id
 * @returns the value of its cookie
 */
export async function openSession(
  db: Queryable,
  user_id: string,
  from: { address: string | null; agent: string; browser?: string },
  at: number,
): Promise<{ id: string; cookie: string }> {
  const cookie = randomBase62(43);
  const id = newId('ses', 'live', at);
  const agent = from.agent.slice(0, MAX_AGENT);
  const browser = from.browser === undefined ? null : sha256(from.browser);
  await insertSession(db, { id, user_id, hash: sha256(cookie), address: from.address, agent, browser, ends_ms: ABSOLUTE_MS });
  return { id, cookie };
}

/** Returns the session of a cookie; null when there is none, or it has ended. */
export async function readSession(db: Queryable, cookie: string | undefined): Promise<Session | null> {
  if (cookie === undefined || !COOKIE_FORM.test(cookie)) return null;
  const row = await findSession(db, sha256(cookie), IDLE_MS);
  if (!row) return null;
  if (row.idle_ms > TOUCH_MS) await touchSession(db, row.id);
  const { id, user_id, email, name, locale, operator, disabled_at, created_at, proved_at } = row;
  return {
    id,
    user: { id: user_id, email, name, locale, operator, disabled_at },
    memberships: row.memberships.map((one) => ({ ...one, team_id: BigInt(one.team_id) })),
    created_at: created_at.getTime(),
    proved_at: proved_at.getTime(),
  };
}
