import type { Sweep } from '../src/platform/work/sweep.ts';
import type { Options } from './options.ts';
import { type Plant, plantOf } from './plant.ts';
import { quantile } from './quantile.ts';
import type { Point, Section } from './rounds.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';

/** Rounds in one window, at most; those after the last due row find nothing. */
const MAX_ROUNDS = 50;
const QUICK_ROUNDS = 3;

/** How long the rounds of a sweep took that found something, and those that did not. */
interface Taken {
  busy_ms: number[];
  idle_ms: number[];
  rows: number;
}

/**
 * Rounds of each sweep, purge and seal of a live store, and of what the metrics ask of it: with a thousand payments and with many, both
 * beside as many that are open, stuck, expired or due.
 */
export async function sweepsSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const plants = [await plantOf(stage, options, 'small'), await plantOf(stage, options, 'large')] as const;
  const taken = new Map<string, Taken>();
  const points = plants[0].sweeps.flatMap((_, i) =>
    plants.map(({ rows, sweeps }, size): Point => {
      const sweep = sweeps[i] as Sweep;
      const id = `${sweep.name}-${size === 0 ? 'small' : 'large'}`;
      return {
        ...{ id, label: `${sweep.name}, ${rows.toLocaleString('en')} payments` },
        ...{ service_pid: service.pid, client_pid: process.pid },
        prepare: async () => {},
        run: (started) => {
          started();
          return timed(sweep, options, taken, id);
        },
      };
    }),
  );
  return {
    name: 'sweeps',
    points,
    comparisons: [],
    figures: () =>
      Object.fromEntries(
        [...taken].flatMap(([id, all]) => [
          [`${id}_p95_ms`, p95Of(all)],
          [`${id}_rows`, all.rows],
        ]),
      ),
    notes: async () => [p95Note(plants[0], plants[1], taken)],
    close: async () => {
      for (const { check } of plants) check();
    },
  };
}

/** Rounds until the window is full; a request is one round. */
async function timed(sweep: Sweep, { quick, seconds }: Options, all: Map<string, Taken>, id: string) {
  const began = performance.now();
  const { busy_ms, idle_ms, rows } = all.get(id) ?? { busy_ms: [], idle_ms: [], rows: 0 };
  const times: number[] = [];
  let found = 0;
  while (times.length < (quick ? QUICK_ROUNDS : MAX_ROUNDS) && performance.now() - began < seconds * 1_000) {
    const since = performance.now();
    const handled = await sweep.round();
    const took_ms = performance.now() - since;
    times.push(took_ms);
    (handled > 0 ? busy_ms : idle_ms).push(took_ms);
    found += handled;
  }
  all.set(id, { busy_ms, idle_ms, rows: rows + found });
  return {
    requests: times.length,
    seconds: (performance.now() - began) / 1_000,
    p50_ms: quantile(times, 0.5),
    p99_ms: quantile(times, 0.99),
  };
}

/** Of the rounds that found something, if any did. */
function p95Of({ busy_ms, idle_ms }: Taken): number {
  return quantile(busy_ms.length > 0 ? busy_ms : idle_ms, 0.95);
}

function p95Note(small: Plant, large: Plant, taken: ReadonlyMap<string, Taken>): string {
  const shown = (id: string) => {
    const all = taken.get(id) ?? { busy_ms: [], idle_ms: [], rows: 0 };
    return `${p95Of(all).toFixed(1)}${all.rows > 0 ? ` (${all.rows.toLocaleString('en')} rows)` : ''}`;
  };
  const all = small.sweeps.map(({ name }) => `${name} ${shown(`${name}-small`)} and ${shown(`${name}-large`)}`);
  const [few, many] = [small.rows, large.rows].map((rows) => rows.toLocaleString('en'));
  const rule = 'Where rounds found something, only those count, and the rows that they found are in brackets';
  return `p95 of a round in ms, with ${few} and with ${many} payments. ${rule}: ${all.join('; ')}.`;
}
