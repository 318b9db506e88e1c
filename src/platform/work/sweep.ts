import type { Clock } from '../../kit/clock.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Log } from '../../kit/log.ts';
import { isOfDatabase, logFailure } from './failures.ts';
import type { Worker } from './worker.ts';

export interface Sweep {
  name: string;
  environment: Environment;
  /** Pause in milliseconds after a round that found nothing. */
  idle_ms: number;
  /** Number of rows of a full round. A round with fewer has handled all due rows, so the next one may wait for more. */
  full?: number;
  /**
   * Runs one round: claims a bounded batch of due rows, processes them and records the results.
   * @returns number of rows handled; above 0, the next round follows soon, and immediately when it was `full`
   */
  round(): Promise<number>;
  /** Like `round`, but does not wait for the work it starts. When present, {@link startSweep} calls it instead. */
  begin?(): Promise<number>;
  /** Prevents new work and resolves when the work started by `begin` has ended. */
  end?(): Promise<void>;
}

/** Maximum pause after a round that was not full, so that rows that become due meanwhile share the next claim. */
const GAP_MS = 50;
const ERROR_REST_MS = 1_000;
/** Maximum pause after a failed round, for sweeps with a long idle pause. */
const MAX_ERROR_REST_MS = 10_000;

/**
 * Primitive of background work: runs rounds over due rows until stopped. Each round claims rows with a lease, so any number of
 * processes may run the same sweep, and rows of a killed process become due again. Commits do not wake sweeps: under load,
 * every request would cause one empty query per sweep (it halved the throughput of POST /payments).
 */
export function startSweep(sweep: Sweep, tools: { clock: Clock; log: Log }): Worker {
  let stopping = false;
  let lastRound = tools.clock.now();
  // A sweep in its pause is idle, not stuck.
  let resting = false;
  let endRest = () => {};

  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const loop = async () => {
    while (!stopping) {
      let pause = sweep.idle_ms;
      let failed = false;
      try {
        await tools.clock.refresh?.();
        const found = await (sweep.begin ?? sweep.round)();
        if (found > 0) pause = found < (sweep.full ?? 1) ? Math.min(GAP_MS, sweep.idle_ms) : 0;
        lastRound = tools.clock.now();
      } catch (err) {
        const { name, environment } = sweep;
        logFailure(tools.log, err, { sweep: name, environment }, 'a background round failed; it will be tried again');
        pause = Math.max(ERROR_REST_MS, Math.min(sweep.idle_ms, MAX_ERROR_REST_MS));
        failed = true;
        // The round has ended: readiness reports the state of the database separately.
        if (isOfDatabase(err)) lastRound = tools.clock.now();
      }
      resting = !failed;
      if (pause > 0 && !stopping) await rest(pause);
      resting = false;
    }
  };
  const end = async () => {
    try {
      await sweep.end?.();
    } catch (err) {
      // Not thrown: the shutdown also waits for other work, which an unavailable database must not cut short.
      tools.log.warn({ err, sweep: sweep.name, environment: sweep.environment }, 'background work did not end in order');
    }
  };
  const done = loop().then(end);

  return {
    name: `${sweep.name}:${sweep.environment}`,
    lastRound: () => (resting ? tools.clock.now() : lastRound),
    stop: () => {
      stopping = true;
      endRest();
      return done;
    },
  };
}
