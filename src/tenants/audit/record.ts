import type { Call } from '../api/route.ts';
import type { Tx } from '../../kit/sql.ts';
import type { Action } from './actions.ts';
import { type Actor, callerOf } from './actor.ts';
import { insertEntries } from './store.ts';

/** An action, the resource it concerns and its time. */
export interface Act {
  /** Null: the action concerns the whole installation. */
  team_id: bigint | null;
  action: Action;
  resource_id: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Writes an entry of the audit trail in the transaction of the action: neither is ever committed without the other. */
export function record(tx: Tx, by: Actor, act: Act): Promise<void> {
  return insertEntries(tx, [{ ...act, by }]);
}

/** Writes the entries of several actions in one statement, as {@link record} does. */
export async function recordAll(tx: Tx, acts: readonly (Act & { by: Actor })[]): Promise<void> {
  if (acts.length > 0) await insertEntries(tx, acts);
}

/** Writes the entry of an API request's action. */
export function recordCall(tx: Tx, call: Call<unknown, unknown>, action: Action, resource_id: string): Promise<void> {
  return record(tx, callerOf(call), { team_id: call.caller.team.id, action, resource_id, at: call.at });
}

/**
 * Runs the work of a request and writes its entry in the same transaction.
 * @param work the action; its result is the resource it changed
 * @returns the result of the work
 */
export async function recorded<Row extends { id: string }>(
  tx: Tx,
  call: Call<unknown, unknown>,
  action: Action,
  work: Promise<Row>,
): Promise<Row> {
  const row = await work;
  await recordCall(tx, call, action, row.id);
  return row;
}
