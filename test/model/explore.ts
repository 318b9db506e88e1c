/** A step of a world, with the name under which a trace shows it. */
export interface Step<W> {
  name: string;
  world: W;
}

/** A state machine with its surroundings: what can happen in a world, and what must hold in every world. */
export interface Model<W> {
  /** Returns every step that is possible in a world. */
  steps(world: W): Step<W>[];
  /** Returns the invariant that a world breaks, or null. */
  broken(world: W): string | null;
  /** Returns a text that is the same for worlds that are alike. */
  key(world: W): string;
}

/** Result of an exploration. */
export interface Exploration {
  worlds: number;
  steps: number;
  /** Whether no unseen world was left: every reachable world was visited. */
  complete: boolean;
  /** Steps from the start to a world that breaks an invariant; null when none was found. */
  violation: { broken: string; trace: string[] } | null;
}

type Seen = Map<string, { from: string; name: string }>;

/** Visits every world that can be reached in at most `depth` steps, in order of distance, so that a violation has a shortest trace. */
export function explore<W>(model: Model<W>, start: W, depth: number, visit: (world: W) => void = () => {}): Exploration {
  const startKey = model.key(start);
  const seen: Seen = new Map([[startKey, { from: '', name: '' }]]);
  let frontier = [{ world: start, key: startKey }];
  let steps = 0;
  for (let distance = 0; frontier.length > 0; distance++) {
    const next: typeof frontier = [];
    for (const { world, key } of frontier) {
      const broken = model.broken(world);
      if (broken) return { worlds: seen.size, steps, complete: false, violation: { broken, trace: traceOf(seen, key) } };
      visit(world);
      if (distance === depth) continue;
      for (const { name, world: after } of model.steps(world)) {
        steps++;
        const reached = model.key(after);
        if (seen.has(reached)) continue;
        seen.set(reached, { from: key, name });
        next.push({ world: after, key: reached });
      }
    }
    if (distance === depth) return { worlds: seen.size, steps, complete: false, violation: null };
    frontier = next;
  }
  return { worlds: seen.size, steps, complete: true, violation: null };
}

function traceOf(seen: Seen, key: string): string[] {
  const trace: string[] = [];
  for (let at = seen.get(key); at && at.name !== ''; at = seen.get(at.from)) trace.unshift(at.name);
  return trace;
}

/** Returns the list with one element replaced. */
export function replaced<T>(list: readonly T[], index: number, element: T): T[] {
  return list.map((old, i) => (i === index ? element : old));
}
