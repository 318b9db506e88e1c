import type { Clock } from '../kit/clock.ts';
import type { Environment } from '../kit/environment.ts';
import type { Log } from '../kit/log.ts';
import { Throttle } from '../kit/throttle.ts';
import type { Config } from '../platform/config/config.ts';
import type { Stores } from '../platform/db/stores.ts';
import { ExchangeLog } from '../providers/exchanges/log.ts';
import { RequestLog } from '../tenants/request-log/log.ts';

/** Maximum log lines about lost rows in a minute, for each log and environment. */
const LINES_PER_MINUTE = 1;

interface LossParts {
  log: Log;
  clock: Clock;
  /** Null when metrics are disabled. */
  meters: { lost(environment: Environment, log: string, rows: number): void } | null;
}

/** Counts and reports rows that a background log could not store. */
export type Losses = (environment: Environment, name: string, rows: number, error?: unknown) => void;

/** Returns a function that counts every lost row and logs at most one line a minute, so that an outage does not fill the log. */
export function lossesOf({ log, clock, meters }: LossParts): Losses {
  const lines = new Throttle(clock, LINES_PER_MINUTE);
  return (environment, name, rows, error) => {
    meters?.lost(environment, name, rows);
    if (lines.take(`${environment} ${name}`) > 0) return;
    log.warn({ environment, log: name, rows, ...(error === undefined ? {} : { err: error }) }, 'rows of a log were lost');
  };
}

/** Returns the request log; null when it is off. */
export function requestLogOf({ requests_per_day }: Config, { sandbox, live }: Stores, losses: Losses): RequestLog | null {
  if (requests_per_day === null) return null;
  return new RequestLog({
    max_per_day: requests_per_day,
    stores: { sandbox: sandbox.db, live: live.db },
    lost: (environment, rows, error) => losses(environment, 'requests', rows, error),
  });
}

/** Returns the log of exchanges with providers; null when it is off. */
export function exchangeLogOf({ provider_exchanges }: Config, { sandbox, live }: Stores, losses: Losses): ExchangeLog | null {
  if (!provider_exchanges) return null;
  const stores = { sandbox: sandbox.db, live: live.db };
  return new ExchangeLog(stores, (environment, rows, error) => losses(environment, 'exchanges', rows, error));
}
