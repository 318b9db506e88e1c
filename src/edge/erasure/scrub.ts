import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../kit/json.ts';
import type { Tx } from '../../kit/sql.ts';
import { eventIdsOf, eventsWith, rewriteEvents } from '../../money/events/rewrite-store.ts';
import { isDeleted, tablesTo } from './catalogue.ts';
import { clearAbout, deleteAbout } from './rows-store.ts';

/** Returns the changed rows only, so that unchanged ones are not written: most events of a payment have no personal data. */
export function changedIn<Row>(rows: readonly Row[], change: (row: Row) => Row): Row[] {
  return rows.map((row) => [row, change(row)] as const).flatMap(([before, after]) => (same(before, after) ? [] : [after]));
}

function same(a: unknown, b: unknown): boolean {
  return textOf(a) === textOf(b);
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? String(field) : field));
}

const ABOUT_RESOURCES = tablesTo('resource').filter(({ erased }) => erased.every(([, { becomes }]) => becomes !== 'event'));
const ABOUT_EVENTS = tablesTo('event').filter((table) => !isDeleted(table));
const COPIES_OF_EVENTS = tablesTo('event').filter(isDeleted);

/** Clears the stored answers to requests about the resources. */
export async function clearResources(tx: Tx, team_id: bigint, resource_ids: readonly string[]): Promise<void> {
  for (const table of ABOUT_RESOURCES) await (isDeleted(table) ? deleteAbout : clearAbout)(tx, table, team_id, resource_ids);
}

/** Number of resources whose events are looked up together. */
const SLICE = 25;
/** Number of events in memory at once. An event may be as large as a request, and a customer has one for each of its changes. */
const PAGE = 100;

/**
 * Removes personal data from all events of the resources, and deletes the receivers' responses to them. Between pages the process
 * handles other requests.
 */
export async function scrubEvents(
  tx: Tx,
  team_id: bigint,
  resource_ids: readonly string[],
  change: (event: JsonObject) => JsonObject,
): Promise<void> {
  for (let start = 0; start < resource_ids.length; start += SLICE) {
    const ids = await eventIdsOf(tx, team_id, resource_ids.slice(start, start + SLICE));
    for (let first = 0; first < ids.length; first += PAGE) {
      await scrubPage(tx, team_id, ids.slice(first, first + PAGE), change);
      await nextTurn();
    }
  }
}

async function scrubPage(
  tx: Tx,
  team_id: bigint,
  ids: readonly string[],
  change: (event: JsonObject) => JsonObject,
): Promise<void> {
  const events = await eventsWith(tx, team_id, ids);
  const changed = changedIn(events, ({ id, body }) => ({ id, body: JSON.stringify(change(JSON.parse(body))) }));
  await rewriteEvents(tx, team_id, changed);
  // Generating an older body locks the event's row. Only a statement that starts after the update sees the new body.
  if (changed.length > 0) {
    const rewritten = changed.map(({ id }) => id);
    for (const table of COPIES_OF_EVENTS) await deleteAbout(tx, table, team_id, rewritten);
  }
  for (const table of ABOUT_EVENTS) await clearAbout(tx, table, team_id, ids);
  // The stored answer to a resend contains the event.
  await clearResources(tx, team_id, ids);
}
