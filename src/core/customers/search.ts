import { withoutMarks } from '../../kit/unicode.ts';
import { compactPhone } from './phone.ts';
import type { CustomerRow } from './schema.ts';

/** Removes capitals and accents: a search for `aicha` matches `Aïcha`. */
export function fold(text: string): string {
  return withoutMarks(text).toLowerCase();
}

/** Returns the text that `search` matches against. */
export function searchText(row: Pick<CustomerRow, 'id' | 'name' | 'email' | 'phone' | 'company_name'>): string {
  const { id, name, email, phone, company_name } = row;
  return fold([id, name, email, phone, company_name].filter((field) => field !== null).join('\n'));
}

/** Minimum digits of a search for a phone number: fewer digits occur in nearly every number. */
const MIN_DIGITS = 3;

/**
 * Returns the texts to look for: a customer with any of them is found. They are the search itself and, if it looks like a phone number,
 * that number as it is stored. Digits can be part of a name, as in `Agent 007` and `2024-25`, or of a number, as in `00221` and `77 123`.
 */
export function needlesOf(search: string): readonly string[] {
  const text = fold(search);
  const number = /^[+\d\s().-]+$/.test(search) ? compactPhone(search) : null;
  const isNumber = number !== null && number !== text && number.replace('+', '').length >= MIN_DIGITS;
  return isNumber ? [text, number] : [text];
}
