import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { Json } from '../kit/json.ts';
import { normalized } from '../kit/unicode.ts';
import { compactPhone } from './phone.ts';

/** What tells who someone is, in whatever spelling it was given. */
export interface Identity {
  names: readonly string[];
  emails: readonly string[];
  phones: readonly string[];
}

const ERASED = '[erased]';
/** Shorter numbers stand in orders and dates, shorter names in other words. */
const LEAST_DIGITS = 6;
const LEAST_LETTERS = 3;

const NOT_IN_WORD = '[\\p{L}\\p{M}\\p{N}]';

/**
 * Takes an identity out of free text: e-mail addresses in either case and as an address bar has them, numbers national
 * and international with whatever stands between the digits, names word by word, in any order, with or without accents.
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
    // Accents stand behind their letters then, where the patterns can pass over them.
    const apart = normalized(text, 'NFD');
    const clean = apart.replace(this.#pattern, ERASED);
    return (clean === apart ? text : normalized(clean, 'NFC')) as T;
  }

  /** Every text and every number in it, also the names of its fields. */
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
  const known = parsePhoneNumberFromString(compact);
  const national = (known?.nationalNumber ?? compact).replace(/^[+0]+/, '');
  if (national.length < LEAST_DIGITS) return [];
  const code = known ? spaced(known.countryCallingCode) : '\\d{1,3}';
  return [`(?<!\\d)(?:(?:\\+|00)?${code}${BETWEEN})?(?:0${BETWEEN})?${spaced(national)}(?!\\d)`];
}

const BETWEEN = '[\\s().\\-\\u2010-\\u2015]*';

function spaced(digits: string): string {
  return [...digits].join(BETWEEN);
}

function namePatterns(name: string): string[] {
  const words = normalized(name, 'NFD').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const long = words.filter((word) => [...word].length >= LEAST_LETTERS);
  // A name of short words only, such as "Li Xu", is known by all of them together.
  const together = long.length === 0 && words.length > 1 ? [words, words.toReversed()].map((order) => order.map(word)) : [];
  return [...long.map(word), ...together.map((order) => order.join('[\\s._-]+'))].map(
    (pattern) => `(?<!${NOT_IN_WORD})${pattern}(?!${NOT_IN_WORD})`,
  );
}

/** The letters of a word, each with or without accents. */
function word(text: string): string {
  return [...text.replace(/\p{M}/gu, '')].map((letter) => `${escaped(letter)}\\p{M}*`).join('');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
