import { type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { Role } from './roles.ts';
import { soughtEmail, withdrawInvitationsTo } from './store.ts';

/** A person in the list of a team. */
export interface Member {
  user_id: string;
  name: string;
  email: string;
  role: Role;
  joined_at: Date;
  /** Whether they have a factor beside the password. */
  second_factor: boolean;
  disabled_at: Date | null;
  /** Last use of a session; null: no session is stored. */
  seen_at: Date | null;
}

const MAX_MEMBERS = 500;

/** Returns the people of a team, by name. */
export function listMembers(db: Queryable, team_id: bigint): Promise<Member[]> {
  return db.all<Member>(sql`
    select m.user_id, u.name, u.email, m.role, m.created_at as joined_at, u.disabled_at,
      u.totp_sealed is not null or exists (select from passkeys p where p.user_id = u.id) as second_factor,
      (select max(s.seen_at) from console_sessions s where s.user_id = u.id) as seen_at
    from memberships m join users u on u.id = m.user_id
    where m.team_id = ${team_id} order by lower(u.name), m.user_id limit ${MAX_MEMBERS}`);
}

/** A member whose row is locked. */
export interface LockedMember {
  user_id: string;
  role: Role;
  joined_at: Date;
  disabled: boolean;
}

/**
 * Locks the memberships of a team until the transaction ends and returns them, so that two concurrent changes cannot remove the last
 * two owners. A transaction that also locks an approval locks it before, and a key after.
 */
export function lockMembers(tx: Tx, team_id: bigint): Promise<LockedMember[]> {
  return tx.all<LockedMember>(sql`
    select m.user_id, m.role, m.created_at as joined_at, u.disabled_at is not null as disabled
    from memberships m join users u on u.id = m.user_id
    where m.team_id = ${team_id} order by m.user_id for update of m`);
}

/**
 * Returns a member, and locks all memberships as {@link lockMembers} does: transactions that lock some of them, in different orders or
 * modes, can deadlock.
 */
export async function lockMember(tx: Tx, team_id: bigint, user_id: string): Promise<LockedMember | undefined> {
  return (await lockMembers(tx, team_id)).find((member) => member.user_id === user_id);
}

/** A person who may decide on approvals. */
export interface Approver {
  user_id: string;
  email: string;
  locale: string | null;
}

/** Returns the people of a team who have one of these roles and are not disabled. */
export function listApprovers(db: Queryable, team_id: bigint, roles: readonly Role[]): Promise<Approver[]> {
  return db.all<Approver>(sql`
    select m.user_id, u.email, u.locale from memberships m join users u on u.id = m.user_id
    where m.team_id = ${team_id} and m.role = any(${roles}::text[]) and u.disabled_at is null order by m.user_id limit ${MAX_MEMBERS}`);
}

/** Sets the role of a member. */
export async function updateRole(tx: Tx, team_id: bigint, user_id: string, role: Role): Promise<void> {
  await tx.run(sql`update memberships set role = ${role} where team_id = ${team_id} and user_id = ${user_id}`);
}

/** Removes a person from a team, and withdraws the open invitations to it that they have sent or received. */
export async function deleteMember(tx: Tx, team_id: bigint, user_id: string): Promise<void> {
  await tx.run(sql`delete from memberships where team_id = ${team_id} and user_id = ${user_id}`);
  await withdrawInvitationsOf(tx, team_id, user_id);
  await withdrawInvitationsTo(tx, team_id, user_id);
}

/** Withdraws the open invitations that a person has sent for a team. */
export async function withdrawInvitationsOf(tx: Tx, team_id: bigint, user_id: string): Promise<void> {
  await tx.run(sql`
    update user_links set revoked_at = pirogue_now()
    where team_id = ${team_id} and kind = 'invitation' and invited_by = ${user_id} and used_at is null and revoked_at is null`);
}

/** Returns whether a person with this e-mail address is in a team. */
export async function isMember(db: Queryable, team_id: bigint, email: string): Promise<boolean> {
  const row = await db.maybe(sql`
    select 1 as found from memberships m join users u on u.id = m.user_id where m.team_id = ${team_id} and lower(u.email) = lower(${soughtEmail(email)})`);
  return row !== undefined;
}

/** A team in the list of the operator. */
export interface TeamLine {
  id: bigint;
  name: string;
  email: string;
  plan: string;
  verification_level: number;
  members: number;
  created_at: Date;
}

/**
 * Returns teams with the number of their people, in the order of their random ids, so that the primary key serves the paging.
 * @param before the team after which the list continues; null: its beginning
 */
export function listTeamLines(db: Queryable, before: bigint | null, limit: number): Promise<TeamLine[]> {
  return db.all<TeamLine>(sql`
    select t.id, t.name, t.email, t.plan, t.verification_level, t.created_at,
      (select count(*)::integer from memberships m where m.team_id = t.id) as members
    from teams t where (${before}::bigint is null or t.id < ${before}) order by t.id desc limit ${limit}`);
}

/** A person as the command line lists them. */
export interface UserLine {
  id: string;
  email: string;
  name: string;
  operator: boolean;
  disabled_at: Date | null;
  created_at: Date;
  teams: number;
  second_factor: boolean;
}

/**
 * Returns people, the newest first.
 * @param team_id only the members of this team; null: everybody
 */
export function listUsers(db: Queryable, team_id: bigint | null, limit: number): Promise<UserLine[]> {
  return db.all<UserLine>(sql`
    select u.id, u.email, u.name, u.operator, u.disabled_at, u.created_at,
      (select count(*)::integer from memberships m where m.user_id = u.id) as teams,
      u.totp_sealed is not null or exists (select from passkeys p where p.user_id = u.id) as second_factor
    from users u
    where (${team_id}::bigint is null or exists (select from memberships m where m.user_id = u.id and m.team_id = ${team_id}))
    order by u.id desc limit ${limit}`);
}
