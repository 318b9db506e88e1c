import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum wait of a scrape for one query. Prometheus gives up the whole scrape after ten seconds by default. */
const DEADLINE_MS = 3_000;

/**
 * Caches the result of `read`, regardless of the number of scrapers. Only one run is in progress at a time, so a slow database is not
 * queried again before it has answered. A failed result is not cached.
 *
 * A call whose run takes longer than the deadline is rejected. The previous result is returned instead until it has twice the maximum
 * age, so that an alert on a slow query is not reset by each new run.
 * @param keep_ms milliseconds on the monotonic clock, because this limits load and has no effect on payments
 */
export function cached<T>(read: () => Promise<T>, keep_ms: number, deadline_ms = DEADLINE_MS): () => Promise<T> {
  let last: { result: T; at: number } | undefined;
  let running: Promise<T> | undefined;
  const run = async () => {
    const at = performance.now();
    last = { result: await read(), at };
    return last.result;
  };
  const overdue = async () => {
    await sleep(deadline_ms, undefined, { ref: false });
    if (last && performance.now() - last.at < 2 * keep_ms) return last.result;
    throw new Error(`no answer within ${deadline_ms} ms`);
  };
  return async () => {
    if (last && performance.now() - last.at < keep_ms) return last.result;
    running ??= run().finally(() => {
      running = undefined;
    });
    return Promise.race([running, overdue()]);
  };
}
