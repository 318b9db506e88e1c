import { withoutMarks } from '../../kit/unicode.ts';
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
