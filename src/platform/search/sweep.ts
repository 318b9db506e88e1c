import type { Store } from '../db/stores.ts';
import type { Sweep } from '../work/sweep.ts';
import { Build, type BuildOptions } from './build.ts';
import { claimBuild, makeChangedDue } from './build-store.ts';
import { Rests } from './rests.ts';
import type { Corpus, Searchable } from './searchable.ts';

/** Longest time between a claim and the next one of the same team after a worker was killed. */
const LEASE_MS = 120_000;

/** Pause after a rebuild, as a multiple of its time: rebuilds of one index take at most a tenth of a worker's time. */
const REST = 9;

export const DEFAULT_BUILD: BuildOptions = {
  segment_rows: 16_384,
  merged_rows: 65_536,
  settled_ms: 60_000,
  rest: REST,
  waiting_rows: 2_000,
};

/**
 * Builds the search index, one step in each round. A segment takes a third of a second of CPU, so that one worker covers 16,000 rows a
 * second and leaves half of a core to other work. Rebuilds of one index because of changed rows take at most a tenth of this.
 */
export function searchSweep(store: Store, searchables: readonly Searchable[], options: BuildOptions = DEFAULT_BUILD): Sweep {
  const { db, environment } = store;
  const kinds = new Map(searchables.map((searchable) => [searchable.kind, searchable]));
  const rests = new Rests();
  let reached: Corpus | null = null;
  return {
    name: 'search',
    environment,
    idle_ms: 500,
    round: async () => {
      reached = await makeChangedDue(db, rests.all(), reached);
      const claimed = await claimBuild(db, [...kinds.keys()], LEASE_MS);
      const searchable = claimed && kinds.get(claimed.kind);
      if (searchable) await new Build(store, searchable, claimed, options, rests).run();
      return 0;
    },
  };
}
