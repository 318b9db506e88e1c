import type { Environment } from '../../kit/environment.ts';
import { type Queryable, sql } from '../../kit/sql.ts';
import type { Team } from '../teams/schema.ts';
import type { KeyKind } from './caller.ts';

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

export async function insertKey(db: Queryable, key: Omit<KeyRow, 'active' | 'revoked_at'> & { hash: Buffer }): Promise<void> {
  await db.run(sql`
    insert into api_keys (id, team_id, hash, environment, kind, last4, scopes, allowed_ips, expires_at, created_at)
    values (${key.id}, ${key.team_id}, ${key.hash}, ${key.environment}, ${key.kind}, ${key.last4}, ${key.scopes}, ${key.allowed_ips},
      ${key.expires_at}, ${key.created_at})
    on conflict (hash) do nothing`);
}

/** Lists keys, newest first; those of all teams when no team is given. */
export function listKeys(db: Queryable, { team_id, limit }: { team_id: bigint | undefined; limit: number }): Promise<KeyRow[]> {
  return db.all<KeyRow>(sql`
    select id, team_id, environment, kind, last4, scopes, allowed_ips, active, expires_at, revoked_at, created_at
    from api_keys where ${team_id}::bigint is null or team_id = ${team_id} order by created_at desc, id limit ${limit}`);
}

/**
 * Activates or deactivates a key; a revoked key stays revoked.
 * @returns undefined when there is no such key
 */
export function switchKey(db: Queryable, id: string, active: boolean): Promise<KeyRow | undefined> {
  return db.maybe<KeyRow>(sql`
    update api_keys set active = ${active} where id = ${id}
    returning id, team_id, environment, kind, last4, scopes, allowed_ips, active, expires_at, revoked_at, created_at`);
}

/**
 * Revokes a key. A repeated revocation keeps the first time.
 * @returns undefined when there is no such key
 */
export function revokeKey(db: Queryable, id: string, at: Date): Promise<KeyRow | undefined> {
  return db.maybe<KeyRow>(sql`
    update api_keys set revoked_at = coalesce(revoked_at, ${at}) where id = ${id}
    returning id, team_id, environment, kind, last4, scopes, allowed_ips, active, expires_at, revoked_at, created_at`);
}
