/** All event types (docs/contract/webhooks-and-signatures.md); the suffix is the status. */
export const EVENT_TYPES = [
  'payment.created',
  'payment.processing',
  'payment.partial',
  'payment.succeeded',
  'payment.failed',
  'payment.cancelled',
  'payment.expired',
  'payment.refunded',
  'payment.partially_refunded',
  'payment.late_success',
  'payment.return_required',
  'refund.created',
  'refund.succeeded',
  'refund.failed',
  'transfer.created',
  'transfer.succeeded',
  'transfer.failed',
  'transfer.cancelled',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'beneficiary.created',
  'beneficiary.updated',
  'beneficiary.deleted',
  'dispute.created',
  'dispute.updated',
  'dispute.closed',
  'invoice.created',
  'invoice.sent',
  'invoice.paid',
  'invoice.overdue',
  'invoice.cancelled',
  'link.created',
  'link.updated',
  'account.created',
  'account.updated',
  // Sent by POST /webhooks/{id}/test to that endpoint only.
  'webhook.test',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Returns the subscriptions that match a type: `payment.succeeded`, `payment.*`, `*`. */
export function subscriptionsOf(type: EventType): string[] {
  return [type, `${type.slice(0, type.indexOf('.'))}.*`, '*'];
}
