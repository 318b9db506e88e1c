import { type Queryable, sql } from '../../kit/sql.ts';
import type { Role } from './roles.ts';
import type { User } from './schema.ts';

/** How long sessions are kept after their end. */
export const SESSIONS_KEEP_MS = 90 * 86_400_000;

export interface NewSession {
  id: string;
  user_id: string;
  hash: Buffer;
  address: string | null;
  agent: string;
  /** SHA-256 of the browser's own cookie. */
  browser: Buffer | null;
  ends_ms: number;
}

/** Inserts a session. */
export async function insertSession(db: Queryable, session: NewSession): Promise<void> {
  const { id, user_id, hash, address, agent, browser, ends_ms } = session;
  await db.run(sql`
    insert into console_sessions (id, user_id, hash, address, agent, browser, created_at, seen_at, proved_at, ends_at)
    values (${id}, ${user_id}, ${hash}, ${address}, ${agent}, ${browser}, pirogue_now(), pirogue_now(), pirogue_now(),
      pirogue_now() + ${ends_ms}::float8 * interval '1 ms')`);
}

export type SessionRow = Omit<User, 'id'> & {
  id: string;
  user_id: string;
  created_at: Date;
  proved_at: Date;
  /** Milliseconds since the session was last seen. */
  idle_ms: number;
  memberships: { team_id: string; team_name: string; role: Role }[];
};

/** Finds a session that is neither ended nor revoked nor idle for too long, with its user and their teams, in one round trip. */
export function findSession(db: Queryable, hash: Buffer, idle_ms: number): Promise<SessionRow | undefined> {
  return db.maybe<SessionRow>(sql`
    select s.id, s.user_id, s.created_at, s.proved_at, (extract(epoch from pirogue_now() - s.seen_at) * 1000)::float8 as idle_ms,
      u.email, u.name, u.locale, u.operator, u.disabled_at,
      coalesce((select json_agg(json_build_object('team_id', m.team_id::text, 'team_name', t.name, 'role', m.role) order by t.name, m.team_id)
        from memberships m join teams t on t.id = m.team_id where m.user_id = s.user_id), '[]') as memberships
    from console_sessions s join users u on u.id = s.user_id
    where s.hash = ${hash} and s.revoked_at is null and s.ends_at > pirogue_now() and u.disabled_at is null
      and s.seen_at > pirogue_now() - ${idle_ms}::float8 * interval '1 ms'`);
}

/** Records that a session was used just now. */
export async function touchSession(db: Queryable, id: string): Promise<void> {
  await db.run(sql`update console_sessions set seen_at = pirogue_now() where id = ${id}`);
}

/** Returns when the person last presented a factor in a session that was not revoked, in milliseconds since the epoch; 0 for none. */
export async function provedAt(db: Queryable, id: string): Promise<number> {
  const row = await db.maybe<{ proved_at: Date }>(sql`
    select proved_at from console_sessions where id = ${id} and revoked_at is null`);
  return row?.proved_at.getTime() ?? 0;
}

/** Returns the role in a team of the person with this session; undefined when the session has ended, or does not exist. */
export async function roleInSession(db: Queryable, id: string, team_id: bigint): Promise<Role | undefined> {
  const row = await db.maybe<{ role: Role }>(sql`
    select m.role from console_sessions s join users u on u.id = s.user_id
      join memberships m on m.user_id = s.user_id and m.team_id = ${team_id}
    where s.id = ${id} and s.revoked_at is null and s.ends_at > pirogue_now() and u.disabled_at is null`);
  return row?.role;
}

/** Records that the person presented a factor just now. */
export async function proveSession(db: Queryable, id: string): Promise<void> {
  await db.run(sql`update console_sessions set proved_at = pirogue_now(), seen_at = pirogue_now() where id = ${id}`);
}

/**
 * Ends sessions of a user.
 * @param except the session that stays
 */
export function revokeSessions(db: Queryable, user_id: string, except: string | null = null): Promise<number> {
  return db.run(sql`
    update console_sessions set revoked_at = pirogue_now()
    where user_id = ${user_id} and revoked_at is null and id is distinct from ${except}`);
}

/** Ends one session of a user. */
export async function revokeSession(db: Queryable, user_id: string, id: string): Promise<boolean> {
  return (
    (await db.run(sql`
      update console_sessions set revoked_at = pirogue_now()
      where user_id = ${user_id} and id = ${id} and revoked_at is null`)) === 1
  );
}

/** A session as its owner sees it in the list. */
export interface ListedSession {
  id: string;
  address: string | null;
  agent: string;
  created_at: Date;
  seen_at: Date;
}

/** Returns the open sessions of a user, the last used first. */
export function listSessions(db: Queryable, user_id: string, idle_ms: number): Promise<ListedSession[]> {
  return db.all<ListedSession>(sql`
    select id, address, agent, created_at, seen_at from console_sessions
    where user_id = ${user_id} and revoked_at is null and ends_at > pirogue_now()
      and seen_at > pirogue_now() - ${idle_ms}::float8 * interval '1 ms'
    order by seen_at desc, id limit 100`);
}

/**
 * Returns whether a person has signed in before, and whether in this browser. Old sessions are deleted, so a person who was created
 * before the retention period counts as one who has signed in.
 */
export async function earlierSessions(db: Queryable, user_id: string, browser: Buffer): Promise<{ any: boolean; here: boolean }> {
  const [row] = await db.all<{ any: boolean; here: boolean }>(sql`
    select exists (select from console_sessions where user_id = ${user_id})
        or exists (select from users where id = ${user_id} and created_at < pirogue_now() - ${SESSIONS_KEEP_MS}::float8 * interval '1 ms') as any,
      exists (select from console_sessions where user_id = ${user_id} and browser = ${browser}) as here`);
  return row ?? { any: false, here: false };
}
