import { unpack } from '../../kit/packing.ts';
import { type Queryable, sql, type Tx } from '../../kit/sql.ts';

export interface EventRef {
  team_id: bigint;
  event_id: string;
}

/** Returns the stored body of an event in an older version; undefined when none was stored. */
export async function findBody(db: Queryable, { team_id, event_id }: EventRef, version: string): Promise<string | undefined> {
  const row = await db.maybe<{ body: string }>(sql`
    select body from event_bodies where team_id = ${team_id} and event_id = ${event_id} and api_version = ${version}`);
  return row?.body;
}

/**
 * Returns the body as recorded and locks it until the transaction ends, so that an erasure rewrites it before or after, not
 * meanwhile.
 */
export async function holdRecorded(tx: Tx, { team_id, event_id }: EventRef): Promise<string | undefined> {
  const row = await tx.maybe<{ body: Buffer }>(sql`
    select body from events where team_id = ${team_id} and id = ${event_id} for share`);
  return row && unpack(row.body);
}

/**
 * Stores a body; the first one stored is kept.
 * @returns the stored body
 */
export async function keepBody(tx: Tx, event: EventRef, version: string, body: string): Promise<string> {
  const { team_id, event_id } = event;
  await tx.run(sql`
    insert into event_bodies (team_id, event_id, api_version, body) values (${team_id}, ${event_id}, ${version}, ${body})
    on conflict do nothing`);
  return (await findBody(tx, event, version)) ?? body;
}
