/** Random numbers that a seed repeats (Mulberry32), and texts of the kinds that merchants and payers write. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  pick<T>(all: readonly T[]): T {
    return all[this.int(all.length)] as T;
  }

  text(): string | null {
    const kind = this.int(8);
    if (kind === 0) return null;
    if (kind < 4) return this.pick(WORDS);
    if (kind < 6) return `${this.pick(WORDS)}${this.int(50)}`;
    return Array.from({ length: 1 + this.int(6) }, () => (this.int(3) === 0 ? this.pick(WORDS) : this.pick(WILD))).join('');
  }

  /** A part of one of the texts, in any case; without texts, one that may occur nowhere. */
  partOf(texts: readonly string[]): string {
    const letters = [...(texts.length > 0 ? this.pick(texts) : `${this.text()}${this.pick(WILD)}`)];
    const start = this.int(letters.length);
    const text = letters.slice(start, start + 1 + this.int(this.int(3) === 0 ? 12 : 4)).join('');
    if (this.int(3) > 0) return text;
    return this.int(2) === 0 ? text.toUpperCase() : text.toLowerCase();
  }
}

const WORDS = [
  'Awa Ndiaye',
  'Chloé ÉTIENNE',
  'order-',
  'João',
  'panier',
  'Bonapriso 100%',
  'a_b',
  'c\\d',
  "d'Ivoire",
  'ŒUF',
  'İzmir',
];
const WILD = [
  '😀',
  '\u0301',
  'ñ',
  'Ÿ',
  'K',
  'Å',
  'ẞ',
  'ß',
  'ı',
  'م',
  '中文',
  '%',
  '_',
  '\\',
  ' ',
  'Z',
  'q',
  '7',
  '\n',
  '\t',
  "'",
  '"',
  'é',
  'x',
  '{',
];
