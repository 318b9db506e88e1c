import type { Call } from '../http/route.ts';
import type { Tx } from '../kit/sql.ts';
import type { Action } from './actions.ts';
import { type Actor, callerOf } from './actor.ts';
import { insertEntry } from './store.ts';

/** What was done, to whose thing and when. */
export interface Act {
  /** Null: to the whole installation. */
  team_id: bigint | null;
  action: Action;
  resource_id: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Writes an entry of the audit trail in the transaction of the act: neither is ever there without the other. */
export function record(tx: Tx, by: Actor, act: Act): Promise<void> {
  return insertEntry(tx, { ...act, by });
}

/** The entry of what a call did. */
export function recordCall(tx: Tx, call: Call<unknown, unknown>, action: Action, resource_id: string): Promise<void> {
  return record(tx, callerOf(call), { team_id: call.caller.team.id, action, resource_id, at: call.at });
}

/**
 * The entry of what a call does, in the same transaction.
 * @param work what is done; its result is the thing it was done to
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
