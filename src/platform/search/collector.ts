import { AMBIGUOUS, END, fold, isAmbiguous, UNKNOWN, WHOLE } from './alphabet.ts';
import { type Bucket, bucketOf, type ThirdList } from './bucket.ts';
import { Bytes } from './positions.ts';

const CHARACTER_BITS = 9;
const CHARACTER = 2 ** CHARACTER_BITS - 1;
/** A number above the maximum number of keys. */
const NUMBERS = 2 ** 26;
/** Number of entries that are sorted in about two milliseconds. */
const SORTED_AT_ONCE = 1 << 17;

/**
 * Collects which rows contain which sequences of three characters. A sequence is a key of three times nine bits. Keys are in a hash
 * table, entries (a key and a position) in a log that is sorted at the end. All are typed arrays: maps and arrays of JavaScript take
 * five times as long.
 */
export class Collector {
  /** Open addressing: the number of the key in a slot; 0: the slot is empty. */
  #slots = new Int32Array(1 << 16);
  /** By number of the key, beginning with 1. */
  #keys = new Int32Array(1 << 15);
  #counts = new Int32Array(1 << 15);
  #last = new Int32Array(1 << 15);
  #used = 1;
  #entryKeys = new Int32Array(1 << 16);
  #entryPositions = new Uint16Array(1 << 16);
  #entries = 0;
  readonly #encoded = new Bytes();

  /** Number of entries, which determines the memory. */
  get size(): number {
    return this.#entries;
  }

  /** Adds the texts of the row at a position. Positions ascend. */
  add(position: number, texts: readonly (string | null)[]): void {
    for (const text of texts) if (text !== null) this.#addText(position, text);
  }

  #addText(position: number, text: string): void {
    const codeAt = (i: number) => (i < text.length ? fold(text.charCodeAt(i)) : 0);
    let code = codeAt(0);
    let next = codeAt(1);
    for (let i = 0; i < text.length; i++) {
      const third = codeAt(i + 2);
      if (code === 0) {
        this.#addKey(position, keyOf(UNKNOWN, 0, 0));
        if (isAmbiguous(text.charCodeAt(i))) this.#addKey(position, keyOf(AMBIGUOUS, 0, 0));
      } else {
        this.#addKey(position, keyOf(code, 0, 0));
        if (next !== 0) this.#addKey(position, keyOf(code, next, third === 0 ? END : third));
      }
      code = next;
      next = third;
    }
  }

  #addKey(position: number, key: number): void {
    const slot = this.#slotOf(key);
    const known = this.#slots[slot] as number;
    const number = known === 0 ? this.#newKey(slot, key) : known;
    if (this.#last[number] === position + 1) return;
    this.#last[number] = position + 1;
    this.#counts[number] = (this.#counts[number] as number) + 1;
    if (this.#entries === this.#entryKeys.length) {
      this.#entryKeys = larger(this.#entryKeys, Int32Array);
      this.#entryPositions = larger(this.#entryPositions, Uint16Array);
    }
    this.#entryKeys[this.#entries] = number;
    this.#entryPositions[this.#entries++] = position;
  }

  #slotOf(key: number): number {
    const mask = this.#slots.length - 1;
    let slot = (Math.imul(key, 0x9e3779b1) >>> 8) & mask;
    while (this.#slots[slot] !== 0 && this.#keys[this.#slots[slot] as number] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #newKey(slot: number, key: number): number {
    const number = this.#used++;
    this.#slots[slot] = number;
    this.#keys[number] = key;
    if (this.#used === this.#keys.length) this.#growKeys();
    return number;
  }

  #growKeys(): void {
    this.#keys = larger(this.#keys, Int32Array);
    this.#counts = larger(this.#counts, Int32Array);
    this.#last = larger(this.#last, Int32Array);
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let number = 1; number < this.#used; number++) this.#slots[this.#slotOf(this.#keys[number] as number)] = number;
  }

  /**
   * Yields the buckets in order. The lists of each are valid until the next one is requested.
   * @param rows number of rows that were added
   * @param pause called every few milliseconds
   */
  async *buckets(rows: number, pause: () => Promise<void>): AsyncGenerator<Bucket> {
    // Sorting plain numbers takes a quarter of the time of sorting with a comparison function.
    const byKey = Float64Array.from({ length: this.#used - 1 }, (_, i) => (this.#keys[i + 1] as number) * NUMBERS + i + 1).sort();
    const numbers = Uint32Array.from(byKey, (keyed) => keyed % NUMBERS);
    const sorted = await this.#sorted(numbers, pause);
    for (let from = 0, start = 0; from < numbers.length; ) {
      const bucket = this.#bucketIn(numbers, from);
      let to = from;
      let end = start;
      while (to < numbers.length && this.#bucketIn(numbers, to) === bucket)
        end += this.#counts[numbers[to++] as number] as number;
      yield this.#bucketOf(numbers.subarray(from, to), sorted.subarray(start, end), rows);
      [from, start] = [to, end];
      await pause();
    }
  }

  #bucketIn(numbers: Uint32Array, i: number): number {
    return (this.#keys[numbers[i] as number] as number) >> CHARACTER_BITS;
  }

  /** Returns the positions of all keys, key by key in the given order, each ascending. */
  async #sorted(numbers: Uint32Array, pause: () => Promise<void>): Promise<Uint16Array> {
    const next = new Int32Array(this.#used);
    let start = 0;
    for (const number of numbers) {
      next[number] = start;
      start += this.#counts[number] as number;
    }
    const sorted = new Uint16Array(this.#entries);
    for (let i = 0; i < this.#entries; ) {
      for (const stop = Math.min(i + SORTED_AT_ONCE, this.#entries); i < stop; i++) {
        const number = this.#entryKeys[i] as number;
        const at = next[number] as number;
        sorted[at] = this.#entryPositions[i] as number;
        next[number] = at + 1;
      }
      await pause();
    }
    return sorted;
  }

  #bucketOf(numbers: Uint32Array, positions: Uint16Array, rows: number): Bucket {
    const lists: ThirdList[] = [];
    let start = 0;
    for (const number of numbers) {
      const end = start + (this.#counts[number] as number);
      const third = (this.#keys[number] as number) & CHARACTER || WHOLE;
      lists.push({ third, positions: positions.subarray(start, end) });
      start = end;
    }
    const key = this.#keys[numbers[0] as number] as number;
    const [first, second] = [key >> (2 * CHARACTER_BITS), (key >> CHARACTER_BITS) & CHARACTER];
    const bucket = second === 0 ? String.fromCharCode(first) : String.fromCharCode(first, second);
    return bucketOf(bucket, lists, rows, this.#encoded);
  }
}

function keyOf(first: number, second: number, third: number): number {
  return (first << (2 * CHARACTER_BITS)) | (second << CHARACTER_BITS) | third;
}

function larger<Numbers extends Int32Array | Uint16Array>(numbers: Numbers, make: new (length: number) => Numbers): Numbers {
  const grown = new make(numbers.length * 2);
  grown.set(numbers);
  return grown;
}
