import type { Json } from '../../kit/json.ts';
import { asciiDigit, normalized } from '../../kit/unicode.ts';
import { compactPhone } from '../../core/customers/phone.ts';
import { numberingPlans } from '../../providers/reference/phones.ts';
import { Names, type Range } from './names.ts';

/** Values that identify a person, in any spelling. */
export interface Identity {
  names: readonly string[];
  emails: readonly string[];
  phones: readonly string[];
}

export const NO_IDENTITY: Identity = { names: [], emails: [], phones: [] };

const ERASED = '[erased]';
/** Minimum digits of a number. Shorter ones occur in orders and dates and would redact too much. */
const MIN_DIGITS = 6;

/**
 * Removes an identity from free text. It matches e-mail addresses in either case, phone numbers in national and international
 * format with any separators, and each word of a name, in any order, with or without accents; each of them URL-encoded, too.
 */
export class Redactor {
  readonly #pattern: RegExp | null;
  readonly #names: Names | null;

  constructor({ names, emails, phones }: Identity) {
    const patterns = [...new Set([...emails.map((email) => escaped(withAsciiDigits(email))), ...phonePatterns(phones)])];
    this.#pattern = patterns.length > 0 ? new RegExp(patterns.join('|'), 'giu') : null;
    this.#names = names.length > 0 ? new Names(names) : null;
  }

  text<T extends string | null>(text: T): T {
    if (text === null || (this.#pattern === null && this.#names === null)) return text;
    // In NFD the accents follow their letters as separate characters, which can be skipped.
    const apart = normalized(text, 'NFD');
    const found = this.#found(apart);
    return (found.length === 0 ? text : normalized(without(apart, found), 'NFC')) as T;
  }

  #found(text: string): Range[] {
    const { plain, startOf } = decoded(text);
    const matches = this.#pattern ? [...withAsciiDigits(plain).matchAll(this.#pattern)] : [];
    const numbers = matches.map(({ 0: match, index }) => ({ start: index, end: wholeEnd(plain, index + match.length) }));
    const found = [...numbers, ...(this.#names?.in(plain) ?? [])].sort((one, other) => one.start - other.start);
    return found.map(({ start, end }) => ({ start: startOf(start), end: startOf(end) }));
  }

  /** Redacts every string and number in a JSON value, and the names of its fields. */
  value(value: Json): Json {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.text(String(value)) === String(value) ? value : ERASED;
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [this.text(name), this.value(field)]));
  }
}

/** Replaces parts of a text, which may overlap, in the order of their starts. */
function without(text: string, ranges: readonly Range[]): string {
  let clean = '';
  let done = 0;
  for (const { start, end } of ranges) {
    if (start >= done) clean += text.slice(done, start) + ERASED;
    done = Math.max(done, end);
  }
  return clean + text.slice(done);
}

/** Returns the text with percent-encoding decoded, in NFD, and a function that maps its positions to those of the original. */
function decoded(text: string): { plain: string; startOf: (place: number) => number } {
  if (!text.includes('%')) return { plain: text, startOf: (place) => place };
  const starts: number[] = [];
  let plain = '';
  for (const { 0: part, index } of text.matchAll(/(?:%[\da-f]{2})+|[^%]+|%/gi)) {
    let start = index;
    const characters = decodedPart(part);
    for (const character of characters ?? part) {
      const units = characters === null ? character : normalized(character, 'NFD');
      plain += units;
      for (let unit = 0; unit < units.length; unit++) starts.push(characters === null ? start + unit : start);
      start += characters === null ? character.length : 3 * Buffer.byteLength(character);
    }
  }
  return { plain, startOf: (place) => starts[place] ?? text.length };
}

/** Returns the text, of the same length, with the digits of other scripts as ASCII. */
function withAsciiDigits(text: string): string {
  // A digit of two UTF-16 units keeps its length: the second unit becomes a character that may separate digits of a number.
  return text.replace(/(?!\d)\p{Nd}/gu, (digit) => asciiDigit(digit) + '\u200b'.repeat(digit.length - 1));
}

/** Returns the end of a match, moved behind the character in which it falls. */
function wholeEnd(text: string, end: number): number {
  const code = text.charCodeAt(end);
  return code >= 0xdc00 && code <= 0xdfff ? end + 1 : end;
}

/** Decodes percent-encoding; null when it is not UTF-8. */
function decodedPart(part: string): string | null {
  if (part.length < 3 || !part.startsWith('%')) return null;
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** Returns one pattern for the numbers of each country, which compares the country code once for all of them. */
function phonePatterns(phones: readonly string[]): string[] {
  const countries = new Map<string, Set<string>>();
  for (const phone of phones) {
    const compact = compactPhone(phone) ?? '';
    const known = numberingPlans().parsePhoneNumberFromString(compact);
    const national = (known?.nationalNumber ?? compact).replace(/^[+0]+/, '');
    if (national.length < MIN_DIGITS) continue;
    const code = known ? spaced(known.countryCallingCode) : '\\d{1,3}';
    countries.set(code, (countries.get(code) ?? new Set()).add(spaced(national)));
  }
  return [...countries].map(
    ([code, numbers]) => `(?<!\\d)(?:(?:\\+|00)?${code}${BETWEEN})?(?:0${BETWEEN})?(?:${[...numbers].join('|')})(?!\\d)`,
  );
}

/** Characters that people write between the digits of a number, but not those that separate two numbers of a list. */
const BETWEEN = '[\\s\\p{Cf}\\p{Pd}\\u2212()./_·•]*';

function spaced(digits: string): string {
  return [...digits].join(BETWEEN);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** A redactor without an identity, which removes nothing. */
export const NOBODY = new Redactor(NO_IDENTITY);
