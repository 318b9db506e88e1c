import { SEARCHABLE_BENEFICIARIES } from '../core/beneficiaries/store.ts';
import { SEARCHABLE_CUSTOMERS } from '../core/customers/store.ts';
import { SEARCHABLE_PAYMENTS } from '../core/payments/search.ts';
import { SEARCHABLE_TRANSFERS } from '../core/transfers/store.ts';
import { SEARCHABLE_INVOICES } from '../edge/invoices/list-store.ts';
import { SEARCHABLE_LINKS } from '../edge/links/store.ts';
import type { Searchable } from '../platform/search/searchable.ts';

/** Everything that can be searched by parts of its texts. */
export const SEARCHABLES: readonly Searchable[] = [
  SEARCHABLE_BENEFICIARIES,
  SEARCHABLE_CUSTOMERS,
  SEARCHABLE_INVOICES,
  SEARCHABLE_LINKS,
  SEARCHABLE_PAYMENTS,
  SEARCHABLE_TRANSFERS,
];
