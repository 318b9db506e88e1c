import fs from 'node:fs';
import { OptionError, type Options, type SectionName } from './options.ts';

/** Large teams by the sections that share one, and the bytes that each of its payments takes with its indexes. */
const TEAMS: readonly [sections: readonly SectionName[], bytes: number][] = [
  [['get', 'list'], 3_000],
  [['search'], 1_500],
  [['console'], 4_000],
  [['sweeps', 'lists-and-filters'], 6_500],
];
/** Write-ahead log, and everything that does not grow with the team. */
const FREE_BYTES = 10e9;
const GB = 1e9;

/**
 * Refuses a run for whose rows the disk has no room, before anything is written.
 * @param folder where the databases will be
 * @throws OptionError
 */
export function checkDisk(folder: string, { only, large_rows, quick }: Options): void {
  if (quick) return;
  const made = TEAMS.filter(([sections]) => sections.some((name) => only.includes(name)));
  const needed = FREE_BYTES + large_rows * made.reduce((sum, [, bytes]) => sum + bytes, 0);
  const { bavail, bsize } = fs.statfsSync(folder);
  const free = bavail * bsize;
  if (free >= needed) return;
  const gb = (bytes: number) => `${(bytes / GB).toFixed(0)} GB`;
  throw new OptionError(
    `${large_rows.toLocaleString('en')} payments in ${only.join(', ')} need about ${gb(needed)} in ${folder}, which has ${gb(free)} free: ` +
      'measure fewer sections (--only), or fewer payments (--rows).',
  );
}
