import fs from 'node:fs';

const TAIL_BYTES = 2_000;

/** Begins a new log and keeps that of the run before, which is where the reason for a crash stands. */
export function beginLog(cluster: string): void {
  if (fs.existsSync(logFile(cluster))) fs.renameSync(logFile(cluster), `${logFile(cluster)}.1`);
  fs.closeSync(fs.openSync(logFile(cluster), 'w', 0o600));
}

/** A handle for the server to write to: a file, since a pipe would end with us, or fill up while we are busy. */
export function openLog(cluster: string): number {
  return fs.openSync(logFile(cluster), 'a');
}

/** The last words of the server. */
export function logTail(cluster: string): string {
  return fs.readFileSync(logFile(cluster), 'utf8').slice(-TAIL_BYTES).trim();
}

function logFile(cluster: string): string {
  return `${cluster}.log`;
}
