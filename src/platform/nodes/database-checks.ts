import type { DatabaseState } from '../db/probe.ts';
import type { Stores } from '../db/stores.ts';
import type { Database, Peers } from './peers.ts';

/** `cut off`: only other nodes reach it. It is the only state that is a fault of this node. */
export type DatabaseCheck = DatabaseState | 'cut off';

/** Returns the state of each database, for readiness and metrics. */
export async function databaseChecks(
  stores: Pick<Stores, 'states' | 'reached'>,
  peers: Pick<Peers, 'reach'>,
): Promise<Record<Database, DatabaseCheck>> {
  const states = await stores.states();
  const reached = stores.reached();
  const checkOf = (database: Database): DatabaseCheck => {
    const isAway = states[database] === 'unreachable' || states[database] === 'no primary';
    return isAway && peers.reach(database, reached[database]) ? 'cut off' : states[database];
  };
  return { control: checkOf('control'), sandbox: checkOf('sandbox'), live: checkOf('live') };
}
