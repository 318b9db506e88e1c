import { ListSearcher } from '../../platform/search/list.ts';
import { fixed } from '../../kit/sql.ts';
import type { Searchable } from '../../platform/search/searchable.ts';
import { searchedFields } from './fields.ts';
import { LISTED_COLUMNS, type ListedRow } from './present.ts';

const columnsOf = (by: 'anyone' | 'secret_key') => searchedFields(by).map(({ column }) => column);
const anyone = columnsOf('anyone');

/** Payments for the search index. It keeps the groups apart, so that a public key does not search what only the owner may. */
export const SEARCHABLE_PAYMENTS: Searchable = {
  kind: 'payments',
  prefix: 'trx',
  table: 'payments',
  id: 'id',
  groups: [anyone, columnsOf('secret_key').filter((column) => !anyone.includes(column))],
};

/** The groups that a key searches. */
export const GROUPS = { anyone: [0], secret_key: [0, 1] } as const;

/** Returns the searcher of lists of payments. */
export function paymentSearcher(): ListSearcher<ListedRow> {
  return new ListSearcher(SEARCHABLE_PAYMENTS, { from: 'payments', ids: ['id'], columns: fixed(LISTED_COLUMNS.join(', ')) });
}
