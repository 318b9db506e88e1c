/*
 * The indexed characters: printable ASCII and the letters of U+00C0 to U+017F (French, Portuguese and most other Latin alphabets),
 * without case. Any other character divides a text, as if it ended there.
 */

const CHARACTERS = 0x180;
const LATIN = 0xc0;
const CAPITAL_I_WITH_DOT = 0x130;

const FOLDED = Uint16Array.from({ length: CHARACTERS }, (_, code) => foldedCode(code));

function foldedCode(code: number): number {
  if ((code > 0x7e && code < LATIN) || code < 0x20 || code === CAPITAL_I_WITH_DOT) return 0;
  return String.fromCharCode(code).toLowerCase().charCodeAt(0);
}

/** Returns the lower-case character of a UTF-16 code unit; 0 when it is not indexed. */
export function fold(code: number): number {
  return code < CHARACTERS ? (FOLDED[code] as number) : 0;
}

/** Characters outside of the alphabet whose lower case in PostgreSQL is inside it: İ, ẞ, K (kelvin), Å (ångström). */
const FOLDED_INTO = new Map([
  [CAPITAL_I_WITH_DOT, 0x69],
  [0x1e9e, 0xdf],
  [0x212a, 0x6b],
  [0x212b, 0xe5],
]);

/** Returns whether a character that is not indexed may equal an indexed one. */
export function isAmbiguous(code: number): boolean {
  return FOLDED_INTO.has(code);
}

/** Like {@link fold}, for a search text: an ambiguous character becomes the one that it may equal. */
export function foldSearched(code: number): number {
  return fold(code) || (FOLDED_INTO.get(code) ?? 0);
}

// Marks in the place of a character. They are not indexed characters of any text.
/** After the last character of a text. */
export const END = 1;
/** Third character of a list with all rows of its bucket. */
export const WHOLE = 2;
/** Bucket of the rows with a character that is not indexed. */
export const UNKNOWN = 3;
/** Bucket of the rows with a character for which {@link isAmbiguous}. */
export const AMBIGUOUS = 4;
