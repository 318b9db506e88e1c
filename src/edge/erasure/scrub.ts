import type { JsonObject } from '../../kit/json.ts';
import type { Tx } from '../../kit/sql.ts';
import { dropAnswers, dropResponses, findEvents, writeEvents } from './store.ts';
import type { Redactor } from './redact.ts';

/** Fields with free text of users. We generate all other fields of an event. */
const FREE = new Set(['reference', 'description', 'message', 'callback', 'items', 'theming', 'metadata', 'evidence', 'notes']);
const DROPPED = new Set(['address', 'shipping', 'telemetry']);

/** Returns the changed rows only, so that unchanged ones are not written: most events of a payment have no personal data. */
export function changedIn<Row>(rows: readonly Row[], change: (row: Row) => Row): Row[] {
  return rows.map((row) => [row, change(row)] as const).flatMap(([before, after]) => (same(before, after) ? [] : [after]));
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Removes personal data from a resource as events contain it. */
export function scrub(data: JsonObject, redactor: Redactor): JsonObject {
  const fields = Object.entries(data).map(([name, value]) => {
    if (DROPPED.has(name)) return [name, null];
    return [name, FREE.has(name) ? redactor.value(value) : value];
  });
  return Object.fromEntries(fields);
}

/** Removes personal data from all events of the resources, and deletes the receivers' responses to them. */
export async function scrubEvents(
  tx: Tx,
  team_id: bigint,
  resource_ids: readonly string[],
  change: (event: JsonObject) => JsonObject,
): Promise<void> {
  const events = await findEvents(tx, team_id, resource_ids);
  await writeEvents(
    tx,
    team_id,
    changedIn(events, ({ id, body }) => ({ id, body: JSON.stringify(change(JSON.parse(body))) })),
  );
  const ids = events.map(({ id }) => id);
  await dropResponses(tx, ids);
  // The stored answer to a resend contains the event.
  await dropAnswers(tx, team_id, ids);
}
