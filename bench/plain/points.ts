import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Counted } from '../child/tally.ts';
import { Helper } from '../helper.ts';
import type { Options } from '../options.ts';
import type { Point } from '../rounds.ts';
import { POOL } from '../service.ts';
import { clear, type Stage } from '../stage.ts';
import type { LoopJob } from './loop.ts';
import type { Team } from './payment.ts';
import type { PlainOptions } from './service.ts';

const START_MS = 10_000;
const TABLES = ['payments', 'idempotency_keys', 'events', 'deliveries', 'one_row'];

export type Plain = Helper<PlainOptions, { port: number }>;

/** Starts the plain service with a pool as large as that of the service. */
export async function startPlainProcess(
  stage: Stage,
  keys: PlainOptions['keys'],
): Promise<{ pid: number; port: number; stop(): Promise<void> }> {
  const plain: Plain = new Helper('plain', stage.folder, { entry: path.join(import.meta.dirname, 'process.ts') });
  const { port } = await plain.run({ url: stage.plain.url, pool: POOL, keys }, START_MS);
  return { pid: plain.pid, port, stop: () => plain.stop() };
}

export function newPlainKeys(count: number, team: Team): PlainOptions['keys'] {
  return Array.from({ length: count }, () => [`sk_test.${randomBytes(24).toString('hex')}`, team]);
}

export function clearPlain({ plain }: Stage): Promise<void> {
  return clear(plain.client, TABLES);
}

export function startLoop(stage: Stage): Helper<LoopJob, Counted> {
  return new Helper('loop', stage.folder, { entry: path.join(import.meta.dirname, 'loop.ts') });
}

/** The plain insert loop, and the same with the smallest row there is. */
export function loopPoint(
  stage: Stage,
  { warm_seconds, seconds }: Options,
  loop: Helper<LoopJob, Counted>,
  job: Pick<LoopJob, 'what' | 'connections' | 'team' | 'body'>,
): Point {
  const { what, connections } = job;
  const windows = { warm_ms: warm_seconds * 1000, window_ms: seconds * 1000 };
  return {
    id: `${what === 'payments' ? 'loop' : what}-${connections}`,
    label: `${what === 'payments' ? 'plain insert loop' : 'insert of one integer in a loop'}, ${connections} connections`,
    service_pid: null,
    client_pid: loop.pid,
    prepare: () => clearPlain(stage),
    run: (started) =>
      loop.run({ ...windows, ...job, url: stage.plain.url }, windows.warm_ms + windows.window_ms + 60_000, started),
  };
}
