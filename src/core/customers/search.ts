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

/** Digits of the shortest phone number with its country code (Niue). */
const MIN_DIGITS = 7;
/** Digits in a row by which the index of texts narrows a search. */
const NARROWING_DIGITS = 3;

/** The texts that a search may mean, as those of customers have them, and a text that is in each of them. */
export interface Needles {
  texts: readonly [string, ...string[]];
  shared: string;
}

/**
 * Returns the texts that a search finds: itself, and a phone number in any format. Both for a few digits, which may be a part of a name, as
 * in `Agent 007` and `2024-25`, or of a number, as in `00221` and `77 123`. Digits that are too few to narrow a search by what both share
 * are read in one way: together as they are, apart as a number. So is a number with all of its digits.
 */
export function needlesOf(search: string): Needles {
  const text = fold(search);
  const number = /^[+\d\s().-]+$/.test(search) ? compactPhone(search) : null;
  if (number === null || number === text) return { texts: [text], shared: text };
  const isApart = /\D/.test(text);
  const shared = longestShared(text, number);
  const isWhole = isApart && number.replace('+', '').length >= MIN_DIGITS;
  if (shared.length >= NARROWING_DIGITS && !isWhole) return { texts: [text, number], shared };
  const only = isApart ? number : text;
  return { texts: [only], shared: only };
}

/** Returns the longest run of digits of a text that its number has too: the zeros before a country code are not in it. */
function longestShared(text: string, number: string): string {
  const runs = (text.match(/\d+/g) ?? []).map((run) => (number.includes(run) ? run : run.replace(/^0+/, '')));
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}
