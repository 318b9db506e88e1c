import type { Mutant } from './mutant.ts';

/** Minimum share of SQL in a room's sample, where the room has enough. */
const MIN_SQL = 1 / 3;

/**
 * Draws a sample. One half is divided equally among the rooms, the other half by their sizes. Within a room, SQL has a share of at
 * least a third. The same seed draws the same mutants.
 */
export function sample(mutants: readonly Mutant[], size: number, seed: number): Mutant[] {
  const random = randomOf(seed);
  const rooms = Map.groupBy(mutants, ({ room }) => room);
  const sizes = divide(
    size,
    [...rooms.values()].map((all) => ({
      most: all.length,
      weight: size / 2 / rooms.size + (size / 2) * (all.length / mutants.length),
    })),
  );
  const drawn = [...rooms.values()].flatMap((all, i) => {
    const count = sizes[i] as number;
    const sql = all.filter(({ language }) => language === 'sql');
    const typescript = all.filter(({ language }) => language === 'ts');
    const share = Math.max(MIN_SQL, sql.length / all.length);
    const ofSql = Math.max(count - typescript.length, Math.min(sql.length, Math.round(count * share)));
    return [...draw(typescript, count - ofSql, random), ...draw(sql, ofSql, random)];
  });
  // In random order, so that the first mutants of an interrupted run are a sample too.
  return draw(drawn, drawn.length, random);
}

/** Divides a total by weights, each up to its maximum. The excess over a maximum goes to the others. */
function divide(total: number, parts: readonly { most: number; weight: number }[]): number[] {
  const given = parts.map(({ most, weight }) => Math.min(most, Math.floor(weight)));
  let left = Math.min(
    total,
    parts.reduce((sum, { most }) => sum + most, 0),
  );
  left -= given.reduce((sum, count) => sum + count, 0);
  for (let i = 0; left > 0; i = (i + 1) % parts.length) {
    if ((given[i] as number) >= (parts[i]?.most ?? 0)) continue;
    given[i] = (given[i] as number) + 1;
    left--;
  }
  return given;
}

function draw(from: readonly Mutant[], count: number, random: () => number): Mutant[] {
  const left = [...from];
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0] as Mutant);
}

/** Returns a generator of numbers in [0, 1), reproducible by seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
