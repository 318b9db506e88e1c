import fs from 'node:fs';

/** USER_HZ: 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface Process {
  parent: number;
  /** Its own CPU time and that of its children that have ended. */
  cpu_s: number;
}

/** What /proc says at one moment. */
export interface CpuReading {
  at_ms: number;
  /** CPU time of the whole machine that was not idle, steal included: a neighbour's burst is noise too. */
  busy_s: number;
  processes: Map<number, Process>;
}

/** @returns null where there is no /proc */
export function readCpu(): CpuReading | null {
  if (process.platform !== 'linux') return null;
  const processes = new Map<number, Process>();
  for (const name of fs.readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? readProcess(name) : null;
    if (found) processes.set(Number(name), found);
  }
  return { at_ms: performance.now(), busy_s: readBusy(), processes };
}

/** CPU seconds of a process and all its descendants. */
export function treeCpu(reading: CpuReading, root: number): number {
  let sum = 0;
  for (const [pid, { cpu_s }] of reading.processes) if (isBelow(reading, pid, root)) sum += cpu_s;
  return sum;
}

/** CPU seconds of this process, without those of the processes that it started. */
export function ownCpu({ processes }: CpuReading): number {
  return processes.get(process.pid)?.cpu_s ?? 0;
}

function isBelow(reading: CpuReading, pid: number, root: number): boolean {
  for (let at: number | undefined = pid; at; at = reading.processes.get(at)?.parent) if (at === root) return true;
  return false;
}

function readProcess(pid: string): Process | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything, so fields are counted from behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0);
    return { parent: Number(fields[1]), cpu_s: ticks / TICKS_PER_SECOND };
  } catch {
    return null; // it ended while we looked
  }
}

/** user, nice, system and steal; interrupts serve our own loopback traffic and belong to nobody. */
function readBusy(): number {
  const fields = (fs.readFileSync('/proc/stat', 'latin1').split('\n')[0] ?? '').split(/ +/).map(Number);
  return [1, 2, 3, 8].reduce((sum, i) => sum + (fields[i] ?? 0), 0) / TICKS_PER_SECOND;
}
