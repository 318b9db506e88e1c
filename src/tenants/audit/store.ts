import { jsonText } from '../../kit/json.ts';
import { allOf, fixed, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { type Chain, sealOf } from '../../platform/chain/store.ts';
import { CONTROL_ENTRIES } from './chains.ts';
import { type Actor, WORKER } from './actor.ts';
import type { Action } from './actions.ts';
import type { Act } from './record.ts';

/** An entry as it is stored, with the seal that covers it (null: not sealed yet). */
export interface EntryRow {
  team_id: bigint | null;
  id: bigint;
  tx: string;
  created_at: Date;
  actor: Actor['kind'];
  actor_id: string | null;
  request_id: string | null;
  address: string | null;
  action: string;
  resource_id: string;
  seal: string | null;
}

/** Inserts entries in their order. */
export async function insertEntries(tx: Tx, entries: readonly (Act & { by: Actor })[]): Promise<void> {
  const rows = entries.map(({ at, by, ...act }) => {
    return { ...act, created_at: new Date(at), actor: by.kind, actor_id: by.id, request_id: by.request_id, address: by.address };
  });
  await tx.run(sql`
    insert into audit_entries (team_id, created_at, actor, actor_id, request_id, address, action, resource_id)
    select * from json_to_recordset(${jsonText(rows)}::json) as e(team_id bigint, created_at timestamptz, actor text, actor_id text,
      request_id text, address text, action text, resource_id text)`);
}

/** SQL: inserts the entries of the worker that the CTE `audit_input` (team_id, action, resource_id) holds, at the current time. */
export const INSERT_WORKER_ENTRIES = fixed(`
  insert into audit_entries (team_id, created_at, actor, action, resource_id)
  select team_id, pirogue_now(), '${WORKER.kind}', action, resource_id from audit_input`);

/** Search conditions; fields left out do not restrict the search. */
export interface Wanted {
  team_id?: bigint | undefined;
  resource_id?: string | undefined;
  action?: string | undefined;
  /** Key, operator or user; a user's entries name the session too. */
  actor_id?: string | undefined;
  request_id?: string | undefined;
  since?: Date | undefined;
}

/**
 * Returns the matching entries, newest first.
 * @param chain the trail whose seals are looked up
 */
export function findEntries(db: Queryable, wanted: Wanted, limit: number, chain: Chain = CONTROL_ENTRIES): Promise<EntryRow[]> {
  const conditions = [
    ...(wanted.team_id === undefined ? [] : [part`e.team_id = ${wanted.team_id}`]),
    ...(wanted.resource_id === undefined ? [] : [part`e.resource_id = ${wanted.resource_id}`]),
    ...(wanted.action === undefined ? [] : [part`e.action = ${wanted.action}`]),
    ...(wanted.actor_id === undefined
      ? []
      : [part`(e.actor_id = ${wanted.actor_id} or starts_with(e.actor_id, ${`${wanted.actor_id}:`}))`]),
    ...(wanted.request_id === undefined ? [] : [part`e.request_id = ${wanted.request_id}`]),
    ...(wanted.since === undefined ? [] : [part`e.created_at >= ${wanted.since}`]),
  ];
  // A team's own index is ordered by entry; the index over all teams is ordered by transaction.
  const order = fixed(wanted.team_id === undefined ? 'e.tx desc, e.id desc' : 'e.id desc');
  return db.all<EntryRow>(sql`
    select e.team_id, e.id, e.tx::text, e.created_at, e.actor, e.actor_id, e.request_id, e.address, e.action, e.resource_id,
      ${sealOf(chain, 'e')} as seal
    from audit_entries e where ${allOf(conditions)} order by ${order} limit ${limit}`);
}

/**
 * Counts the entries of a team about a resource. The number differs after each change of it, also after one that restores a state.
 * @param actions the actions that count; default: all
 */
export async function countEntries(
  db: Queryable,
  team_id: bigint,
  resource_id: string,
  actions: readonly Action[] | null = null,
): Promise<number> {
  const row = await db.maybe<{ count: number }>(sql`
    select count(*)::integer as count from audit_entries
    where team_id = ${team_id} and resource_id = ${resource_id} and (${actions}::text[] is null or action = any(${actions}::text[]))`);
  return row?.count ?? 0;
}

/** Returns the entries of a team about these resources, oldest first, without their seals. */
export function entriesAbout(
  db: Queryable,
  team_id: bigint,
  resource_ids: readonly string[],
  limit: number,
): Promise<Omit<EntryRow, 'seal'>[]> {
  return db.all<Omit<EntryRow, 'seal'>>(sql`
    select e.team_id, e.id, e.tx::text, e.created_at, e.actor, e.actor_id, e.request_id, e.address, e.action, e.resource_id
    from audit_entries e
    where e.team_id = ${team_id} and e.resource_id = any(${resource_ids}::text[])
    order by e.id limit ${limit}`);
}
