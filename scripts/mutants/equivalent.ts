import fs from 'node:fs';
import path from 'node:path';
import type { Mutant } from './mutant.ts';

/** A mutant that behaves like the program, with the reason. Positions are not stored, because other changes of the file move them. */
export interface Equivalent {
  file: string;
  /** Line of the source, without its indent. */
  text: string;
  from: string;
  to: string;
  reason: string;
}

const FILE = 'test/mutants/equivalent.json';

/** Reads the list of equivalent mutants. */
export function readEquivalents(root: string): Equivalent[] {
  return JSON.parse(fs.readFileSync(path.join(root, FILE), 'utf8')) as Equivalent[];
}

/** Returns why the mutant behaves like the program, if the list says so. */
export function reasonFor(mutant: Mutant, list: readonly Equivalent[]): string | undefined {
  return list.find((one) => isSame(one, mutant))?.reason;
}

/** Returns the entries that no mutant matches any more. */
export function stale(list: readonly Equivalent[], mutants: readonly Mutant[]): Equivalent[] {
  return list.filter((one) => !mutants.some((mutant) => isSame(one, mutant)));
}

function isSame(one: Equivalent, mutant: Mutant): boolean {
  const keys = ['file', 'text', 'from', 'to'] as const;
  return keys.every((key) => plain(one[key]) === plain(mutant[key]));
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
