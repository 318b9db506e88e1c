import { type ChildProcess, fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const STOP_MS = 20_000;
const LEASH = path.join(import.meta.dirname, 'leash.mjs');

/** How each is killed. */
const running = new Map<ChildProcess, () => void>();

process.on('exit', () => {
  for (const kill of running.values()) kill();
});

export interface StartOptions {
  args?: string[];
  env?: Record<string, string>;
  execArgv?: string[];
  /** Where its output goes. */
  log: string;
  /** Whether the processes that it starts are killed with it: they are not told of its end. */
  group?: boolean;
}

/** Starts a Node process that cannot outlive this one. */
export function startChild(entry: string, options: StartOptions): ChildProcess {
  const log = fs.openSync(options.log, 'a');
  const child = fork(entry, options.args ?? [], {
    env: { ...inherited(), ...options.env },
    execArgv: ['--import', LEASH, ...(options.execArgv ?? [])],
    stdio: ['ignore', log, log, 'ipc'],
    detached: options.group ?? false,
  });
  fs.closeSync(log);
  running.set(child, killer(child, options.group ?? false));
  child.on('exit', () => running.delete(child));
  child.on('error', () => {}); // its exit tells
  return child;
}

/** Asks it to end and waits; what does not end in time is killed. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => running.get(child)?.(), STOP_MS);
  await gone;
  clearTimeout(timer);
}

export async function stopChildren(): Promise<void> {
  await Promise.all([...running.keys()].map(stopChild));
}

function killer(child: ChildProcess, group: boolean): () => void {
  return () => {
    if (!group || !child.pid) return void child.kill('SIGKILL');
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  };
}

/** Settings of the caller's shell must not change what is measured. Compiled sources are kept, as the launcher keeps those of everything but the service. */
function inherited(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_COMPILE_CACHE'];
  return Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
