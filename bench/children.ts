import { type ChildProcess, fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const STOP_MS = 20_000;
const LEASH = path.join(import.meta.dirname, 'leash.ts');

const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface StartOptions {
  args?: string[];
  env?: Record<string, string>;
  execArgv?: string[];
  /** Where its output goes. */
  log: string;
}

/** Starts a Node process that cannot outlive this one. */
export function startChild(entry: string, options: StartOptions): ChildProcess {
  const log = fs.openSync(options.log, 'a');
  const child = fork(entry, options.args ?? [], {
    env: { ...inherited(), ...options.env },
    execArgv: ['--import', LEASH, ...(options.execArgv ?? [])],
    stdio: ['ignore', log, log, 'ipc'],
  });
  fs.closeSync(log);
  running.add(child);
  child.on('exit', () => running.delete(child));
  child.on('error', () => {}); // its exit tells
  return child;
}

/** Asks it to end and waits; what does not end in time is killed. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(timer);
}

export async function stopChildren(): Promise<void> {
  await Promise.all([...running].map(stopChild));
}

/** Settings of the caller's shell must not change what is measured. Compiled sources are kept, as `npm start` keeps them. */
function inherited(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_COMPILE_CACHE'];
  return Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
