import { jsonText } from '../../kit/json.ts';
import { packWhole, unpack } from '../../kit/packing.ts';
import { BY_KEY, type Fragment, fixed, type Queryable, sql, type Tx } from '../../kit/sql.ts';

/** An Idempotency-Key of a team on a route. */
export interface KeyRef {
  team_id: bigint;
  route: string;
  key: string;
}

/** A key as a request takes it. */
export interface TakenKey extends KeyRef {
  request_hash: Buffer;
  created_at: Date;
}

/** A stored key. */
export interface KeyRow extends Pick<TakenKey, 'request_hash' | 'created_at'> {
  resource_id: string | null;
  /** The stored response; null while there is none. */
  answer: string | null;
}

/**
 * Stores a key. A second transaction with the same key waits until the first ends.
 * @returns false when the key is taken
 */
export async function takeKey(tx: Tx, slot: TakenKey): Promise<boolean> {
  const taken = await tx.run(sql`
    insert into idempotency_keys (team_id, route, key, request_hash, created_at)
    values (${slot.team_id}, ${slot.route}, ${slot.key}, ${slot.request_hash}, ${slot.created_at}) on conflict do nothing`);
  return taken === 1;
}

/**
 * SQL: inserts the keys of the rows of a CTE (team_id, route, idempotency_key, request_hash in hexadecimal, id, created_at) and
 * returns the `resource_id` of each new one. The fixed order prevents deadlocks between batches.
 * @param rows name of the CTE
 */
export function insertKeysOf(rows: string): Fragment {
  return fixed(`
      insert into idempotency_keys (team_id, route, key, request_hash, resource_id, created_at)
      select team_id, route, idempotency_key, decode(request_hash, 'hex'), id, created_at
      from ${rows} where idempotency_key is not null order by team_id, route, idempotency_key
      on conflict do nothing returning resource_id`);
}

/**
 * SQL: the stored response of a key, as a lateral join `a` to keys `k`. It reads only the partition of the key's day. Responses from
 * before that table existed are stored with the key.
 */
export const ANSWER = fixed(`
    left join lateral (select answer, resource_id from idempotency_answers
      where team_id = k.team_id and route = k.route and key = k.key and created_at = k.created_at) a on true`);

/** Returns a stored key with its response, or undefined when the key is unused. */
export async function findKey(db: Queryable, { team_id, route, key }: KeyRef): Promise<KeyRow | undefined> {
  const row = await db.maybe<Omit<KeyRow, 'answer'> & { answer: Buffer | null }>(sql`
    select k.request_hash, coalesce(k.resource_id, a.resource_id) as resource_id, coalesce(a.answer, k.answer) as answer, k.created_at from idempotency_keys k ${ANSWER}
    where k.team_id = ${team_id} and k.route = ${route} and k.key = ${key}${BY_KEY}`);
  return row && { ...row, answer: row.answer && unpack(row.answer) };
}

/** Returns those of a team's keys that are taken. */
export function takenKeys(
  db: Queryable,
  team_id: bigint,
  keys: readonly Omit<KeyRef, 'team_id'>[],
): Promise<Omit<KeyRef, 'team_id'>[]> {
  return db.all(sql`
    select route, key from idempotency_keys
    where team_id = ${team_id} and (route, key) in (
      select * from unnest(${keys.map(({ route }) => route)}::text[], ${keys.map(({ key }) => key)}::text[]))${BY_KEY}`);
}

/** A key and the resource to which it is assigned. */
export interface AssignedKey extends TakenKey {
  resource_id: string;
  /** Resources from which the key may be reassigned. */
  own: readonly string[];
}

/**
 * Assigns keys to resources, or reassigns them from earlier ones. The fixed order prevents deadlocks between batches.
 * @param keys each once
 * @returns the resources that hold their keys now; the keys of the others are held by other requests
 */
export async function assignKeys(tx: Tx, keys: readonly AssignedKey[]): Promise<Set<string>> {
  const rows = keys.map(({ own, request_hash, ...key }) => ({ ...key, request_hash: request_hash.toString('hex') }));
  const held = await tx.all<{ resource_id: string }>(sql`
    insert into idempotency_keys (team_id, route, key, request_hash, resource_id, created_at)
    select team_id, route, key, decode(request_hash, 'hex'), resource_id, created_at
    from json_to_recordset(${jsonText(rows)}::json) as k(team_id bigint, route text, key text, request_hash text,
      resource_id text, created_at timestamptz)
    order by team_id, route, key
    on conflict (team_id, route, key) do update
      set resource_id = excluded.resource_id, request_hash = excluded.request_hash, created_at = excluded.created_at
    where idempotency_keys.resource_id = any(${keys.flatMap(({ own }) => own)})
    returning resource_id`);
  return new Set(held.map(({ resource_id }) => resource_id));
}

/** A response to be stored for its key. */
export interface KeyedAnswer extends KeyRef {
  answer: string;
  /** The object in the response, by which an erasure finds the response. Absent: the one to which the key is assigned. */
  resource_id?: string | null;
}

/**
 * Stores responses of requests, for replays. For a week after an upgrade they are also stored with their keys, where an earlier release
 * reads them.
 * @param answers each key once
 */
export async function storeResponses(db: Queryable, answers: readonly KeyedAnswer[]): Promise<void> {
  const rows = answers.map(({ answer, ...rest }) => ({ ...rest, answer: packWhole(answer).toString('base64') }));
  await db.run(sql`
    with input as materialized (
      select * from json_to_recordset(${jsonText(rows)}::json) as i(team_id bigint, route text, key text, answer text, resource_id text)
    ),
    held as materialized (
      select k.team_id, k.route, k.key, k.created_at, coalesce(i.resource_id, k.resource_id) as resource_id,
        decode(i.answer, 'base64') as answer
      from idempotency_keys k join input i using (team_id, route, key)
      order by k.team_id, k.route, k.key
    ),
    beside as (
      update idempotency_keys k set answer = held.answer, resource_id = held.resource_id from held
      where k.team_id = held.team_id and k.route = held.route and k.key = held.key and not pirogue_answers_apart()
    )
    insert into idempotency_answers as a (team_id, route, key, created_at, resource_id, answer)
    select team_id, route, key, created_at, resource_id, answer from held order by team_id, route, key
    on conflict (team_id, route, key, created_at) do update set resource_id = excluded.resource_id, answer = excluded.answer${BY_KEY}`);
}

/**
 * Deletes a key that has no stored response.
 * @param own resources of the request that releases the key; a key that another request holds by now is kept
 * @returns whether the key was deleted
 */
export async function releaseKey(db: Queryable, ref: KeyRef, own: readonly string[]): Promise<boolean> {
  const released = await db.run(sql`
    delete from idempotency_keys k
    where k.team_id = ${ref.team_id} and k.route = ${ref.route} and k.key = ${ref.key} and k.answer is null
      and k.resource_id = any(${[...own]}) and not exists (
        select 1 from idempotency_answers a
        where a.team_id = k.team_id and a.route = k.route and a.key = k.key and a.created_at = k.created_at)`);
  return released > 0;
}
