import { must } from '../../kit/errors.ts';
import type { Db } from '../../kit/sql.ts';
import { type EventRef, findBody, holdRecorded, keepBody } from './bodies-store.ts';
import { versions } from '../../tenants/versions/registry.ts';

/**
 * Returns the body of an event for an endpoint pinned to a version: the recorded body, or a body in an older version, which
 * the first delivery creates and stores for all later ones. When no endpoint has an older version, nothing is read or parsed.
 * @param event with the body as recorded
 */
export async function bodyFor(db: Db, event: EventRef & { body: string }, version: string): Promise<string> {
  if (version >= versions.newest) return event.body;
  return (await findBody(db, event, version)) ?? (await makeBody(db, event, version));
}

function makeBody(db: Db, event: EventRef, version: string): Promise<string> {
  return db.transaction(async (tx) => {
    const body = must(await holdRecorded(tx, event), 'an event is kept longer than its deliveries');
    const recorded = JSON.parse(body);
    const older = versions.eventFor(version, recorded);
    return older === recorded ? body : keepBody(tx, event, version, JSON.stringify(older));
  });
}
