import fs from 'node:fs';
import path from 'node:path';
import { freePort } from '../src/platform/db/embedded/address.ts';
import { startChild, stopChild } from './children.ts';
import { untilReady } from './ready.ts';
import type { Stage } from './stage.ts';

const ROOT = path.join(import.meta.dirname, '..');
const MAIN = path.join(ROOT, 'src', 'main.ts');
const GIVEN = JSON.parse(fs.readFileSync(path.join(ROOT, 'scripts', 'run', 'service.json'), 'utf8')) as {
  flags: string[];
  env: Record<string, string>;
};
/** What the launcher starts it with, and without Node's cache of compiled sources, as the launcher does (scripts/run/program.mjs). */
export const LAUNCH = { flags: GIVEN.flags, env: { ...GIVEN.env, NODE_COMPILE_CACHE: '' } };

/** Connections of each pool: the service's own default, and as many for the plain service. */
export const POOL = 16;

/** The real service, as a process of its own. */
export interface Service {
  port: number;
  pid: number;
  /** From its start as a process to its first answer that it is ready. */
  ready_ms: number;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  name: string;
  role?: 'all' | 'api';
  env?: Record<string, string>;
  /** Where its CPU profile goes when it stops; null: none. */
  profile_dir: string | null;
}

export async function startService(stage: Stage, options: ServiceOptions): Promise<Service> {
  const port = await freePort();
  const log = path.join(stage.folder, `service-${options.name}.log`);
  const since = performance.now();
  const child = startChild(MAIN, {
    args: [options.role ?? 'all'],
    log,
    env: {
      ...LAUNCH.env,
      PROFILE: 'development',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      RATE_LIMITS: 'off',
      DATABASE_POOL: String(POOL),
      PORT: String(port),
      DATA_DIR: path.join(stage.folder, `service-${options.name}`),
      SECRETS_KEY: stage.secretsKey.toString('base64'),
      CONTROL_DATABASE_URL: stage.urls.control,
      SANDBOX_DATABASE_URL: stage.urls.sandbox,
      LIVE_DATABASE_URL: stage.urls.live,
      ...options.env,
    },
    execArgv: [...LAUNCH.flags, ...(options.profile_dir ? profiling(options.profile_dir, options.name) : [])],
  });
  await untilReady(child, port, log);
  return { port, pid: child.pid ?? 0, ready_ms: performance.now() - since, stop: () => stopChild(child) };
}

function profiling(folder: string, name: string): string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}.cpuprofile`];
}
