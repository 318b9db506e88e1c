import fs from 'node:fs';

const TAIL_BYTES = 2_000;

/** Starts a new log and keeps the log of the previous run, which shows the reason for a crash. */
export function beginLog(cluster: string): void {
  if (fs.existsSync(logFile(cluster))) fs.renameSync(logFile(cluster), `${logFile(cluster)}.1`);
  fs.closeSync(fs.openSync(logFile(cluster), 'w', 0o600));
}

/** Opens the log for the server. A file, because a pipe would close with this process, or fill up while it is busy. */
export function openLog(cluster: string): number {
  return fs.openSync(logFile(cluster), 'a');
}

/** Returns the end of the server's log; nothing when it cannot be read. */
export function logTail(cluster: string): string {
  try {
    return fs.readFileSync(logFile(cluster), 'utf8').slice(-TAIL_BYTES).trim();
  } catch {
    return '';
  }
}

function logFile(cluster: string): string {
  return `${cluster}.log`;
}
