import { cut, withoutMarks } from '../../../kit/unicode.ts';

const MAX_MESSAGE = 200;
/** Letters that Unicode decomposition leaves unchanged. */
const LIGATURES: Record<string, string> = {
  œ: 'oe',
  Œ: 'OE',
  æ: 'ae',
  Æ: 'AE',
  ß: 'ss',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
};

/**
 * Returns a provider's own message in a form that may be stored and shown: on one line, truncated, and without
 * personal data (phone numbers, addresses) or credentials (long runs of mixed letters and digits).
 */
export function rawMessage(...parts: unknown[]): string {
  const text = parts.filter((part): part is string => typeof part === 'string' && part !== '').join(': ');
  const shown = text
    .slice(0, 4 * MAX_MESSAGE)
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/[\w.+-]+@[\w-]+\.[\w.-]+/g, '…')
    .replace(/(?=[\w.~+/-]*\d)(?=[\w.~+/-]*[A-Za-z])[\w.~+/-]{20,}=*/g, '…')
    .replace(/\+?\d(?:[\s.-]?\d){5,}/g, '…')
    .trim();
  return cut(shown, MAX_MESSAGE);
}

/**
 * Reduces a text to plain letters, digits and single spaces, for fields in which providers accept nothing else.
 * @param max maximum length in characters
 */
export function plainText(text: string, max: number): string {
  const latin = withoutMarks(
    text.replace(/[œŒæÆßøØłŁđĐ]/g, (letter) => LIGATURES[letter] ?? ''),
    'NFKD',
  );
  return latin
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .slice(0, max)
    .trim();
}

/** Returns the digits of a phone number, which providers call an MSISDN. */
export function digitsOf(number: string): string {
  return number.replace(/\D/g, '');
}
