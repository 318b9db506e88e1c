import { type Queryable, sql } from '../../kit/sql.ts';
import type { Role } from './roles.ts';
import type { Membership, User, UserRow } from './schema.ts';

export type NewUser = Pick<UserRow, 'id' | 'email' | 'name' | 'password' | 'locale' | 'operator'>;

/**
 * Inserts a user.
 * @returns false when the e-mail address belongs to another user
 */
export async function insertUser(db: Queryable, user: NewUser): Promise<boolean> {
  const { id, email, name, password, locale, operator } = user;
  return (
    (await db.run(sql`
      insert into users (id, email, name, password, locale, operator) values (${id}, ${email}, ${name}, ${password}, ${locale}, ${operator})
      on conflict (lower(email)) do nothing`)) === 1
  );
}

export function findUser(db: Queryable, id: string): Promise<UserRow | undefined> {
  return db.maybe<UserRow>(sql`
    select id, email, name, password, totp, totp_step, locale, operator, disabled_at from users where id = ${id}`);
}

/** Finds a user by e-mail address, without regard to case. */
export function findUserByEmail(db: Queryable, email: string): Promise<UserRow | undefined> {
  return db.maybe<UserRow>(sql`
    select id, email, name, password, totp, totp_step, locale, operator, disabled_at from users where lower(email) = lower(${email})`);
}

/** Adds a person to a team; one who is in it already keeps the role. */
export async function insertMembership(db: Queryable, team_id: bigint, user_id: string, role: Role): Promise<boolean> {
  return (
    (await db.run(sql`
      insert into memberships (team_id, user_id, role) values (${team_id}, ${user_id}, ${role}) on conflict do nothing`)) === 1
  );
}

/** Returns the teams of a person, by name. */
export function listMemberships(db: Queryable, user_id: string): Promise<Membership[]> {
  return db.all<Membership>(sql`
    select m.team_id, t.name as team_name, m.role from memberships m join teams t on t.id = m.team_id
    where m.user_id = ${user_id} order by t.name, m.team_id limit 200`);
}

export interface NewSession {
  id: string;
  user_id: string;
  hash: Buffer;
  address: string | null;
  agent: string;
  ends_ms: number;
}

export async function insertSession(db: Queryable, session: NewSession): Promise<void> {
  const { id, user_id, hash, address, agent, ends_ms } = session;
  await db.run(sql`
    insert into console_sessions (id, user_id, hash, address, agent, created_at, seen_at, proved_at, ends_at)
    values (${id}, ${user_id}, ${hash}, ${address}, ${agent}, pirogue_now(), pirogue_now(), pirogue_now(),
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

/** Notes that a session was used just now. */
export async function touchSession(db: Queryable, id: string): Promise<void> {
  await db.run(sql`update console_sessions set seen_at = pirogue_now() where id = ${id}`);
}

/** Notes that the person presented a factor just now. */
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
