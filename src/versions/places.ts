import type { ResourceName, RouteName } from './change.ts';

/** Last word of a list's path to what its items are; lists of anything else are changed by `answers`. */
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

/** First word of an event's type to what its data is. */
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

/** What the `items` of a list are. */
export function itemsOf(route: RouteName): ResourceName | undefined {
  return LISTS[route.split('/').at(-1) ?? ''];
}

/** What the `data` of an event is. */
export function dataOf(type: string): ResourceName | undefined {
  return SUBJECTS[type.split('.')[0] ?? ''];
}
