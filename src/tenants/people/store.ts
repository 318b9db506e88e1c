import { type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { Role } from './roles.ts';
import type { Membership, UserRow } from './schema.ts';

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

/** Returns a user by id. */
export function findUser(db: Queryable, id: string): Promise<UserRow | undefined> {
  return db.maybe<UserRow>(sql`
    select id, email, name, password, totp_sealed, totp_step, locale, operator, disabled_at from users where id = ${id}`);
}

/**
 * Returns a person, locked until the transaction ends, so that sign-ins and changes of factors take place one after the other. It is
 * the first lock of both, except for the row of a passkey.
 */
export function lockUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  // Not `for update`, which would block new rows that refer to the person.
  return tx.maybe<UserRow>(sql`
    select id, email, name, password, totp_sealed, totp_step, locale, operator, disabled_at from users where id = ${id} for no key update`);
}

/**
 * Returns an e-mail address as it is looked up, in the case in which its attempts are counted. PostgreSQL alone would also find it under
 * spellings that are counted separately: it treats `İ` as `i`.
 */
export function soughtEmail(email: string): string {
  return email.toLowerCase();
}

/** Finds a user by e-mail address, without regard to case. */
export function findUserByEmail(db: Queryable, email: string): Promise<UserRow | undefined> {
  return db.maybe<UserRow>(sql`
    select id, email, name, password, totp_sealed, totp_step, locale, operator, disabled_at from users where lower(email) = lower(${soughtEmail(email)})`);
}

/**
 * Adds a person to a team, and withdraws the open invitations of the team to them: one could be used after the person has left the team.
 * @returns false when the person is in the team already; they keep the role
 */
export async function insertMembership(db: Queryable, team_id: bigint, user_id: string, role: Role): Promise<boolean> {
  const inserted = await db.run(sql`
    insert into memberships (team_id, user_id, role) values (${team_id}, ${user_id}, ${role}) on conflict do nothing`);
  await withdrawInvitationsTo(db, team_id, user_id);
  return inserted === 1;
}

/** Withdraws the open invitations of a team to the address of a person. */
export async function withdrawInvitationsTo(db: Queryable, team_id: bigint, user_id: string): Promise<void> {
  await db.run(sql`
    update user_links set revoked_at = pirogue_now()
    where team_id = ${team_id} and kind = 'invitation' and lower(email) = (select lower(email) from users where id = ${user_id})
      and used_at is null and revoked_at is null`);
}

/** Returns the teams of a person, by name. */
export function listMemberships(db: Queryable, user_id: string): Promise<Membership[]> {
  return db.all<Membership>(sql`
    select m.team_id, t.name as team_name, m.role from memberships m join teams t on t.id = m.team_id
    where m.user_id = ${user_id} order by t.name, m.team_id limit 200`);
}

/** Returns the teams of which the person is an owner and no owner can sign in, by name. */
export function listTeamsWithoutOwner(db: Queryable, user_id: string): Promise<Pick<Membership, 'team_id' | 'team_name'>[]> {
  return db.all<Pick<Membership, 'team_id' | 'team_name'>>(sql`
    select m.team_id, t.name as team_name from memberships m join teams t on t.id = m.team_id
    where m.user_id = ${user_id} and m.role = 'owner' and not exists (
      select from memberships o join users u on u.id = o.user_id
      where o.team_id = m.team_id and o.role = 'owner' and u.disabled_at is null)
    order by t.name, m.team_id limit 200`);
}

/** Stores a new password hash. */
export async function setPassword(db: Queryable, id: string, password: string): Promise<void> {
  await db.run(sql`update users set password = ${password}, updated_at = pirogue_now() where id = ${id}`);
}

/** Stores the name and the language of a person. */
export async function setProfile(db: Queryable, id: string, profile: { name: string; locale: string | null }): Promise<void> {
  await db.run(
    sql`update users set name = ${profile.name}, locale = ${profile.locale}, updated_at = pirogue_now() where id = ${id}`,
  );
}

/** Disables a user, or enables one again. */
export async function setDisabled(db: Queryable, id: string, disabled: boolean): Promise<void> {
  await db.run(sql`
    update users set disabled_at = case when ${disabled} then coalesce(disabled_at, pirogue_now()) end, updated_at = pirogue_now()
    where id = ${id}`);
}

/** A person who tries to sign in, and whether this browser has been used by them before. */
export type SignInRow = UserRow & { known_browser: boolean };

/** Returns the person who signs in with this e-mail address. */
export function findSignIn(db: Queryable, email: string, browser: Buffer): Promise<SignInRow | undefined> {
  return db.maybe<SignInRow>(sql`
    select id, email, name, password, totp_sealed, totp_step, locale, operator, disabled_at,
      exists (select from console_sessions s where s.user_id = users.id and s.browser = ${browser}) as known_browser
    from users where lower(email) = lower(${soughtEmail(email)})`);
}
