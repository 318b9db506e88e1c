import type { Environment } from '../../kit/environment.ts';
import { wireFromMinor } from '../../kit/money.ts';
import type { RefundRow } from './schema.ts';

/** Returns a refund as GET returns it and as events carry it. */
export function presentRefund(environment: Environment, row: RefundRow) {
  return {
    id: row.id,
    payment: row.payment_id,
    amount: wireFromMinor(row.amount_minor),
    currency: row.currency,
    status: row.status,
    reason: row.reason,
    failure_reason: row.failure_reason,
    message: row.message,
    fee: 0,
    sandbox: environment === 'sandbox',
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}
