/** Returns a generator of numbers in [0, 1), reproducible by seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Names with their weights in percent. The remainder to 100 is `otherwise`. */
export type Weights<T extends string> = Partial<Record<T, number>>;

/**
 * Selects a name by weight.
 * @param draw from [0, 1)
 */
export function pick<T extends string>(weights: Weights<T>, otherwise: T, draw: number): T {
  let rest = draw * 100;
  for (const [name, weight] of Object.entries(weights) as [T, number][]) {
    rest -= weight;
    if (rest < 0) return name;
  }
  return otherwise;
}
