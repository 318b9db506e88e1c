import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { canEnter } from '../../src/platform/db/embedded/account.ts';
import { waitFor } from '../../src/platform/db/embedded/wait.ts';
import { startEmbedded } from '../../src/platform/db/embedded.ts';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
export const isRoot = process.getuid?.() === 0;

/** The ordinary user that root becomes in a test. */
export const NOBODY = 65534;

/** For anything that should happen soon; generous, for busy machines. */
export const SOON_MS = 120_000;

/** What owner.ts says. */
export interface Started {
  url: string;
  owned: boolean;
  pid: number;
  data_dir: string;
}

export interface Owner extends Started {
  child: ChildProcess;
  /** Sends one line and waits for the end of the process. */
  tell(line: string): Promise<void>;
  lines: string[];
}

export interface OwnerOptions {
  durable?: boolean;
  /** Runs it as this user; needs root. */
  uid?: number;
  /** The checkout whose owner.ts runs. */
  checkout?: string;
  /** A command to run it under. */
  under?: string[];
}

/** Why a test cannot become nobody; false when it can. */
export function nobodySkip(): string | false {
  if (!isRoot) return 'needs root, to become nobody';
  const reachable = [process.execPath, root].every((file) => canEnter({ uid: NOBODY, gid: NOBODY }, file));
  return !reachable && 'this checkout is out of reach of nobody';
}

const endings = new WeakMap<TestContext, (() => unknown)[]>();

/** Like `t.after`, but last come, first served: a folder must outlive the server in it. */
export function atEnd(t: TestContext, action: () => unknown): void {
  const known = endings.get(t);
  if (known) return void known.push(action);
  const actions = [action];
  endings.set(t, actions);
  t.after(async () => {
    for (const next of actions.reverse()) await next();
  });
}

/** A folder that goes with the test; others may enter it, as they may an ordinary DATA_DIR. */
export function temporaryFolder(t: TestContext, mode = 0o755): string {
  const folder = newFolder();
  fs.chmodSync(folder, mode);
  atEnd(t, () => removeFolder(folder));
  return folder;
}

let seed = '';

/** Makes the cluster that `clusterFolder` copies: a tenth of the time that making one takes. */
export async function makeSeed(): Promise<void> {
  seed = newFolder();
  process.once('exit', () => removeFolder(seed));
  fs.chmodSync(seed, 0o755);
  await (await startEmbedded({ dataDir: seed, durable: false })).stop();
}

/** A DATA_DIR with a finished cluster. */
export function clusterFolder(t: TestContext): string {
  const folder = temporaryFolder(t);
  execFileSync('cp', ['-a', path.join(seed, 'pg18'), folder]);
  return folder;
}

let sockets = '';

/** The tmp of all owners: they are killed rather than stopped, and would litter the real one. */
function socketsFolder(): string {
  if (sockets === '') {
    sockets = newFolder();
    fs.chmodSync(sockets, 0o1777);
    process.once('exit', () => removeFolder(sockets));
  }
  return sockets;
}

function newFolder(): string {
  return fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-start-')));
}

function removeFolder(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
}

/** Starts owner.ts without waiting for its database. */
export function spawnOwner(t: TestContext, dataDir: string, options: OwnerOptions = {}): ChildProcess {
  const script = path.join(options.checkout ?? root, 'test', 'db', 'owner.ts');
  const command = [...(options.under ?? []), process.execPath, script, dataDir];
  if (options.durable) command.push('durable');
  const child = spawn(command[0] as string, command.slice(1), {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // a group of its own, as a terminal makes it
    cwd: '/',
    env: { ...process.env, TMPDIR: socketsFolder() },
    ...(options.uid && { uid: options.uid, gid: options.uid }),
  });
  child.stdin?.on('error', () => {});
  atEnd(t, async () => {
    const gone = ended(child);
    child.kill('SIGKILL');
    await gone;
  });
  return child;
}

/** Starts owner.ts and waits until its database is there. */
export async function startOwner(t: TestContext, dataDir: string, options: OwnerOptions = {}): Promise<Owner> {
  let started: Started | undefined;
  atEnd(t, () => waitFor(() => !started?.owned || !isAlive(started.pid), SOON_MS));
  const child = spawnOwner(t, dataDir, options);
  const lines: string[] = [];
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  readline.createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line));
  await waitFor(() => lines.length > 0 || child.exitCode !== null || child.signalCode !== null, SOON_MS);
  const [first] = lines;
  if (!first) throw new Error(`no database: ${errors || 'nothing said'}`);
  started = JSON.parse(first) as Started;
  const tell = async (line: string) => {
    child.stdin?.write(`${line}\n`);
    await ended(child);
  };
  return { ...started, child, lines, tell };
}

/** The exit code of a process, or the signal that ended it. */
export async function ended(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode === null && child.signalCode === null) {
    await once(child, 'exit', { signal: AbortSignal.timeout(SOON_MS) });
  }
  return child.signalCode ?? child.exitCode;
}

/** Runs statements on a connection of its own; the rows of the last one. */
export async function query(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: SOON_MS });
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** True while the process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return process.platform !== 'linux' || !/^\d+ \(.*\) [ZX]/s.test(readStat(pid) ?? '');
}

/** Whether it ends soon: a server that has let go of its memory serves no more, and is a process for a moment longer. */
export async function gone(pid: number): Promise<boolean> {
  return (await waitFor(() => !isAlive(pid), SOON_MS)) === true;
}

/** The children of a process. Linux only. */
export function childrenOf(pid: number): number[] {
  const all = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((other) => parentOf(other) === pid);
}

/** The parent of a process. Linux only. */
export function parentOf(pid: number): number | null {
  const fields = readStat(pid)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  return fields?.[1] ? Number(fields[1]) : null;
}

function readStat(pid: number): string | null {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
}
