import type { JsonObject } from '../kit/json.ts';
import type { Tx } from '../kit/sql.ts';
import { dropAnswers, dropResponses, findEvents, writeEvents } from './erasure-store.ts';
import type { Redactor } from './redact.ts';

/** Where people write what they like; everything else in an event is ours. */
const FREE = new Set(['reference', 'description', 'message', 'callback', 'items', 'theming', 'metadata', 'evidence', 'notes']);
const DROPPED = new Set(['address', 'shipping', 'telemetry']);

/** Only what differs is written: most events of a payment say nothing of its payer. */
export function changedIn<Row>(rows: readonly Row[], change: (row: Row) => Row): Row[] {
  return rows.map((row) => [row, change(row)] as const).flatMap(([before, after]) => (same(before, after) ? [] : [after]));
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A resource as events carry it, without what tells who someone is. */
export function scrub(data: JsonObject, redactor: Redactor): JsonObject {
  const fields = Object.entries(data).map(([name, value]) => {
    if (DROPPED.has(name)) return [name, null];
    return [name, FREE.has(name) ? redactor.value(value) : value];
  });
  return Object.fromEntries(fields);
}

/** The same in everything that was announced of the resources, and what receivers answered to it. */
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
  // The answer to a resend shows the event.
  await dropAnswers(tx, team_id, ids);
}
