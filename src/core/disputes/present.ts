import type { Environment } from '../../kit/environment.ts';
import { wireFromMinor } from '../../kit/money.ts';
import type { DisputeRow } from './schema.ts';

/** Returns a dispute as GET returns it and as events carry it. */
export function presentDispute(environment: Environment, row: DisputeRow) {
  return {
    id: row.id,
    payment: row.payment_id,
    amount: wireFromMinor(row.amount_minor),
    currency: row.currency,
    status: row.status,
    reason: row.reason,
    evidence: row.evidence,
    due_at: row.due_at?.toISOString() ?? null,
    sandbox: environment === 'sandbox',
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
  };
}
