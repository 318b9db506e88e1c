import { refundRoutes } from '../../../core/refunds/routes.ts';
import type { ListRefundsQuery } from '../../../core/refunds/schema.ts';
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
import { details, paintStatus } from '../output.ts';

const REFUNDS: Resource = {
  ...{ prefix: 'rfd', path: '/refunds', name: 'refund' },
  routes: refundRoutes,
  filters: ['payment', 'status', 'date_from', 'date_to'] satisfies (keyof ListRefundsQuery)[],
  columns: [
    textColumn('REFUND', 'id'),
    CREATED,
    AMOUNT,
    STATUS,
    textColumn('PAYMENT', 'payment'),
    textColumn('REASON', 'reason'),
  ],
  fields: [
    ...['id', 'created_at', 'status', 'amount', 'currency', 'payment', 'reason', 'failure_reason', 'message', 'fee'],
    ...['completed_at', 'updated_at', 'metadata', 'sandbox'],
  ],
};

/** `pirogue refunds list` */
export function listRefundsCommand(options: ListOptions): Promise<void> {
  return listResource(options, REFUNDS);
}

/** `pirogue refunds show` */
export function showRefundCommand(id: string, options: TeamOptions & { json?: true }): Promise<void> {
  return showResource(id, options, REFUNDS, (refund) => details(refundLines(refund)));
}

/** Returns the lines that show a refund. */
export function refundLines(refund: Item): Record<string, string> {
  return filled({
    refund: textOf(refund.id),
    payment: textOf(refund.payment),
    amount: moneyOf(refund, 'amount'),
    status: paintStatus(String(refund.status)),
    why: [refund.failure_reason, refund.message].filter(Boolean).map(textOf).join(': '),
    reason: textOf(refund.reason),
    created: momentOf(refund.created_at),
    completed: momentOf(refund.completed_at),
  });
}
