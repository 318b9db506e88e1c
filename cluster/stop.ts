import fs from 'node:fs';
import path from 'node:path';
import { identify, isRunning, type Running, stopProcesses } from './processes.ts';
import { readState, type State, writeState } from './state.ts';

/** The program first, so that it finishes its work; then what it stands on. */
const ORDER: readonly (readonly Running['kind'][])[] = [
  ['api', 'worker'],
  ['haproxy', 'pgbouncer', 'simulators', 'redis'],
  ['patroni'],
  ['etcd', 'namespace'],
];
/** Longer than DRAIN_MS and SHUTDOWN_MS together. */
const STOP_MS = 25_000;

/**
 * Ends the processes that were started in a folder, by their pids. What belongs to other programs by now is left alone.
 * @returns the names of the processes that were running
 */
export async function stopCluster(folder: string): Promise<string[]> {
  const state = readState(folder);
  if (!state) return [];
  const running = state.processes.filter(isRunning);
  for (const kinds of ORDER) {
    const some = running.filter(({ kind }) => kinds.includes(kind));
    await stopProcesses(some, STOP_MS);
    // A Patroni that was killed leaves its PostgreSQL behind.
    if (kinds.includes('patroni')) await stopProcesses(postmasters(state), STOP_MS);
  }
  writeState({ ...state, processes: [] });
  return running.map(({ name }) => name);
}

/** Ends everything at once. For the exit of a command, which cannot wait. */
export function killCluster(folder: string): void {
  const state = readState(folder);
  if (!state) return;
  const list = [...state.processes.filter(isRunning), ...postmasters(state)];
  for (const { pid } of list) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Returns the servers of PostgreSQL that run on the data of this folder. */
export function postmasters(state: Pick<State, 'folder' | 'members'>): Pick<Running, 'pid' | 'started'>[] {
  return state.members.flatMap(({ name }) => {
    const found = postmasterOf(state, name);
    return found ? [found] : [];
  });
}

export function postmasterOf({ folder }: Pick<State, 'folder'>, member: string): Pick<Running, 'pid' | 'started'> | null {
  const data = path.join(folder, member, 'data');
  const file = path.join(data, 'postmaster.pid');
  if (!fs.existsSync(file)) return null;
  const pid = Number(fs.readFileSync(file, 'utf8').split('\n')[0]);
  // The file may be left from a crash, and its pid belong to another program.
  const command = readCommand(pid);
  return command.includes(data) ? identify(pid) : null;
}

function readCommand(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
