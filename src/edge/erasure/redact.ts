import type { Json } from '../../kit/json.ts';
import { normalized } from '../../kit/unicode.ts';
import { compactPhone } from '../../core/customers/phone.ts';
import { numberingPlans } from '../../providers/reference/phones.ts';

/** Values that identify a person, in any spelling. */
export interface Identity {
  names: readonly string[];
  emails: readonly string[];
  phones: readonly string[];
}

export const NO_IDENTITY: Identity = { names: [], emails: [], phones: [] };

const ERASED = '[erased]';
/** Shorter numbers occur in orders and dates, and shorter names in other words: they would redact too much. */
const MIN_DIGITS = 6;
const MIN_LETTERS = 3;

const NOT_IN_WORD = '[\\p{L}\\p{M}\\p{N}]';

/**
 * Removes an identity from free text. It matches e-mail addresses in either case and URL-encoded, phone numbers in national
 * and international format with any separators, and each word of a name, in any order, with or without accents.
 */
export class Redactor {
  readonly #pattern: RegExp | null;

  constructor({ names, emails, phones }: Identity) {
    const patterns = [
      ...new Set([...emails.flatMap(emailPatterns), ...phones.flatMap(phonePatterns), ...names.flatMap(namePatterns)]),
    ];
    this.#pattern = patterns.length > 0 ? new RegExp(patterns.join('|'), 'giu') : null;
  }

  text<T extends string | null>(text: T): T {
    if (text === null || this.#pattern === null) return text;
    // In NFD the accents follow their letters as separate characters, which the patterns can skip.
    const apart = normalized(text, 'NFD');
    const clean = apart.replace(this.#pattern, ERASED);
    return (clean === apart ? text : normalized(clean, 'NFC')) as T;
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

function emailPatterns(email: string): string[] {
  return [escaped(email), escaped(encodeURIComponent(email))];
}

function phonePatterns(phone: string): string[] {
  const compact = compactPhone(phone) ?? '';
  const known = numberingPlans().parsePhoneNumberFromString(compact);
  const national = (known?.nationalNumber ?? compact).replace(/^[+0]+/, '');
  if (national.length < MIN_DIGITS) return [];
  const code = known ? spaced(known.countryCallingCode) : '\\d{1,3}';
  return [`(?<!\\d)(?:(?:\\+|00)?${code}${BETWEEN})?(?:0${BETWEEN})?${spaced(national)}(?!\\d)`];
}

const BETWEEN = '[\\s().\\-\\u2010-\\u2015]*';

function spaced(digits: string): string {
  return [...digits].join(BETWEEN);
}

function namePatterns(name: string): string[] {
  const words = normalized(name, 'NFD').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const long = words.filter((word) => [...word].length >= MIN_LETTERS);
  // A name of short words only, such as "Li Xu", is matched only by all of its words together.
  const together = long.length === 0 && words.length > 1 ? [words, words.toReversed()].map((order) => order.map(word)) : [];
  return [...long.map(word), ...together.map((order) => order.join('[\\s._-]+'))].map(
    (pattern) => `(?<!${NOT_IN_WORD})${pattern}(?!${NOT_IN_WORD})`,
  );
}

/** Returns a pattern for the letters of a word, each with or without accents. */
function word(text: string): string {
  return [...text.replace(/\p{M}/gu, '')].map((letter) => `${escaped(letter)}\\p{M}*`).join('');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Removes nothing. */
export const NOBODY = new Redactor(NO_IDENTITY);
