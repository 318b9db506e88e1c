import { setTimeout as sleep } from 'node:timers/promises';
import { takeJobs } from '../../../bench/child/jobs.ts';
import { Caller } from './caller.ts';
import { Orders } from './orders.ts';
import { type Window, Windows } from './windows.ts';

export interface ShopJob {
  port: number;
  key: string;
  seed: number;
  /** Payments per second. */
  rate: number;
  run_ms: number;
  window_ms: number;
}

export interface ShopResult {
  windows: Window[];
  /** Payments that were created. */
  created: number;
  /** Counts of charges, refunds, payouts, erasures and other steps, by name. */
  done: Record<string, number>;
  /** Unexpected answers by operation and status; status 0: no complete answer. */
  errors: Record<string, number>;
  /** The first unexpected answers. */
  examples: string[];
  /** Times of 5xx answers with `Retry-After`, in seconds since the start. */
  deferred_at_s: number[];
  /** Times of requests without a complete answer, in seconds since the start. */
  lost_at_s: number[];
  /** Orders that were not started because too many were open: the service did not keep up. */
  skipped: number;
  seconds: number;
}

/** Maximum of open orders, in seconds of arrivals. Above it the service does not keep up, and a longer queue would only hide that. */
const MAX_OPEN_S = 120;

/**
 * Starts orders at fixed times, however slow the answers are (open loop). Latency counts from the time at which the order was due,
 * so a pause of the service counts for every order that had to wait.
 */
takeJobs<ShopJob, ShopResult>(async ({ port, key, seed, rate, run_ms, window_ms }, started) => {
  const windows = new Windows();
  const caller = new Caller(`http://127.0.0.1:${port}`, key, windows);
  const orders = new Orders(caller, seed);
  const turning = setInterval(() => windows.turn(), window_ms);
  const began = performance.now();
  const total = Math.floor((run_ms / 1000) * rate);
  const open = new Set<Promise<void>>();
  let skipped = 0;
  started();
  for (let next = 0; next < total; next++) {
    const due = began + (next * 1000) / rate;
    if (due > performance.now()) await sleep(due - performance.now());
    if (open.size >= MAX_OPEN_S * rate) {
      skipped += 1;
      continue;
    }
    const order = orders.serve(next, due).catch((error: Error) => caller.failed('order', 0, error.message));
    open.add(order);
    void order.finally(() => open.delete(order));
  }
  const seconds = (performance.now() - began) / 1000;
  await Promise.all(open);
  clearInterval(turning);
  windows.turn();
  await caller.close();
  const { errors, examples, deferred_at_s, lost_at_s } = caller;
  const { created, done } = orders;
  return { windows: windows.all(), created, done, errors, examples, deferred_at_s, lost_at_s, skipped, seconds };
});
