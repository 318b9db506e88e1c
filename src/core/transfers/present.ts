import type { Environment } from '../../kit/environment.ts';
import { wireFromMinor } from '../../kit/money.ts';
import type { TransferRow } from './schema.ts';

/** Returns a transfer as GET returns it and as events carry it. */
export function presentTransfer(environment: Environment, row: TransferRow) {
  return {
    id: row.id,
    reference: row.reference,
    amount: wireFromMinor(row.amount_minor),
    currency: row.currency,
    fee: wireFromMinor(row.fee_minor),
    amount_total: wireFromMinor(row.amount_minor + row.fee_minor),
    status: row.status,
    reason: row.reason,
    message: row.message,
    beneficiary: row.beneficiary_id,
    channel: row.channel,
    account: row.account_id,
    description: row.description,
    metadata: row.metadata,
    sandbox: environment === 'sandbox',
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}
