import { packWhole, unpack } from '../../kit/packing.ts';
import { sql, type Tx } from '../../kit/sql.ts';

/** An event with its body as recorded. */
export interface StoredEvent {
  id: string;
  body: string;
}

/** Returns the events of the resources. */
export async function eventsOf(tx: Tx, team_id: bigint, resource_ids: readonly string[]): Promise<StoredEvent[]> {
  const rows = await tx.all<{ id: string; body: Buffer }>(sql`
    select id, body from events where team_id = ${team_id} and resource_id = any(${[...resource_ids]})`);
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
