import type { Environment } from '../../kit/environment.ts';
import { wireFromMinor } from '../../kit/money.ts';
import { decidedBy, isExplanation } from '../../providers/routing/explain.ts';
import type { AttemptView } from '../attempts/schema.ts';
import type { PaymentRow } from './schema.ts';

/** Returns the fields of a payment in a list. */
export function listed(environment: Environment, row: PaymentRow) {
  return {
    id: row.id,
    reference: row.reference,
    amount: wireFromMinor(row.amount_minor),
    currency: row.currency,
    status: row.status,
    channel: row.channel,
    description: row.description,
    sandbox: environment === 'sandbox',
    created_at: row.created_at.toISOString(),
  };
}

/** Returns the basic fields of a retrieved payment (docs/contract/envelope.md): all that a public key may see. */
function publicView(environment: Environment, row: PaymentRow) {
  return {
    ...listed(environment, row),
    settled: row.settled,
    reason: row.reason,
    metadata: row.details?.metadata ?? null,
  };
}

/** Returns the complete payment, as GET returns it to its owner and as events carry it. */
export function retrieved(environment: Environment, row: PaymentRow, attempts: readonly AttemptView[]) {
  return {
    ...publicView(environment, row),
    amount_total: wireFromMinor(totalOf(row)),
    amount_captured: wireFromMinor(row.captured_minor),
    amount_refunded: wireFromMinor(row.refunded_minor),
    fee: wireFromMinor(row.fee_minor),
    bearer: row.bearer,
    message: row.message,
    customer: row.customer_id,
    payment_method: row.payment_method,
    account: row.account_id,
    callback: row.callback,
    items: row.details?.items ?? null,
    address: row.details?.address ?? null,
    shipping: row.details?.shipping ?? null,
    theming: row.details?.theming ?? null,
    expires_at: row.expires_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
    attempts: attempts.map((attempt) => ({
      id: attempt.id,
      provider: attempt.provider,
      channel: attempt.channel,
      status: attempt.status,
      reason: attempt.reason,
      explanation: isExplanation(attempt.decision) ? decidedBy(attempt.decision) : null,
      created_at: new Date(attempt.created_at).toISOString(),
    })),
  };
}

type Retrieved = ReturnType<typeof retrieved>;

/** Returns a retrieved payment reduced to the fields that a public key may see. */
export function publicOf(payment: Retrieved): ReturnType<typeof publicView> {
  const { id, reference, amount, currency, status, channel, description, settled, sandbox, created_at, reason, metadata } =
    payment;
  return { id, reference, amount, currency, status, channel, description, settled, sandbox, created_at, reason, metadata };
}

/** Returns the amount the payer is charged, in hundredths: the fee is added when the customer bears it. */
export function totalOf(row: Pick<PaymentRow, 'amount_minor' | 'fee_minor' | 'bearer'>): bigint {
  return row.bearer === 'customer' ? row.amount_minor + row.fee_minor : row.amount_minor;
}

/**
 * Returns the payment in the response to its creation: exactly the fields of docs/contract/envelope.md, with the values of its
 * creation, so that a replay is identical.
 */
export function created(environment: Environment, row: PaymentRow) {
  const { channel: _, ...rest } = listed(environment, row);
  return { ...rest, status: 'pending' as const };
}
