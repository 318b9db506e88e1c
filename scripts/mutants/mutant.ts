import { createHash } from 'node:crypto';

/** A replacement in a source text. */
export interface Replacement {
  start: number;
  end: number;
  to: string;
  mutator: string;
}

/** A source file with one replacement: one small defect. */
export interface Mutant extends Replacement {
  /** Id that depends only on the line, the replacement and the number of equal replacements before it. */
  id: string;
  room: string;
  language: 'ts' | 'sql';
  /** From the root of the repository. */
  file: string;
  line: number;
  /** The line of the source, without its indent. */
  text: string;
  from: string;
}

/** Returns the mutants of a source in order, each replacement once. */
export function mutantsOf(
  { file, room, source }: { file: string; room: string; source: string },
  replacements: readonly (Replacement & { language: Mutant['language'] })[],
): Mutant[] {
  const seen = new Set<string>();
  const equal = new Map<string, number>();
  const sorted = replacements.toSorted((a, b) => a.start - b.start || a.end - b.end || compare(a.to, b.to));
  return sorted.flatMap((replacement): Mutant[] => {
    const { start, end, to, mutator } = replacement;
    const place = `${start} ${end} ${to}`;
    const from = source.slice(start, end);
    if (seen.has(place) || from === to) return [];
    seen.add(place);
    const line = source.slice(0, start).split('\n').length;
    const text = (source.split('\n')[line - 1] ?? '').trim();
    const key = JSON.stringify([file, mutator, text, from, to]);
    const count = equal.get(key) ?? 0;
    equal.set(key, count + 1);
    const id = createHash('sha256').update(`${key}${count}`).digest('hex').slice(0, 10);
    return [{ ...replacement, id, room, file, line, text, from }];
  });
}

/** Returns the source with the mutant's replacement. */
export function mutate(source: string, { start, end, to }: Replacement): string {
  return source.slice(0, start) + to + source.slice(end);
}

/** Returns a text on one line, shortened. */
export function oneLine(text: string, length = 90): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length - 2)} …`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
