import { DatabaseUnavailable } from '../kit/database-unavailable.ts';
import type { Clock } from '../kit/clock.ts';
import type { Environment } from '../kit/environment.ts';
import type { Log } from '../kit/log.ts';
import type { Worker } from './worker.ts';

export interface Sweep {
  name: string;
  environment: Environment;
  /** How long to rest when the last round found nothing. */
  idle_ms: number;
  /**
   * One round: claims a bounded batch of due rows, does the work, records it.
   * @returns how many rows it handled; above 0 the next round follows at once
   */
  round(): Promise<number>;
  /** Like `round`, without waiting for the work it begins. Where there is one, a started sweep calls it instead. */
  begin?(): Promise<number>;
  /** Resolves when the work that `begin` has begun has ended; nothing more begins. */
  end?(): Promise<void>;
}

const ERROR_REST_MS = 1_000;
/** What rests for long is tried again sooner than that when it failed. */
const LONGEST_ERROR_REST_MS = 10_000;

/**
 * The one primitive of background work: rounds over due rows until stopped. Rows are claimed with a lease by the round
 * itself, so any number of processes may run the same sweep and a killed one's rows come due again. Sweeps are not woken
 * by commits: under load that is one empty look of every sweep for every request (it halved POST /payments).
 */
export function startSweep(sweep: Sweep, tools: { clock: Clock; log: Log }): Worker {
  let stopping = false;
  let lastRound = tools.clock.now();
  // Resting for an hour is not being stuck: there is nothing to do.
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
        if ((await (sweep.begin ?? sweep.round)()) > 0) pause = 0;
        lastRound = tools.clock.now();
      } catch (err) {
        tools.log.error(
          { err, sweep: sweep.name, environment: sweep.environment },
          'a background round failed; it will be tried again',
        );
        pause = Math.max(ERROR_REST_MS, Math.min(sweep.idle_ms, LONGEST_ERROR_REST_MS));
        failed = true;
        // The round came to its end; what the database lacks, all nodes lack, and readiness says so by itself.
        if (err instanceof DatabaseUnavailable) lastRound = tools.clock.now();
      }
      resting = !failed;
      if (pause > 0 && !stopping) await rest(pause);
      resting = false;
    }
  };
  const done = loop().then(() => sweep.end?.());

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
