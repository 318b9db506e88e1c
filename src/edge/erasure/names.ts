import { normalized } from '../../kit/unicode.ts';

/** Minimum letters of a word. Shorter ones occur in other texts and would redact too much. */
const MIN_LETTERS = 3;

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const BETWEEN_WORDS = /^[\s._+-]+$/;

/** Part of a text: `end` is exclusive. */
export interface Range {
  start: number;
  end: number;
}

/** Node of the prefix tree of names: a word, after the words of its parent nodes. */
interface Node {
  /** Whether this word and those before it are a name. */
  ends: boolean;
  next: Map<string, Node>;
}

/**
 * Finds the words of names in text. The time for a text does not depend on the number of names. Each payment may have another name of
 * dozens of words, and one regular expression for all took seconds to compile.
 */
export class Names {
  readonly #root: Node = { ends: false, next: new Map() };

  constructor(names: readonly string[]) {
    for (const words of names.flatMap(pathsOf)) this.#add(words);
  }

  /**
   * Returns where names are, in the order of the text.
   * @param text in NFD
   */
  in(text: string): Range[] {
    if (this.#root.next.size === 0) return [];
    const words = [...text.matchAll(WORDS)].map(({ 0: word, index }) => ({
      folded: folded(word),
      start: index,
      end: index + word.length,
    }));
    const found: Range[] = [];
    for (let at = 0; at < words.length; at++) {
      const last = this.#lastFrom(text, words, at);
      if (last === -1) continue;
      found.push({ start: (words[at] as Range).start, end: (words[last] as Range).end });
      at = last;
    }
    return found;
  }

  /** Returns the index of the last word of the longest name that starts at a word; -1 when none does. */
  #lastFrom(text: string, words: readonly (Range & { folded: string })[], first: number): number {
    let last = -1;
    let node: Node | undefined = this.#root;
    for (let at = first; at < words.length; at++) {
      const { folded, start } = words[at] as Range & { folded: string };
      if (at > first && !BETWEEN_WORDS.test(text.slice((words[at - 1] as Range).end, start))) break;
      node = node.next.get(folded);
      if (!node) break;
      if (node.ends) last = at;
    }
    return last;
  }

  #add(words: readonly string[]): void {
    let node = this.#root;
    for (const word of words) {
      const next = node.next.get(word) ?? { ends: false, next: new Map() };
      node.next.set(word, next);
      node = next;
    }
    node.ends = true;
  }
}

/** Returns the search terms of a name: each long word. A name of short words only, such as "Li Xu", is searched for as a whole. */
function pathsOf(name: string): string[][] {
  const words = normalized(name, 'NFD').match(WORDS) ?? [];
  const long = words.filter((word) => [...word].length >= MIN_LETTERS).map(folded);
  if (long.length > 0) return long.filter((word) => word !== '').map((word) => [word]);
  const short = words.map(folded);
  return short.length > 1 ? [short, short.toReversed()] : [];
}

/** Returns a word without accents and case. */
function folded(word: string): string {
  return word.replace(/\p{M}/gu, '').toUpperCase().toLowerCase();
}
