/** Reasons for which a merchant can refund (docs/contract/money.md). */
export const REFUND_REASONS = [
  'duplicate',
  'fraudulent',
  'requested_by_customer',
  'service_not_delivered',
  'product_not_received',
  'wrong_amount',
  'network_error',
  'transaction_error',
  'customer_complaint',
  'merchant_error',
  'reconciliation',
] as const;
