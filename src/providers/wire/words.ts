import { withoutMarks } from '../../kit/unicode.ts';

const LONGEST_MESSAGE = 200;
/** Letters that decomposing does not take apart. */
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
 * A provider's own words as they may be kept and shown: on one line, cut, and without what could name a person (digits
 * of numbers, addresses) or be a credential (long runs of letters and digits mixed).
 */
export function rawWords(...parts: unknown[]): string {
  const text = parts.filter((part): part is string => typeof part === 'string' && part !== '').join(': ');
  return text
    .slice(0, 4 * LONGEST_MESSAGE)
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/[\w.+-]+@[\w-]+\.[\w.-]+/g, '…')
    .replace(/(?=[\w.~+/-]*\d)(?=[\w.~+/-]*[A-Za-z])[\w.~+/-]{20,}=*/g, '…')
    .replace(/\+?\d(?:[\s.-]?\d){5,}/g, '…')
    .trim()
    .slice(0, LONGEST_MESSAGE);
}

/** Plain letters, digits and single spaces, for fields in which providers take nothing else. */
export function plainText(text: string, longest: number): string {
  const latin = withoutMarks(
    text.replace(/[œŒæÆßøØłŁđĐ]/g, (letter) => LIGATURES[letter] ?? ''),
    'NFKD',
  );
  return latin
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .slice(0, longest)
    .trim();
}

/** The digits of a number: what providers call an MSISDN. */
export function digitsOf(number: string): string {
  return number.replace(/\D/g, '');
}
