import type { Environment } from '../../kit/environment.ts';
import { fixed, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { Team } from '../teams/schema.ts';
import type { KeyKind } from './caller.ts';

const columns = fixed(`id, team_id, environment, kind, last4, scopes, allowed_ips, active, expires_at, revoked_at, created_at`);

export interface KeyRow {
  id: string;
  team_id: bigint;
  environment: Environment;
  kind: KeyKind;
  last4: string;
  scopes: string[];
  allowed_ips: string[];
  active: boolean;
  expires_at: Date | null;
  revoked_at: Date | null;
  created_at: Date;
}

export type KeyWithTeam = KeyRow & { team: Team };

/** Returns a key and its team in one round trip, regardless of the key's state. */
export async function findKey(db: Queryable, hash: Buffer): Promise<KeyWithTeam | undefined> {
  const row = await db.maybe<KeyRow & Omit<Team, 'id'>>(sql`
    select k.id, k.team_id, k.environment, k.kind, k.last4, k.scopes, k.allowed_ips, k.active, k.expires_at, k.revoked_at, k.created_at,
      t.name, t.email, t.plan, t.verification_level, t.default_currency, t.unique_references, t.hosted_retry,
      t.api_version, t.public_keys
    from api_keys k join teams t on t.id = k.team_id where k.hash = ${hash}`);
  if (!row) return undefined;
  const { name, email, plan, verification_level, default_currency, unique_references, ...others } = row;
  const { hosted_retry, api_version, public_keys, ...key } = others;
  const team = { id: row.team_id, name, email, plan, verification_level, default_currency, unique_references };
  return { ...key, team: { ...team, hosted_retry, api_version, public_keys } };
}

/**
 * Returns the teams whose usable public keys for live may do more than pay, ordered by id.
 * @param at time at which a key has to be usable
 */
export async function findTeamsWithOpenKeys(db: Queryable, at: Date, limit: number): Promise<bigint[]> {
  const rows = await db.all<{ id: bigint }>(sql`
    select id from teams t where public_keys = 'contract' and exists (
      select from api_keys k where k.team_id = t.id and k.kind = 'public' and k.environment = 'live' and k.active
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${at}))
    order by id limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** Returns the kind of the key with this id, regardless of its state; undefined when there is none. */
export async function findKeyKind(db: Queryable, id: string): Promise<KeyKind | undefined> {
  return (await db.maybe<{ kind: KeyKind }>(sql`select kind from api_keys where id = ${id}`))?.kind;
}

export type NewKeyRow = Omit<KeyRow, 'active' | 'revoked_at'> & { hash: Buffer; idempotency_key?: string | null };

/**
 * Inserts a key.
 * @returns false when there is one with this hash, or one that the team made with this idempotency key
 */
export async function insertKey(db: Queryable, key: NewKeyRow): Promise<boolean> {
  const inserted = await db.run(sql`
    insert into api_keys (id, team_id, hash, environment, kind, last4, scopes, allowed_ips, expires_at, created_at, idempotency_key)
    values (${key.id}, ${key.team_id}, ${key.hash}, ${key.environment}, ${key.kind}, ${key.last4}, ${key.scopes}, ${key.allowed_ips},
      ${key.expires_at}, ${key.created_at}, ${key.idempotency_key ?? null})
    on conflict do nothing`);
  return inserted === 1;
}

/** Returns whether a team made a key with this idempotency key. */
export async function isKeyMade(db: Queryable, team_id: bigint, idempotency_key: string): Promise<boolean> {
  const row = await db.maybe(sql`
    select 1 as found from api_keys where team_id = ${team_id} and idempotency_key = ${idempotency_key}`);
  return row !== undefined;
}

/** Key of a team in an environment. */
export interface KeyRef {
  team_id: bigint;
  environment: Environment;
  id: string;
}

/** Returns the keys of a team in an environment: those that are not revoked first, then the newest first. */
export function listTeamKeys(
  db: Queryable,
  { team_id, environment, limit }: Omit<KeyRef, 'id'> & { limit: number },
): Promise<KeyRow[]> {
  return db.all<KeyRow>(sql`
    select ${columns}
    from api_keys where team_id = ${team_id} and environment = ${environment}
    order by revoked_at is not null, created_at desc, id limit ${limit}`);
}

/** Returns a key of a team, regardless of its state. */
export function findTeamKey(db: Queryable, { team_id, environment, id }: KeyRef): Promise<KeyRow | undefined> {
  return db.maybe<KeyRow>(sql`
    select ${columns}
    from api_keys where id = ${id} and team_id = ${team_id} and environment = ${environment}`);
}

/** Returns a key of a team and locks it until the transaction ends. */
export function lockTeamKey(tx: Tx, { team_id, environment, id }: KeyRef): Promise<KeyRow | undefined> {
  return tx.maybe<KeyRow>(sql`
    select ${columns}
    from api_keys where id = ${id} and team_id = ${team_id} and environment = ${environment} for update`);
}

/** Ends a key at a time, unless it ends before. */
export async function expireKey(db: Queryable, id: string, at: Date): Promise<void> {
  await db.run(sql`update api_keys set expires_at = least(coalesce(expires_at, ${at}), ${at}) where id = ${id}`);
}

/** Lists keys, newest first; those of all teams when no team is given. */
export function listKeys(db: Queryable, { team_id, limit }: { team_id: bigint | undefined; limit: number }): Promise<KeyRow[]> {
  return db.all<KeyRow>(sql`
    select ${columns}
    from api_keys where ${team_id}::bigint is null or team_id = ${team_id} order by created_at desc, id limit ${limit}`);
}

const MAX_ENDING = 20;

/** Returns the usable keys of a team whose expiry is within a period, soonest first. */
export function keysEnding(
  db: Queryable,
  { team_id, environment }: Pick<KeyRow, 'team_id' | 'environment'>,
  { from, to }: { from: Date; to: Date },
): Promise<(Pick<KeyRow, 'id' | 'last4'> & { expires_at: Date })[]> {
  return db.all(sql`
    select id, last4, expires_at from api_keys
    where team_id = ${team_id} and environment = ${environment} and active and revoked_at is null
      and expires_at between ${from} and ${to}
    order by expires_at, id limit ${MAX_ENDING}`);
}

/**
 * Activates or deactivates a key; a revoked key stays revoked.
 * @returns undefined when there is no such key
 */
export function switchKey(db: Queryable, id: string, active: boolean): Promise<KeyRow | undefined> {
  return db.maybe<KeyRow>(sql`
    update api_keys set active = ${active} where id = ${id}
    returning ${columns}`);
}

/**
 * Revokes a key. A repeated revocation keeps the first time.
 * @returns undefined when there is no such key
 */
export function revokeKey(db: Queryable, id: string, at: Date): Promise<KeyRow | undefined> {
  return db.maybe<KeyRow>(sql`
    update api_keys set revoked_at = coalesce(revoked_at, ${at}) where id = ${id}
    returning ${columns}`);
}
