import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** State that a running server writes to its folder. */
export interface Postmaster {
  pid: number;
  port: number;
  socketDir: string;
  ready: boolean;
}

/** Larger than any pid_max, so no process can have it. */
const NO_PID = 2_147_483_646;

/** Reads postmaster.pid; returns null when there is none. pg_ctl also relies on line 8, which is not translated. */
export function readPostmaster(cluster: string): Postmaster | null {
  const lines = readPidFile(cluster)
    ?.split('\n')
    .map((line) => line.trim());
  if (!lines) return null;
  const [pid, , , port, socketDir = '', , , status] = lines;
  return { pid: Number(pid), port: Number(port), socketDir, ready: status === 'ready' };
}

/** Returns the ready server of this cluster, or null when there is none, regardless of postmaster.pid. */
export function readyPostmaster(cluster: string): Postmaster | null {
  const postmaster = readPostmaster(cluster);
  return postmaster?.ready && serves(postmaster.pid, cluster) ? postmaster : null;
}

/**
 * Returns whether this process id is the server of this cluster. A pid alone proves nothing: after a crash or in a new
 * container it may belong to any process, including the server of another cluster or a zombie (no command line).
 */
export function serves(pid: number, cluster: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === NO_PID) return false;
  if (process.platform === 'win32') return exists(pid); // on Windows the server performs its own check
  return ` ${commandLine(pid)} `.includes(` -D ${cluster} `);
}

/**
 * Neutralises a postmaster.pid that names a foreign process. The pid is replaced and the file kept: the server reads its
 * shared memory key from the file to make sure that no orphan of the dead server still writes.
 */
export function disownPidFile(cluster: string): void {
  const text = readPidFile(cluster);
  if (text === null) return;
  fs.writeFileSync(path.join(cluster, 'postmaster.pid'), text.replace(/^.*/, String(NO_PID)));
}

function readPidFile(cluster: string): string | null {
  try {
    return fs.readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return ''; // no such process
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
