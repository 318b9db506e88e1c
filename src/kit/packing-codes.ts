/*
 * Codes a text as phrases of a fixed dictionary and single bytes. Frequent symbols have shorter codes (Huffman). The code of a symbol
 * depends on the kind of the byte before it, because a digit often follows a digit. Unlike a general compressor, it needs no setup and
 * no adaptation to the text: for 1,000 bytes it is faster and its result is shorter.
 */

/** The phrases, and the lengths of the codes in bits: for each kind, one character (base 36) for each symbol. */
export interface Dictionary {
  phrases: readonly string[];
  lengths: readonly string[];
}

/** Symbols 0 to 255 are bytes. */
const END = 256;
const FIRST_PHRASE = 257;
export const KINDS = 4;
export const MAX_CODE_BITS = 15;
/** A constant, because computing the power in the loop would take longer than the rest of the loop. */
const CODE_MASK = 2 ** MAX_CODE_BITS - 1;

/** Returns the kind of a byte, for the code of the symbol that follows it. */
export function kindOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return 1;
  if (byte >= 0x61 && byte <= 0x7a) return 2;
  return byte === 0x22 || byte === 0x2c || byte < 0x20 ? 3 : 0;
}

/** Node of the prefix tree: a phrase, or a prefix that several phrases share. */
interface Node {
  /** Characters that follow those of the parent node. */
  label: string;
  symbol: number | null;
  /** Child nodes by the code of their first character. An array, because lookups in a map took half of the time of packing. */
  below: (Node | undefined)[];
}

/** Finds the longest phrase at a position. */
export class Phrases {
  readonly #top: Node['below'];

  constructor(phrases: readonly string[]) {
    const sorted = phrases.map((text, i) => ({ text, symbol: FIRST_PHRASE + i }));
    this.#top = nodesOf(sorted.sort((a, b) => (a.text < b.text ? -1 : 1)));
  }

  /** Returns the symbols of a text in which each character is a byte. */
  symbolsOf(text: string): number[] {
    const symbols: number[] = [];
    for (let i = 0; i < text.length; ) {
      let symbol = text.charCodeAt(i);
      let end = i + 1;
      let at = i;
      let node = this.#top[symbol];
      while (node !== undefined && continues(text, at, node.label)) {
        at += node.label.length;
        if (node.symbol !== null) {
          symbol = node.symbol;
          end = at;
        }
        node = at < text.length ? node.below[text.charCodeAt(at)] : undefined;
      }
      symbols.push(symbol);
      i = end;
    }
    return symbols;
  }
}

/** Returns whether the label is at this position. The caller has compared its first character. Most labels have few characters. */
function continues(text: string, at: number, label: string): boolean {
  for (let i = 1; i < label.length; i++) if (text.charCodeAt(at + i) !== label.charCodeAt(i)) return false;
  return true;
}

function nodesOf(sorted: readonly { text: string; symbol: number }[]): Node['below'] {
  const nodes: Node['below'] = [];
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    const first = (sorted[from] as { text: string }).text;
    while (to < sorted.length && sorted[to]?.text.charCodeAt(0) === first.charCodeAt(0)) to++;
    const last = (sorted[to - 1] as { text: string }).text;
    let shared = 1;
    while (shared < first.length && first.charCodeAt(shared) === last.charCodeAt(shared)) shared++;
    const rest = sorted.slice(from, to).map(({ text, symbol }) => ({ text: text.slice(shared), symbol }));
    const symbol = rest[0]?.text === '' ? rest[0].symbol : null;
    const below = nodesOf(symbol === null ? rest : rest.slice(1));
    nodes[first.charCodeAt(0)] = { label: first.slice(0, shared), symbol, below };
  }
  return nodes;
}

/** The code of one kind: canonical, so that the lengths determine it. */
class Code {
  /** By symbol: its code, and in the lowest four bits the length of the code. */
  readonly codes: Int32Array;
  /** By the next {@link MAX_CODE_BITS} bits: the symbol, and in the lowest four bits the length of its code. */
  readonly next = new Uint16Array(2 ** MAX_CODE_BITS);

  constructor(lengths: string) {
    const sorted = Array.from(lengths, (digit, symbol) => ({ length: Number.parseInt(digit, 36), symbol }));
    this.codes = new Int32Array(sorted.length);
    sorted.sort((a, b) => a.length - b.length || a.symbol - b.symbol);
    let end = 0;
    for (const { length, symbol } of sorted) {
      const size = 2 ** (MAX_CODE_BITS - length);
      this.codes[symbol] = (end / size) * 16 + length;
      this.next.fill(symbol * 16 + length, end, end + size);
      end += size;
    }
  }
}

/** Codes and decodes with one dictionary. The first bit of a coded text is 0. */
export class Coder {
  readonly #phrases: Phrases;
  /** By symbol. */
  readonly #texts: string[];
  /** By symbol: the kind of its last byte. */
  readonly #kinds: number[];
  readonly #codes: Code[];

  constructor({ phrases, lengths }: Dictionary) {
    this.#phrases = new Phrases(phrases);
    const bytes = Array.from({ length: END }, (_, byte) => String.fromCharCode(byte));
    this.#texts = [...bytes, '', ...phrases];
    this.#kinds = this.#texts.map((text) => kindOf(text.charCodeAt(text.length - 1)));
    this.#codes = lengths.map((line) => new Code(line));
  }

  encode(text: string): Buffer {
    const isAscii = Buffer.byteLength(text) === text.length;
    const symbols = this.#phrases.symbolsOf(isAscii ? text : Buffer.from(text).toString('latin1'));
    symbols.push(END);
    // No code is longer than two bytes.
    const bytes = Buffer.allocUnsafe(symbols.length * 2 + 1);
    let length = 0;
    let kind = 0;
    let bits = 0;
    let count = 1;
    for (const symbol of symbols) {
      const code = (this.#codes[kind] as Code).codes[symbol] as number;
      bits = (bits << (code & 15)) | (code >>> 4);
      for (count += code & 15; count >= 8; count -= 8) bytes[length++] = bits >>> (count - 8);
      bits &= 0xff;
      kind = this.#kinds[symbol] as number;
    }
    if (count > 0) bytes[length++] = bits << (8 - count);
    return bytes.subarray(0, length);
  }

  /** Returns the text, and the number of bytes that were read. */
  decode(bytes: Buffer): { text: string; length: number } {
    let text = '';
    let kind = 0;
    let at = 1;
    for (let symbol = 0; symbol !== END; ) {
      const from = at >>> 3;
      const three = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
      const found = (this.#codes[kind] as Code).next[(three >>> (24 - MAX_CODE_BITS - (at & 7))) & CODE_MASK] as number;
      symbol = found >>> 4;
      text += this.#texts[symbol] as string;
      kind = this.#kinds[symbol] as number;
      at += found & 15;
      if (at > bytes.length * 8) throw new Error('impossible: a coded text without an end');
    }
    return { text: Buffer.from(text, 'latin1').toString(), length: Math.ceil(at / 8) };
  }
}
