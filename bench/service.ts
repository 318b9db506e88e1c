import fs from 'node:fs';
import path from 'node:path';
import { freePort } from '../src/platform/db/embedded/address.ts';
import { startChild, stopChild } from './children.ts';
import type { Stage } from './stage.ts';

const READY_MS = 60_000;
const ROOT = path.join(import.meta.dirname, '..');
const MAIN = path.join(ROOT, 'src', 'main.ts');
/** What the launcher starts it with. */
export const LAUNCH = JSON.parse(fs.readFileSync(path.join(ROOT, 'scripts', 'run', 'service.json'), 'utf8')) as {
  flags: string[];
  env: Record<string, string>;
};

/** Connections of each pool: the service's own default, and as many for the plain service. */
export const POOL = 16;

/** The real service, as a process of its own. */
export interface Service {
  port: number;
  pid: number;
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
  const deadline = performance.now() + READY_MS;
  while (!(await isReady(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stopChild(child);
      throw new Error(`the service did not start:\n${fs.readFileSync(log, 'utf8').slice(-4_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port, pid: child.pid ?? 0, stop: () => stopChild(child) };
}

function profiling(folder: string, name: string): string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}.cpuprofile`];
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
