import { packWhole, unpack } from '../../kit/packing.ts';
import { sql, type Tx } from '../../kit/sql.ts';

/** An event with its body as recorded. */
export interface StoredEvent {
  id: string;
  body: string;
}

/** Returns the ids of the events of the resources. */
export async function eventIdsOf(tx: Tx, team_id: bigint, resource_ids: readonly string[]): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(sql`
    select id from events where team_id = ${team_id} and resource_id = any(${[...resource_ids]}) order by id`);
  return rows.map(({ id }) => id);
}

/** Returns events by their ids. */
export async function eventsWith(tx: Tx, team_id: bigint, ids: readonly string[]): Promise<StoredEvent[]> {
  const rows = await tx.all<{ id: string; body: Buffer }>(sql`
    select id, body from events where team_id = ${team_id} and id = any(${[...ids]})`);
  return rows.map(({ id, body }) => ({ id, body: unpack(body) }));
}

/** Rewrites the recorded bodies. Only for an erasure: an event is immutable otherwise. */
export async function rewriteEvents(tx: Tx, team_id: bigint, rows: readonly StoredEvent[]): Promise<void> {
  if (rows.length === 0) return;
  const packed = rows.map(({ id, body }) => ({ id, body: packWhole(body).toString('base64') }));
  await tx.run(sql`
    update events e set body = decode(u.body, 'base64')
    from json_to_recordset(${JSON.stringify(packed)}::json) as u(id text, body text) where e.team_id = ${team_id} and e.id = u.id`);
}
