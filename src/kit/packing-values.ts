/*
 * Ids and times are half of our JSON, and no dictionary contains them. They are replaced by placeholders, and their values follow in
 * binary: 11 bytes or more for the 26 characters of an id, one or more for the 24 of a time.
 */

/** Placeholder for a value that is filled in later. JSON never contains this character unescaped. */
export const HOLE = '\u0001';

const ID = '\u0002';
const TIME = '\u0003';
const PLACEHOLDERS = new RegExp(`[${HOLE}${ID}${TIME}]`, 'g');

/** Matches ids and times. Their first digit is tested before the character in front of it, so other characters are skipped fast. */
const VALUES =
  /[0-7](?<![0-9a-z].)[0-9a-hjkmnp-tv-z]{25}(?![0-9a-z])|[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z/g;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Value of each character, by its code. */
const DIGITS = Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));
/** All pairs of characters, by their value. Writing pairs halves the steps for an id. */
const PAIRS = Array.from({ length: 1024 }, (_, value) => ALPHABET.charAt(value >> 5) + ALPHABET.charAt(value & 31));
const TIME_CHARS = 10;
const ID_CHARS = 26;
/** Eight characters of an id are five bytes. */
const GROUP_CHARS = 8;
const GROUP_BYTES = 5;
/** Base of the first time. Each later time is stored as its difference to the one before, because most are equal or close. */
const EPOCH_MS = Date.UTC(2026, 0);

/** A text with placeholders, and the values for {@link ID} and {@link TIME}. */
export interface Separated {
  text: string;
  values: Buffer;
}

/** Replaces ids and times by placeholders. Returns null for a text that cannot be JSON. */
export function separate(text: string): Separated | null {
  if (text.includes(ID) || text.includes(TIME)) return null;
  const bytes: number[] = [];
  let last = EPOCH_MS;
  // Most times of a text are equal.
  let time = { text: '', at: Number.NaN };
  const replaced = text.replace(VALUES, (found) => {
    const isId = found.length === ID_CHARS;
    if (!isId && time.text !== found) time = { text: found, at: timeOf(found) };
    const at = isId ? numberOf(found, 0, TIME_CHARS) : time.at;
    if (Number.isNaN(at)) return found;
    writeDifference(bytes, at - last);
    last = at;
    if (!isId) return TIME;
    for (let i = TIME_CHARS; i < ID_CHARS; i += GROUP_CHARS) writeGroup(bytes, found, i);
    return ID;
  });
  return { text: replaced, values: Buffer.from(bytes) };
}

/**
 * Fills the placeholders.
 * @param filled a value for each {@link HOLE}, in order
 */
export function combine({ text, values }: Separated, filled: readonly string[]): string {
  const reader = { values, offset: 0 };
  let last = EPOCH_MS;
  let used = 0;
  // Most times of a text are equal.
  let shown = { at: Number.NaN, text: '' };
  return text.replace(PLACEHOLDERS, (found) => {
    if (found === HOLE) return filled[used++] ?? '';
    last += readDifference(reader);
    if (found === ID)
      return charsOf(last, TIME_CHARS) + charsOf(readGroup(reader), GROUP_CHARS) + charsOf(readGroup(reader), GROUP_CHARS);
    if (shown.at !== last) shown = { at: last, text: new Date(last).toISOString() };
    return shown.text;
  });
}

/** Returns the milliseconds since the epoch of a time; NaN when they would not convert back to the same text. */
function timeOf(text: string): number {
  const at = Date.parse(text);
  return at >= 0 && new Date(at).toISOString() === text ? at : Number.NaN;
}

function numberOf(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 32 + (DIGITS[text.charCodeAt(i)] as number);
  return value;
}

function charsOf(value: number, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i += 2) {
    text = (PAIRS[rest % 1024] as string) + text;
    rest = Math.floor(rest / 1024);
  }
  return text;
}

/** Writes eight characters, the lowest byte first, in halves of 20 bits: integer operations are faster than on a number of 40 bits. */
function writeGroup(bytes: number[], text: string, from: number): void {
  const middle = from + GROUP_CHARS / 2;
  const high = numberOf(text, from, middle);
  const low = numberOf(text, middle, from + GROUP_CHARS);
  bytes.push(low & 0xff, (low >>> 8) & 0xff, (low >>> 16) | ((high & 0xf) << 4), (high >>> 4) & 0xff, high >>> 12);
}

interface Reader {
  values: Buffer;
  offset: number;
}

function readGroup(reader: Reader): number {
  const value = reader.values.readUIntLE(reader.offset, GROUP_BYTES);
  reader.offset += GROUP_BYTES;
  return value;
}

/** Writes a difference with seven bits in each byte, the lowest first. The lowest bit of all is the sign. */
function writeDifference(bytes: number[], difference: number): void {
  let rest = difference < 0 ? -difference * 2 - 1 : difference * 2;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

function readDifference(reader: Reader): number {
  let value = 0;
  for (let unit = 1; ; unit *= 128) {
    const byte = reader.values.readUInt8(reader.offset++);
    value += (byte % 128) * unit;
    if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
