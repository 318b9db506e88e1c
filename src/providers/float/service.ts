import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Db, Queryable } from '../../kit/sql.ts';
import { alertOf, levelOf } from './level.ts';
import type { AlertRow, FloatLevel, FloatRow, PollRow } from './schema.ts';
import { alertsOf, deleteAlert, floatsOf, pollsOf, upsertAlert } from './store.ts';

export { type WatchedFloat, watchedFloats } from './store.ts';

/** A float with its threshold and its level. */
export type ShownFloat = FloatRow & { below_minor: bigint | null; level: FloatLevel };

/** Returns the float balances of a team's accounts and the result of their last polls. */
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
 * Sets or removes an alert threshold.
 * @param below_minor null: removes the alert
 * @returns false when there was no alert to remove
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
