import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { CommandServer } from './command-server.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

const ENTRY = path.join(import.meta.dirname, '..', '..', 'src', 'program', 'cli', 'main.ts');

/** Settings of whoever runs the tests, which no command under test may see. */
const SETTINGS =
  /^(PROFILE|HOST|PORT|PUBLIC_URL|DATA_DIR|SECRETS_KEY|LOG_|[A-Z]+_DATABASE_URL|DATABASE_POOL|FEE_|HOLD_|WEBHOOK_|REDIS_|TRUST_PROXY|RATE_LIMITS|SMTP_|METRICS_|NODE_TEST_)/;

/** The data of a run without DATA_DIR: none, and not the `var` of somebody who has started the project. */
const NO_DATA = path.join(os.tmpdir(), `pirogue-cli-none-${process.pid}`);

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
  duration_ms: number;
}

/**
 * One run of the command line, as a process of its own.
 * @param running receives the process
 */
export function pirogue(
  args: string[],
  env: Record<string, string> = {},
  running: (child: ChildProcess) => void = () => {},
): Promise<Ended> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [ENTRY, ...args], {
      env: environmentOf(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running(child);
    const text = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (part: string) => {
        text[name] += part;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, ...text, duration_ms: performance.now() - started }));
  });
}

/** The environment of a command under test. */
export function environmentOf(env: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !SETTINGS.test(name)));
  return { ...inherited, DATA_DIR: NO_DATA, ...env };
}

export interface CommandLine {
  dataDir: string;
  databases: Databases;
  control: DbPool;
  env: Record<string, string>;
  /** Runs in the process of the commands before it. {@link pirogue} starts one. */
  run(...args: string[]): Promise<Ended>;
  /** Runs with --json, demands success and silence on stderr, and reads the one document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  json(...args: string[]): Promise<any>;
  close(): Promise<void>;
}

/** A command line with three databases, a DATA_DIR and a process of its own. */
export async function openCommandLine(): Promise<CommandLine> {
  const databases = await cloneDatabases();
  const dataDir = makeFolder();
  const control = openPool({ url: databases.control, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
  const env = {
    DATA_DIR: dataDir,
    CONTROL_DATABASE_URL: databases.control,
    SANDBOX_DATABASE_URL: databases.sandbox,
    LIVE_DATABASE_URL: databases.live,
  };
  const server = new CommandServer();
  const run = (...args: string[]) => server.run({ args, env: environmentOf(env) });
  return {
    dataDir,
    databases,
    control,
    env,
    run,
    json: async (...args) => parsed(await run(...args, '--json')),
    close: async () => {
      await Promise.all([control.close(), server.stop()]);
      await databases.drop();
      fs.rmSync(dataDir, { recursive: true });
    },
  };
}

/** The one document that a successful run printed. */
// biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
export function parsed({ code, stdout, stderr }: Ended): any {
  if (code !== 0 || stderr !== '') throw new Error(`exit code ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

/** An empty folder that an unprivileged server may enter. */
export function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-cli-'));
  fs.chmodSync(folder, 0o711);
  return folder;
}
