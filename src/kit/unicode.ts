/** Combining marks. The two halfwidth sound marks are letters by class and become marks. */
const MARK = '(?!\\u034f)[\\p{M}\\uff9e\\uff9f]';
const LONG_RUN = new RegExp(`(?:${MARK}){30}(?=${MARK})`, 'gu');
/** Combining grapheme joiner: invisible, and normalisation does not move marks across it. */
const JOINER = '\u034f';

/**
 * Normalises external text in linear time. Normalisation sorts every run of combining marks in quadratic time, so a run is
 * divided after 30 marks: the Stream-Safe Text Format of Unicode (UAX #15, section 13). Natural text is not changed: no
 * language uses more than a few marks on one letter.
 */
export function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  return text.replace(LONG_RUN, `$&${JOINER}`).normalize(form);
}

/** Returns the text without accents and other marks: `Aïcha` becomes `Aicha`. */
export function withoutMarks(text: string, form: 'NFD' | 'NFKD' = 'NFD'): string {
  return normalized(text, form).replace(/\p{M}/gu, '');
}

/**
 * Returns the beginning of a text, without half a character at its end.
 * @param max maximum length in UTF-16 code units
 */
export function cut(text: string, max: number): string {
  const end = text.charCodeAt(max - 1);
  const isHalf = text.length > max && end >= 0xd800 && end <= 0xdbff;
  return text.slice(0, isHalf ? max - 1 : max);
}

/** Returns the text as PostgreSQL can store it: without NUL, and with U+FFFD for half a character. */
export function storable(text: string): string {
  return text.includes('\0') || !text.isWellFormed() ? text.replaceAll('\0', '').toWellFormed() : text;
}

/** Returns whether a text consists of printable ASCII characters. */
export function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

const digits = new Map<string, string>();

/** Returns a decimal digit of any script as ASCII. In Unicode, the digits of every script are consecutive from zero to nine. */
export function asciiDigit(character: string): string {
  const known = digits.get(character);
  if (known !== undefined) return known;
  const code = character.codePointAt(0) as number;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  digits.set(character, String(value));
  return String(value);
}
