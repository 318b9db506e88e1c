import type { Random } from './contract.ts';

export const PROFILES = ['calm', 'mixed', 'stormy', 'crowded', 'slow'] as const;

/** What distinguishes one world from another: a story that needs a rare order is frequent in one of them. */
export interface Profile {
  name: (typeof PROFILES)[number];
  /** Faults of nodes, each a chance per pick. */
  faults: Faults;
  /** The longest pause of a node: in some worlds longer than every lease of the service. */
  max_pause_ms: number;
  /** Share of picks that start background work instead. */
  chores: number;
  /** Shops and payers do several things to one payment at the same moment. */
  crowded: boolean;
}

export interface Faults {
  pause: number;
  crash: number;
  cut: number;
  /** Share of commits that succeed without an answer: the connection ends right after them. */
  commit: number;
}

export const NO_FAULTS: Faults = { pause: 0, crash: 0, cut: 0, commit: 0 };

const MAX_PAUSE_MS = 100_000;
const LONG_PAUSE_MS = 900_000;

/** @param name only these are drawn; omitted: any */
export function drawProfile(random: Random, name?: Profile['name']): Profile {
  const maybe = (p: number) => (random.chance(0.6) ? p : 0);
  const mixed = { pause: maybe(1 / 600), crash: maybe(1 / 9_000), cut: maybe(1 / 2_500), commit: maybe(1 / 400) };
  const usual = { max_pause_ms: MAX_PAUSE_MS, chores: 0.04, crowded: false };
  const all: Profile[] = [
    { ...usual, name: 'calm', faults: NO_FAULTS },
    { ...usual, name: 'mixed', faults: mixed },
    { ...usual, name: 'mixed', faults: mixed },
    { ...usual, name: 'stormy', faults: { pause: 1 / 400, crash: 1 / 2_500, cut: 1 / 1_000, commit: 1 / 100 } },
    { ...usual, name: 'crowded', faults: NO_FAULTS, chores: 0.2, crowded: true },
    { ...usual, name: 'crowded', faults: mixed, chores: 0.2, crowded: true },
    {
      ...{ name: 'slow', faults: { ...NO_FAULTS, pause: 1 / 500 }, max_pause_ms: LONG_PAUSE_MS },
      ...{ chores: 0.1, crowded: true },
    },
  ];
  return random.pick(all.filter((profile) => name === undefined || profile.name === name));
}
