import { withoutMarks } from '../kit/unicode.ts';
import type { CustomerRow } from './schema.ts';

/** Without capitals and accents: who looks for `aicha` finds `Aïcha`. */
export function fold(text: string): string {
  return withoutMarks(text).toLowerCase();
}

/** What `search` looks in. */
export function searchText(row: Pick<CustomerRow, 'id' | 'name' | 'email' | 'phone' | 'company_name'>): string {
  const { id, name, email, phone, company_name } = row;
  return fold([id, name, email, phone, company_name].filter((field) => field !== null).join('\n'));
}
