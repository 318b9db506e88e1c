import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process to start. */
export interface Spec {
  name: string;
  kind: 'namespace' | 'etcd' | 'patroni' | 'haproxy' | 'pgbouncer' | 'redis' | 'simulators' | 'api' | 'worker';
  command: string[];
  env: Record<string, string>;
  cwd: string;
  log: string;
  /** Where it listens, as host:port; shown by `status`. */
  address: string;
}

/** A process that was started. Its pid alone could belong to another process by now. */
export interface Running extends Spec {
  pid: number;
  /** Start of the process, in clock ticks since the boot of the machine. */
  started: string;
}

const POLL_MS = 50;
/** Fields after the name in /proc/PID/stat. */
const STATE = 0;
const STARTED = 19;

/** Starts a process that outlives this one. Its output goes to its log. */
export function startProcess(spec: Spec): Running {
  fs.mkdirSync(path.dirname(spec.log), { recursive: true });
  const log = fs.openSync(spec.log, 'a');
  try {
    const [program, ...args] = spec.command as [string, ...string[]];
    const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log], cwd: spec.cwd, env: spec.env });
    child.on('error', () => {}); // its pid is missing then
    child.unref();
    const { pid } = child;
    if (pid === undefined) throw new Error(`${spec.name}: ${program} could not be started`);
    return { ...spec, pid, started: statOf(pid)?.started ?? '' };
  } finally {
    fs.closeSync(log);
  }
}

/** Returns whether the very process still runs. */
export function isRunning({ pid, started }: Pick<Running, 'pid' | 'started'>): boolean {
  const stat = statOf(pid);
  return stat !== null && stat.started === started && stat.state !== 'Z' && stat.state !== 'X';
}

/** Sends a signal, if the process still runs. */
export function signalProcess(running: Pick<Running, 'pid' | 'started'>, signal: NodeJS.Signals): boolean {
  if (!isRunning(running)) return false;
  try {
    process.kill(running.pid, signal);
    return true;
  } catch {
    return false; // it has ended meanwhile
  }
}

/** Asks processes to end, kills those that have not ended in time, and returns when all are gone. */
export async function stopProcesses(list: readonly Pick<Running, 'pid' | 'started'>[], timeout_ms: number): Promise<void> {
  for (const one of list) {
    signalProcess(one, 'SIGCONT'); // a frozen process does not handle SIGTERM
    signalProcess(one, 'SIGTERM');
  }
  if (await allGone(list, timeout_ms)) return;
  for (const one of list) signalProcess(one, 'SIGKILL');
  await allGone(list, timeout_ms);
}

async function allGone(list: readonly Pick<Running, 'pid' | 'started'>[], timeout_ms: number): Promise<boolean> {
  const deadline = performance.now() + timeout_ms;
  while (list.some(isRunning)) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** Returns what identifies a process, so that it can be stopped later by {@link stopProcesses}; null when there is none. */
export function identify(pid: number): Pick<Running, 'pid' | 'started'> | null {
  const stat = statOf(pid);
  return stat && { pid, started: stat.started };
}

function statOf(pid: number): { state: string; started: string } | null {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[STATE] as string, started: fields[STARTED] as string };
  } catch {
    return null;
  }
}

/** Returns the end of a log, for messages. */
export function tailOf(log: string, bytes = 3_000): string {
  return fs.existsSync(log) ? fs.readFileSync(log, 'utf8').slice(-bytes) : '';
}
