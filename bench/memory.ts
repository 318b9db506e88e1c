import fs from 'node:fs';

/** Resident memory of a process. */
export interface Memory {
  now_mb: number;
  most_mb: number;
}

/** @returns null where there is no /proc */
export function memoryOf(pid: number): Memory | null {
  if (process.platform !== 'linux') return null;
  const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1');
  const of = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024);
  return { now_mb: of('VmRSS'), most_mb: of('VmHWM') };
}
