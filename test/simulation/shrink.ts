import type { WorldOptions, WorldReport } from './world.ts';

const FAULTS = ['crash', 'cut', 'commit', 'pause', 'losses'];

export interface Shrunk {
  without: ReadonlySet<string>;
  /** With its story. */
  report: WorldReport;
  runs: number;
}

/**
 * Leaves out actors, their operations and kinds of faults, as long as the world still fails in the same way. The schedule is drawn
 * anew each time, so that a failure that needs a rare order may survive with more than it needs.
 * @param run runs a world
 * @param limit runs at most
 */
export async function shrink(
  run: (options: WorldOptions) => Promise<WorldReport>,
  options: WorldOptions,
  failure: WorldReport,
  limit = 60,
): Promise<Shrunk> {
  const kinds = new Set(failure.wrong.map(kindOf));
  let without = new Set(options.without);
  let runs = 0;
  const fails = async (more: readonly string[]): Promise<boolean> => {
    if (more.length === 0 || runs >= limit) return false;
    runs++;
    const tried = new Set([...without, ...more]);
    const { wrong } = await run({ ...options, without: tried });
    if (!wrong.some((line) => kinds.has(kindOf(line)))) return false;
    without = tried;
    return true;
  };
  await reduce(
    failure.actors.map(({ name }) => name),
    fails,
  );
  for (const fault of FAULTS) await fails([fault]);
  const left = failure.actors.filter(({ name }) => !without.has(name));
  await reduce(
    left.flatMap(({ name, operations }) => operations.map((operation) => `${name}/${operation}`)),
    fails,
  );
  return { without, report: await run({ ...options, without, story: true }), runs };
}

/** Tries to leave out halves, then quarters, then ever smaller parts. */
async function reduce(parts: readonly string[], fails: (parts: readonly string[]) => Promise<boolean>): Promise<void> {
  let left = [...parts];
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < left.length; ) {
      const chunk = left.slice(from, from + size);
      if (await fails(chunk)) left = left.filter((part) => !chunk.includes(part));
      else from += size;
    }
  }
}

/** The first word of a difference, such as LOST: its ids and amounts change from run to run. */
function kindOf(line: string): string {
  return /^\S+/.exec(line)?.[0] ?? line;
}
