import { clause, fixed, type Queryable, sql } from '../../kit/sql.ts';
import type { Role } from './roles.ts';
import { soughtEmail } from './store.ts';

const columns = fixed('id, kind, email, user_id, team_id, role, invited_by, created_at, expires_at');

export type LinkKind = 'invitation' | 'reset' | 'sign_in';

export interface LinkRow {
  id: string;
  kind: LinkKind;
  email: string;
  user_id: string | null;
  team_id: bigint | null;
  role: Role | null;
  invited_by: string | null;
  created_at: Date;
  expires_at: Date;
}

export type NewLink = Omit<LinkRow, 'created_at' | 'expires_at'> & {
  /** The form that sent an invitation. */
  form_key?: string | null;
};

/**
 * Inserts a link.
 * @param lives_ms validity in milliseconds
 */
export async function insertLink(db: Queryable, link: NewLink, lives_ms: number): Promise<void> {
  const { id, kind, email, user_id, team_id, role, invited_by, form_key = null } = link;
  await db.run(sql`
    insert into user_links (id, kind, email, user_id, team_id, role, invited_by, form_key, created_at, expires_at)
    values (${id}, ${kind}, ${email}, ${user_id}, ${team_id}, ${role}, ${invited_by}, ${form_key}, pirogue_now(),
      pirogue_now() + ${lives_ms}::float8 * interval '1 ms')`);
}

/**
 * Inserts the link of a reset and queues its mail if the person exists. For an unknown address the statement is the same and takes
 * nearly the same time, so that the response time does not reveal who has an account.
 */
export async function insertReset(
  db: Queryable,
  { id, email, lives_ms, facts }: { id: string; email: string; lives_ms: number; facts: object },
): Promise<void> {
  await db.run(sql`
    with person as (select id, email, locale from users where lower(email) = lower(${soughtEmail(email)}) and disabled_at is null),
    link as (
      insert into user_links (id, kind, email, user_id, created_at, expires_at)
      select ${id}, 'reset', email, id, pirogue_now(), pirogue_now() + ${lives_ms}::float8 * interval '1 ms' from person
    )
    insert into user_mails (kind, facts, recipient, created_at, due_at)
    select 'reset', ${JSON.stringify(facts)}::jsonb || jsonb_strip_nulls(jsonb_build_object('language', locale)), email, pirogue_now(), pirogue_now()
    from person`);
}

/** A link is valid once, until it expires or is withdrawn, and only while neither its user nor its sender is disabled. */
const VALID = clause`used_at is null and revoked_at is null and expires_at > pirogue_now() and not exists (
  select from users u where u.id in (user_links.user_id, user_links.invited_by) and u.disabled_at is not null)`;

/** Finds a link that is valid. */
export function findOpenLink(db: Queryable, id: string): Promise<LinkRow | undefined> {
  return db.maybe<LinkRow>(sql`
    select ${columns} from user_links where id = ${id} and ${VALID}`);
}

/** Uses a valid link. Only one of two concurrent requests succeeds. */
export function useLink(db: Queryable, id: string): Promise<LinkRow | undefined> {
  return db.maybe<LinkRow>(sql`
    update user_links set used_at = pirogue_now() where id = ${id} and ${VALID}
    returning ${columns}`);
}

/** Withdraws the open links of a kind that were made for a person. */
export async function revokeLinks(db: Queryable, user_id: string, kind: LinkKind): Promise<void> {
  await db.run(sql`
    update user_links set revoked_at = pirogue_now()
    where user_id = ${user_id} and kind = ${kind} and used_at is null and revoked_at is null`);
}

/** Returns the open invitations of a team, the newest first. */
export function listInvitations(db: Queryable, team_id: bigint): Promise<LinkRow[]> {
  return db.all<LinkRow>(sql`
    select ${columns} from user_links
    where team_id = ${team_id} and kind = 'invitation' and used_at is null and revoked_at is null and expires_at > pirogue_now()
    order by created_at desc limit 200`);
}

/** Returns the latest invitation of a team to an address, whatever its state. */
export function findLastInvitation(
  db: Queryable,
  team_id: bigint,
  email: string,
): Promise<Pick<LinkRow, 'id' | 'role'> | undefined> {
  return db.maybe<Pick<LinkRow, 'id' | 'role'>>(sql`
    select id, role from user_links
    where team_id = ${team_id} and kind = 'invitation' and lower(email) = lower(${soughtEmail(email)})
    order by created_at desc limit 1`);
}

/** Returns the id of the invitation that a form of a team has sent, whatever its state. */
export async function findSent(db: Queryable, team_id: bigint, form_key: string): Promise<string | undefined> {
  const row = await db.maybe<{ id: string }>(sql`
    select id from user_links where team_id = ${team_id} and form_key = ${form_key}`);
  return row?.id;
}

/** Returns whether this form was the last one that sent an invitation of a team again. */
export async function wasResent(
  db: Queryable,
  { team_id, id }: { team_id: bigint; id: string },
  form_key: string,
): Promise<boolean> {
  const row = await db.maybe(sql`
    select 1 as found from user_links where id = ${id} and team_id = ${team_id} and resent_key = ${form_key}`);
  return row !== undefined;
}

/** Withdraws the open invitations of a team to an address. */
export async function revokeInvitationsTo(db: Queryable, team_id: bigint, email: string): Promise<void> {
  await db.run(sql`
    update user_links set revoked_at = pirogue_now()
    where team_id = ${team_id} and kind = 'invitation' and lower(email) = lower(${soughtEmail(email)})
      and used_at is null and revoked_at is null`);
}

/** Withdraws an open invitation of a team. */
export function revokeInvitation(db: Queryable, team_id: bigint, id: string): Promise<LinkRow | undefined> {
  return db.maybe<LinkRow>(sql`
    update user_links set revoked_at = pirogue_now()
    where id = ${id} and team_id = ${team_id} and kind = 'invitation' and used_at is null and revoked_at is null
    returning ${columns}`);
}

/**
 * Extends an open invitation of a team by a full period.
 * @param invited_by the person who sends it again: the invitation ends with their membership, not with that of the first sender
 * @param resent_key key of the form; null: none
 */
export function renewInvitation(
  db: Queryable,
  { team_id, id, invited_by, resent_key }: Pick<NewLink, 'team_id' | 'id' | 'invited_by'> & { resent_key: string | null },
  lives_ms: number,
): Promise<LinkRow | undefined> {
  return db.maybe<LinkRow>(sql`
    update user_links set invited_by = ${invited_by}, resent_key = ${resent_key}, expires_at = pirogue_now() + ${lives_ms}::float8 * interval '1 ms'
    where id = ${id} and team_id = ${team_id} and kind = 'invitation' and used_at is null and revoked_at is null
    returning ${columns}`);
}
