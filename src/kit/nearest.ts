/** Maximum characters of a name that is compared: the time of a comparison grows with the square of the length. */
const MAX_LENGTH = 64;
/** A shorter name is contained in too many others by chance. */
const MIN_CONTAINED = 4;

/**
 * Returns the candidate that a mistyped or foreign name most probably stands for, or null. In this order: the same letters and digits
 * (`expiresIn`, `expires.in`), a candidate that is the first or last words of the name (`callback_url`, `order_reference`), a candidate
 * within a small edit distance (`refrence`).
 * @param candidates names, or dotted paths of them; of equally near ones the first is returned
 */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const text = name.slice(0, MAX_LENGTH);
  const letters = lettersOf(text);
  const words = `_${wordsOf(text)}_`;
  const same = candidates.find((candidate) => lettersOf(candidate) === letters);
  if (same !== undefined) return same;
  const contained = candidates.filter((candidate) => {
    const part = wordsOf(candidate);
    return part.length >= MIN_CONTAINED && (words.startsWith(`_${part}_`) || words.endsWith(`_${part}_`));
  });
  if (contained.length > 0) return contained.reduce((best, other) => (other.length > best.length ? other : best));
  return closest(letters, candidates);
}

/** One change in a word of up to four letters, two in a longer one. */
function closest(letters: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let least = letters.length < 3 ? 1 : letters.length < 5 ? 2 : 3;
  for (const candidate of candidates) {
    const other = lettersOf(candidate);
    if (Math.abs(other.length - letters.length) >= least) continue;
    const distance = editDistance(letters, other);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Counts the letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, (above[j] as number) + 1, (row[j - 1] as number) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] as number) + 1);
      row.push(least);
    }
    [before, above] = [above, row];
  }
  return above[b.length] as number;
}

/** Returns `callback_url` for `callbackUrl` and `Callback-URL`. */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^0-9A-Za-z]+/g, '_')
    .toLowerCase();
}

function lettersOf(name: string): string {
  return wordsOf(name).replaceAll('_', '');
}
