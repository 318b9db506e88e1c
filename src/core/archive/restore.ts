import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Clock } from '../../kit/clock.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import type { Store } from '../../platform/db/stores.ts';
import { lockPayments } from '../payments/store.ts';
import { type IdRange, archivedOf, nextArchived } from './store.ts';

const BATCH = 500;

interface Restoring {
  deps: { clock: Clock };
  store: Store;
  team_id: bigint;
  by: Actor;
}

/**
 * Restores those of the named payments that are archived.
 * @returns how many
 */
export function restoreNamed(restoring: Restoring, ids: readonly string[]): Promise<number> {
  const { store, team_id } = restoring;
  return store.db.transaction(async (tx) => restoreAll(restoring, tx, await archivedOf(tx, team_id, ids)));
}

/**
 * Restores the archived payments of a team that were created in a period, batch by batch.
 * @returns how many
 */
export async function restorePeriod(
  restoring: Restoring,
  period: { from: Date; before: Date },
  progress: (restored: number) => void,
): Promise<number> {
  const { store, team_id } = restoring;
  const lowest = (at: Date) => lowestIdAt('trx', store.environment, at.getTime());
  const to = lowest(period.before);
  let restored = 0;
  for (let range: IdRange | null = { team_id, after: lowest(period.from), to }; range !== null; ) {
    const from: IdRange = range;
    const ids = await store.db.transaction(async (tx) => {
      const found = await nextArchived(tx, from, BATCH);
      await restoreAll(restoring, tx, found);
      return found;
    });
    restored += ids.length;
    progress(restored);
    const last = ids.at(-1);
    range = last === undefined || ids.length < BATCH ? null : { ...from, after: last };
  }
  return restored;
}

/** The audit entry of a batch names its last payment. */
async function restoreAll({ deps, team_id, by }: Restoring, tx: Tx, ids: readonly string[]): Promise<number> {
  const last = ids.at(-1);
  if (last === undefined) return 0;
  await lockPayments(
    tx,
    ids.map((id) => ({ team_id, id })),
  );
  await record(tx, by, { team_id, action: 'payment.restore', resource_id: last, at: deps.clock.now() });
  return ids.length;
}
