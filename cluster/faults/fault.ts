import type { Kind } from '../load/client.ts';
import type { Window } from '../oracle/judge.ts';
import type { Stage } from '../stage.ts';

/** What a fault leaves for the oracle. */
export interface Course {
  /** When requests may fail, and how. */
  windows: Window[];
  /** When another primary was there; null: the primary stayed. Writes must be back soon after. */
  primary_at: number | null;
  /** What the fault itself saw that must not be. */
  found: string[];
}

/** One way to break a cluster. Its file brings back what it has broken. */
export interface Fault {
  name: string;
  title: string;
  /** No request may fail. */
  is_unnoticed?: true;
  /** Changes the cluster before the first load. */
  prepare?(stage: Stage): Promise<void>;
  /** Returns why it cannot be run here; null: it can. */
  impossible(stage: Stage): string | null;
  run(stage: Stage): Promise<Course>;
}

/** Writes have to be back this long after the new primary. */
export const BACK_MS = 5_000;
/** What callers may get while there is no primary: our 500, or the balancer's page. */
export const OUTAGE: readonly Kind[] = ['500', 'balancer'];

/** No request may fail. */
export const UNNOTICED: Course = { windows: [], primary_at: null, found: [] };

/** Runs something that takes the primary away, and waits for the next one. */
export async function failover(stage: Stage, act: (primary: string) => Promise<void> | void): Promise<Course> {
  const { name } = await stage.primary();
  const from = Date.now();
  stage.progress(`the primary is ${name}`);
  await act(name);
  const primary_at = await stage.untilOtherPrimary(name, from);
  return { windows: [{ from, to: primary_at + BACK_MS, kinds: OUTAGE }], primary_at, found: [] };
}

/** Runs something for some seconds. Requests may fail in this time, and a little longer. */
export async function during(kinds: readonly Kind[], slack_ms: number, act: () => Promise<void>): Promise<Course> {
  const from = Date.now();
  await act();
  return { windows: [{ from, to: Date.now() + slack_ms, kinds }], primary_at: null, found: [] };
}
