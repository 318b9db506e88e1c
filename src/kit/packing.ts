import second from './packing-2.json' with { type: 'json' };
import third from './packing-3.json' with { type: 'json' };
import { must } from './errors.ts';
import { Coder, type Dictionary } from './packing-codes.ts';
import { deflateWithWords, inflateWithWords } from './packing-deflate.ts';
import { combine, HOLE, separate } from './packing-values.ts';

export { HOLE } from './packing-values.ts';

/*
 * Stored form of our JSON: `2|2|cus_…`, a line feed, then the packed text. The first line has the number of the format, and a value
 * for each placeholder (`HOLE`) in the text. Only the statement that writes the row can supply these values (the number of endpoints,
 * the customer that was found), so they come from its own snapshot. A value that starts with a brace is not packed.
 * Every format stays readable for ever. Reasons: docs/decisions/0069-packing.md.
 */

const LINE_FEED = 0x0a;
const BRACE = 0x7b;
/** First byte of a packed text that is deflated. A coded one begins with a bit that is 0. */
const DEFLATED_BYTE = 0xff;
/** Length in characters from which deflate may be better, because a long text often repeats its own earlier parts. */
const MIN_DEFLATED_LENGTH = 2_000;

/** A longer text is only deflated, which takes a tenth of the time. Such texts are few, and callers determine their length. */
const MAX_CODED_LENGTH = 16_000;

/** A way to pack texts. */
export interface Format {
  /** One digit, stored with each text. */
  number: number;
  /** Absent for a format that only earlier releases wrote. */
  pack?(text: string): Buffer;
  unpack(packed: Buffer, values: readonly string[]): string;
}

/** The formats that this release reads. */
export const FORMATS: readonly Format[] = [
  { number: 1, unpack: (packed, values) => filled(inflateWithWords(packed), values) },
  phrasesOf(2, second),
  phrasesOf(3, third),
];

/** Format that is readable by every release from which an upgrade is possible. */
export const ALWAYS_PERMITTED = 2;

/**
 * Packs with the newest permitted format, and unpacks all formats. During an upgrade, nodes of the previous release read rows written
 * by newer nodes. A new format is therefore permitted one release after the first that reads it (docs/decisions/0076-upgrades.md).
 */
export class Packing {
  readonly #formats: ReadonlyMap<number, Format>;
  #written: Format;

  constructor(formats: readonly Format[]) {
    this.#formats = new Map(formats.map((format) => [format.number, format]));
    this.#written = this.#newestUpTo(ALWAYS_PERMITTED);
  }

  /** Permits the formats up to this number. A release that does not have this format writes its own newest. */
  permit(number: number): void {
    this.#written = this.#newestUpTo(number);
  }

  /**
   * Packs a text for a statement that adds the values of its placeholders.
   * @param text JSON, with a {@link HOLE} for each value that only the statement can supply
   * @returns the digit of the format, then the packed text in base64
   */
  packForStatement(text: string): string {
    return `${this.#written.number}${this.#pack(text).toString('base64')}`;
  }

  /** Returns the complete stored form of a text without placeholders. */
  packWhole(text: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.#written.number}\n`), this.#pack(text)]);
  }

  /**
   * Returns the text of a stored value with its placeholders filled: always the same bytes.
   * @throws Error for an unknown format
   */
  unpack(bytes: Buffer): string {
    if (bytes[0] === BRACE) return bytes.toString();
    const end = bytes.indexOf(LINE_FEED);
    const [number, ...values] = bytes.toString('latin1', 0, end).split('|');
    const format = this.#formats.get(Number(number));
    if (!format) throw new Error(`impossible: packed with format ${number}`);
    return format.unpack(bytes.subarray(end + 1), values);
  }

  #pack(text: string): Buffer {
    const { pack } = this.#written;
    return must(pack, 'the written format packs')(text);
  }

  #newestUpTo(number: number): Format {
    const known = [...this.#formats.values()].filter((format) => format.pack && format.number <= number);
    return must(known.sort((a, b) => a.number - b.number).at(-1), 'there is a format that is always permitted');
  }
}

/** The packing of this process. The service permits the formats of the installation; commands write {@link ALWAYS_PERMITTED}. */
export const packing = new Packing(FORMATS);

/** Packs with {@link packing}, see {@link Packing.packWhole}. */
export function packWhole(text: string): Buffer {
  return packing.packWhole(text);
}

/** Unpacks any format of this release, see {@link Packing.unpack}. */
export function unpack(bytes: Buffer): string {
  return packing.unpack(bytes);
}

/** Returns the format that packs with the phrases of a dictionary. Its tables are built on first use, because most processes use one. */
function phrasesOf(number: number, dictionary: Dictionary): Format {
  let made: Coder | undefined;
  const coder = () => {
    made ??= new Coder(dictionary);
    return made;
  };
  return {
    number,
    pack: (text) => {
      const separated = text.length > MAX_CODED_LENGTH ? null : separate(text);
      const coded = separated && Buffer.concat([coder().encode(separated.text), separated.values]);
      if (coded && text.length < MIN_DEFLATED_LENGTH) return coded;
      const deflated = Buffer.concat([Buffer.of(DEFLATED_BYTE), deflateWithWords(text)]);
      return coded && coded.length < deflated.length ? coded : deflated;
    },
    unpack: (packed, values) => {
      if (packed[0] === DEFLATED_BYTE) return filled(inflateWithWords(packed.subarray(1)), values);
      const { text, length } = coder().decode(packed);
      return combine({ text, values: packed.subarray(length) }, values);
    },
  };
}

/** Fills the {@link HOLE}s only. {@link combine} is not used, because this text may contain the characters of its other placeholders. */
function filled(text: string, values: readonly string[]): string {
  return text.split(HOLE).reduce((before, part, i) => before + (values[i - 1] ?? '') + part);
}
