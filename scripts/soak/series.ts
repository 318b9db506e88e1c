import type { Window } from './child/windows.ts';
import type { Sample } from './sample.ts';
import type { Role } from './service.ts';
import { type Judged, judge, type Limit, MIN_JUDGED_S, type Point } from './slope.ts';

/** Limit of the growth of some series. */
interface Rule {
  /** Matches names of series. */
  pattern: RegExp;
  unit: string;
  limit: Limit;
}

/** Growth in 24 hours: a share of the mean, or a floor in the unit of the series, whichever is more. */
const RULES: readonly Rule[] = [
  // The heap is measured after a garbage collection, so it has little noise.
  { pattern: /^(api|worker)\.heap_mb$/, unit: 'MB', limit: { share: 0.5, floor: 32 } },
  // The size of the program limits its code.
  { pattern: /^(api|worker)\.code_mb$/, unit: 'MB', limit: { share: 1, floor: 64 } },
  { pattern: /^(api|worker)\.external_mb$/, unit: 'MB', limit: { share: 0.5, floor: 32 } },
  // The allocator may keep freed pages.
  { pattern: /^(api|worker)\.rss_mb$/, unit: 'MB', limit: { share: 1, floor: 128 } },
  { pattern: /^(api|worker)\.(files|sockets)$/, unit: '', limit: { share: 0.5, floor: 50 } },
  { pattern: /^(api|worker)\.timers$/, unit: '', limit: { share: 0.5, floor: 100 } },
  { pattern: /^(api|worker)\.metrics_kb$/, unit: 'kB', limit: { share: 1, floor: 100 } },
  // Connections in use. The idle ones are those of the largest burst of the last minutes, and bounded (connectionShare).
  { pattern: /^(api|worker)\.pool_busy$/, unit: '', limit: { share: 0.5, floor: 20 } },
  { pattern: /^db\.waiting_locks$/, unit: '', limit: { share: 0.5, floor: 20 } },
  { pattern: /^db\.oldest_transaction_s$/, unit: 's', limit: { share: 1, floor: 30 } },
  { pattern: /^queue\.\w+\.late_s$/, unit: 's', limit: { share: 1, floor: 60 } },
  { pattern: /^queue\.\w+\.depth$/, unit: '', limit: { share: 1, floor: 2_000 } },
  // Rows of these tables are deleted again, so their size must stay the same.
  {
    pattern: /^table\.(deliveries|balance_deltas|balances|ceiling_uses|float_polls|floats|abuse_\w+)\.mb$/,
    unit: 'MB',
    limit: { share: 1, floor: 64 },
  },
  { pattern: /^bytes for each payment$/, unit: 'B', limit: { share: 0.5, floor: 2_048 } },
  {
    pattern: /^latency\.(create|charge|retrieve|list|refund|payout)\.p(50|95|99)_ms$/,
    unit: 'ms',
    limit: { share: 2, floor: 100 },
  },
];

/** Maximum share of dead rows in a table. With PostgreSQL's defaults, autovacuum starts at about 17 %. */
const MAX_DEAD_SHARE = 0.4;
/** How long a share must last to count. Rows that one statement replaces are dead until autovacuum runs again. */
const DEAD_FOR_S = 60;
/** Minimum of rows for a share to be judged. In a small table only the size is judged. */
const MIN_ROWS = 5_000;
const SETTLED_MIN_S = 600;

export interface Series {
  name: string;
  unit: string;
  judged: Judged;
  points: Point[];
}

/** A value that may not exceed a bound at any time. */
export interface Bound {
  name: string;
  highest: number;
  bound: number;
}

/**
 * Returns the length of the warm-up, which is not judged, in seconds: a quarter of the run, at most half an hour. Until
 * then functions are still compiled, the segments of the search do not have their full size, and no event is old enough to be purged.
 */
export function warmupSeconds(minutes: number): number {
  return Math.min(1_800, minutes * 15);
}

/**
 * Judges every series of a run that has a rule.
 * @param min_s seconds that a series must cover to be judged
 */
export function judgeAll(
  samples: readonly Sample[],
  windows: readonly Window[],
  warmup_s: number,
  min_s = MIN_JUDGED_S,
): Series[] {
  const settled = samples.filter(({ at_s }) => at_s >= warmup_s);
  const all = new Map<string, (Point & { life: number })[]>();
  const add = (name: string, point: Point, life = 0) => {
    const known = all.get(name);
    if (known) known.push({ ...point, life });
    else all.set(name, [{ ...point, life }]);
  };
  for (const { at_s, values, lives } of settled) {
    for (const [name, value] of Object.entries(values)) {
      add(name, { at_s, value }, lives[name.split('.')[0] as Role]);
    }
  }
  for (const point of bytesEach(settled)) add('bytes for each payment', point);
  for (const { at_s, latencies } of windows.filter((window) => window.at_s >= warmup_s)) {
    for (const [operation, latency] of Object.entries(latencies)) {
      for (const name of ['p50_ms', 'p95_ms', 'p99_ms'] as const) {
        add(`latency.${operation}.${name}`, { at_s, value: latency[name] });
      }
    }
  }
  return [...all].flatMap(([name, points]) => {
    const rule = RULES.find(({ pattern }) => pattern.test(name));
    return rule ? [{ name, unit: rule.unit, points, judged: judge(longestLife(points), rule.limit, min_s) }] : [];
  });
}

/** Returns the points of the longest life of a process. A restart frees leaked memory, and a short life is mostly warm-up. */
function longestLife(points: readonly (Point & { life: number })[]): Point[] {
  const lives = [...Map.groupBy(points, ({ life }) => life).values()];
  return lives.reduce<Point[]>((longest, life) => (life.length > longest.length ? life : longest), []);
}

const PARTS = 20;

/** Returns the growth of the database per payment, in bytes, for about twenty parts of the run. */
function bytesEach(samples: readonly Sample[]): Point[] {
  const step = Math.max(1, Math.floor(samples.length / PARTS));
  const marks = samples.filter((_, i) => i % step === 0);
  return marks.slice(1).flatMap(({ at_s, values }, i) => {
    const before = marks[i]?.values ?? {};
    const grown = ((values['db.size_mb'] ?? 0) - (before['db.size_mb'] ?? 0)) * 2 ** 20;
    const payments = (values['payments.inserted'] ?? 0) - (before['payments.inserted'] ?? 0);
    return payments > 0 ? [{ at_s, value: grown / payments }] : [];
  });
}

/** Returns the highest share of dead rows of each large table that lasted for a minute, after the warm-up. */
export function deadRows(samples: readonly Sample[], warmup_s: number): Bound[] {
  const settled_s = Math.max(warmup_s, SETTLED_MIN_S);
  const shares = new Map<string, Point[]>();
  for (const { at_s, values } of samples) {
    for (const [name, rows] of Object.entries(values)) {
      const [, table] = /^table\.(\w+)\.rows$/.exec(name) ?? [];
      if (table === undefined || rows < MIN_ROWS || table === 'deliveries') continue;
      const dead = values[`table.${table}.dead`] ?? 0;
      const points = shares.get(table) ?? [];
      points.push({ at_s, value: dead / (dead + rows) });
      shares.set(table, points);
    }
  }
  return [...shares].map(([table, points]) => ({
    name: `dead rows of ${table}`,
    highest: Math.max(0, ...points.filter(({ at_s }) => at_s >= settled_s).map((point) => lowestBefore(points, point))),
    bound: MAX_DEAD_SHARE,
  }));
}

/** Connections of the run itself, and those that test for a moment whether a database can be reached. */
const OTHER_CONNECTIONS = 16;

/** Returns the most connections at one time, as a share of what the pools of both processes allow. */
export function connectionShare(samples: readonly Sample[]): Bound[] {
  const highestOf = (name: string) => Math.max(0, ...samples.map(({ values }) => values[name] ?? 0));
  const allowed = highestOf('api.pool_most') + highestOf('worker.pool_most');
  if (allowed === 0) return [];
  return [
    { name: 'connections that the pools allow', highest: highestOf('db.connections') / (allowed + OTHER_CONNECTIONS), bound: 1 },
  ];
}

/** Returns the lowest of the values that were sampled in the minute that ends at a point. */
function lowestBefore(points: readonly Point[], { at_s }: Point): number {
  const minute = points.filter((point) => point.at_s >= at_s - DEAD_FOR_S && point.at_s <= at_s);
  return Math.min(...minute.map(({ value }) => value));
}
