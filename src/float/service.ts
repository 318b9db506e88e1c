import type { Actor } from '../audit/actor.ts';
import { record } from '../audit/record.ts';
import type { Db, Queryable } from '../kit/sql.ts';
import { alertOf, levelOf } from './level.ts';
import type { AlertRow, FloatLevel, FloatRow, PollRow } from './schema.ts';
import { alertsOf, deleteAlert, floatsOf, pollsOf, upsertAlert } from './store.ts';

export { type WatchedFloat, watchedFloats } from './store.ts';

/** A float, what watches it and how full it is. */
export type ShownFloat = FloatRow & { below_minor: bigint | null; level: FloatLevel };

/** What a team's accounts hold, and how each was last asked. */
export async function teamFloats(
  db: Queryable,
  team_id: bigint,
  at: number,
): Promise<{ floats: ShownFloat[]; polls: PollRow[] }> {
  const [rows, alerts, polls] = [await floatsOf(db, team_id), await alertsOf(db, team_id), await pollsOf(db, team_id)];
  const floats = rows.map((row) => {
    const alert = alertOf(row, alerts);
    return { ...row, below_minor: alert?.below_minor ?? null, level: levelOf(row, alert, at) };
  });
  return { floats, polls };
}

/**
 * Sets below what somebody wants to be told, or takes that away.
 * @param below_minor null: nobody wants to be told any more
 * @returns false when there was nothing to take away
 */
export function setAlert(
  db: Db,
  watch: Omit<AlertRow, 'below_minor'>,
  below_minor: bigint | null,
  by: Actor,
  at: number,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (below_minor !== null) await upsertAlert(tx, { ...watch, below_minor });
    else if (!(await deleteAlert(tx, watch))) return false;
    await record(tx, by, { team_id: watch.team_id, action: 'float.alert', resource_id: watch.account_id, at });
    return true;
  });
}
