import { paymentRoutes } from '../../../core/payments/routes.ts';
import type { ListPaymentsQuery } from '../../../core/payments/schema.ts';
import type { ListOptions } from '../list-options.ts';
import {
  AMOUNT,
  CREATED,
  filled,
  type Item,
  momentOf,
  moneyOf,
  listResource,
  type Resource,
  showResource,
  STATUS,
  textColumn,
  textOf,
} from '../listing.ts';
import type { TeamOptions } from '../operations.ts';
import { details, paintStatus, table } from '../output.ts';

/** Fields by which payments can be filtered, as the API names them. */
export const FILTERS = [
  'status',
  'search',
  'date_from',
  'date_to',
  'amount_min',
  'amount_max',
] satisfies (keyof ListPaymentsQuery)[];

const PAYMENTS: Resource = {
  ...{ prefix: 'trx', path: '/payments', name: 'transaction' },
  routes: paymentRoutes,
  filters: FILTERS,
  columns: [
    textColumn('PAYMENT', 'id'),
    CREATED,
    AMOUNT,
    STATUS,
    textColumn('CHANNEL', 'channel'),
    textColumn('REFERENCE', 'reference'),
  ],
  fields: ['id', 'created_at', 'status', 'amount', 'currency', 'channel', 'reference', 'description', 'sandbox'],
};

/** `pirogue payments list` */
export function listPaymentsCommand(options: ListOptions): Promise<void> {
  return listResource(options, PAYMENTS);
}

/** `pirogue payments show` */
export function showPaymentCommand(id: string, options: TeamOptions & { json?: true }): Promise<void> {
  return showResource(
    id,
    options,
    PAYMENTS,
    (payment) => `${details(linesOf(payment))}${attemptsOf(payment.attempts as Item[])}`,
  );
}

function linesOf(payment: Item): Record<string, string> {
  const total = payment.amount_total === payment.amount ? '' : moneyOf(payment, 'amount_total');
  const some = (field: string) => (payment[field] === 0 ? '' : moneyOf(payment, field));
  return filled({
    payment: textOf(payment.id),
    status: paintStatus(String(payment.status)),
    why: [payment.reason, payment.message].filter(Boolean).map(textOf).join(': '),
    amount: moneyOf(payment, 'amount'),
    'payer pays': total,
    captured: some('amount_captured'),
    refunded: some('amount_refunded'),
    fee: some('fee'),
    channel: textOf(payment.channel),
    reference: textOf(payment.reference),
    description: textOf(payment.description),
    customer: textOf(payment.customer),
    account: textOf(payment.account),
    created: momentOf(payment.created_at),
    expires: payment.completed_at === null ? momentOf(payment.expires_at) : '',
    completed: momentOf(payment.completed_at),
  });
}

function attemptsOf(attempts: readonly Item[]): string {
  if (attempts.length === 0) return '';
  const rows = attempts.map(({ id, created_at, provider, channel, status, reason }) => [
    ...[textOf(id), momentOf(created_at), textOf(provider), textOf(channel), paintStatus(String(status)), textOf(reason)],
  ]);
  return `\n\n${table(['ATTEMPT', 'CREATED', 'PROVIDER', 'CHANNEL', 'STATUS', 'REASON'], rows)}`;
}
