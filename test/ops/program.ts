import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { KeysFile } from '../../src/program/start/demo.ts';
import { freePort, until } from '../setup/api.ts';
import type { Databases } from '../setup/databases.ts';

const MAIN = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const START_LIMIT_MS = 240_000;

/** Settings of whoever runs the tests, which no program under test may see. */
const SETTINGS = /^(PROFILE|HOST|PORT|PUBLIC_URL|SECRETS_KEY|REDIS_URL|METRICS_|OTEL_|NODE_TEST_|[A-Z]+_DATABASE_URL)/;

/** The program as operators run it: a process of its own. */
export interface Program {
  url: string;
  keys: KeysFile;
  child: ChildProcess;
  /** What it wrote to its log. */
  log(): string;
  /** SIGTERM; the exit code, null if a signal ended it. */
  stop(): Promise<number | null>;
}

export interface ProgramOptions {
  role?: string;
  /** Folder of another release. */
  release?: string;
  dataDir: string;
  /** Left out: the database under dataDir. */
  databases?: Databases;
  env?: Record<string, string>;
  /** Sees what it has written to its log so far, also before it is ready. */
  listening?: (log: string) => void;
}

/** Starts one and waits until it is ready to serve. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { role = 'all', release, dataDir, databases, env = {}, listening } = options;
  const port = env.PORT ?? String(await freePort());
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !SETTINGS.test(name)));
  const urls = databases && {
    CONTROL_DATABASE_URL: databases.control,
    SANDBOX_DATABASE_URL: databases.sandbox,
    LIVE_DATABASE_URL: databases.live,
  };
  const child = spawn(process.execPath, [release ? path.join(release, 'src', 'main.ts') : MAIN, role], {
    env: {
      ...inherited,
      DATA_DIR: dataDir,
      PORT: port,
      LOG_FORMAT: 'json',
      RATE_LIMITS: 'off',
      SANDBOX_DELAY_MS: '50',
      ...urls,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      listening?.(text);
    });
  }
  const url = `http://127.0.0.1:${port}`;
  const ready = async () => {
    if (child.exitCode !== null) throw new Error(`the program ended: ${text}`);
    if (role === 'worker') return text.includes('"msg":"started"') ? 200 : 0;
    return (await fetch(`${url}/health/ready`).catch(() => null))?.status ?? 0;
  };
  await until(ready, (status) => status === 200, START_LIMIT_MS);
  return {
    url,
    child,
    get keys() {
      return JSON.parse(fs.readFileSync(path.join(dataDir, 'keys.json'), 'utf8')) as KeysFile;
    },
    log: () => text,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
  };
}

/** A folder that an unprivileged server may enter. */
export function newFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-ops-')));
  fs.chmodSync(folder, 0o711);
  return folder;
}

/** One call with a secret key. */
export async function call(
  url: string,
  key: string,
  method: string,
  route: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${url}${route}`, {
    method,
    headers: { authorization: key, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}
