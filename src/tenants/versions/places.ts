import type { ResourceName, RouteName } from './change.ts';

/** Resource of a list's items by the last segment of its path. Lists of anything else are translated by `answers`. */
const LISTS: Record<string, ResourceName> = {
  payments: 'transaction',
  refunds: 'refund',
  transfers: 'transfer',
  beneficiaries: 'beneficiary',
  customers: 'customer',
  payment_methods: 'payment_method',
  webhooks: 'webhook',
  deliveries: 'delivery',
  events: 'event',
  invoices: 'invoice',
  links: 'link',
  accounts: 'account',
  subaccounts: 'account',
  disputes: 'dispute',
  channels: 'channel',
  countries: 'country',
  currencies: 'currency',
  banks: 'bank',
};

/** Resource of an event's data by the first word of its type. */
const SUBJECTS: Record<string, ResourceName> = {
  payment: 'transaction',
  refund: 'refund',
  transfer: 'transfer',
  customer: 'customer',
  beneficiary: 'beneficiary',
  dispute: 'dispute',
  invoice: 'invoice',
  link: 'link',
  account: 'account',
  webhook: 'webhook',
};

/** Returns the resource of a list's `items`. */
export function itemsOf(route: RouteName): ResourceName | undefined {
  return LISTS[route.split('/').at(-1) ?? ''];
}

/** Returns the resource of an event's `data`. */
export function dataOf(type: string): ResourceName | undefined {
  return SUBJECTS[type.split('.')[0] ?? ''];
}
