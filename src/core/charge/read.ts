import type { SharedWork } from '../../platform/db/batches.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { KeyRow } from '../../tenants/api/idempotency-store.ts';
import { notFound } from '../../kit/errors.ts';
import { isId } from '../../kit/ids.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import type { PaymentRow } from '../payments/schema.ts';
import type { PaymentRef } from '../payments/store.ts';
import { type Found, readPayments, type Wanted } from './read-store.ts';

/** Payments that are read at the same time, for a charge or a poll, share one statement. */
const READS: SharedWork<Wanted, Found> = {
  in_flight: 2,
  teamOf: ({ team_id }) => team_id,
  run: readPayments,
};

/**
 * Returns a payment with the Idempotency-Key of its charge, as of a moment after the call.
 * @throws Problem 404, the same for an unknown id, another team's and another environment's
 */
export async function readWithKey(
  { batches }: Pick<PaymentDeps, 'batches'>,
  store: Store,
  wanted: Wanted,
): Promise<{ payment: PaymentRow; used: KeyRow | undefined }> {
  const { payment, used } = isId('trx', store.environment, wanted.id) ? await batches.add(READS, store, wanted) : {};
  if (!payment) throw notFound('Payment');
  return { payment, used };
}

/** Returns a payment without attempts, or undefined when there is none. */
export async function readPayment(
  { batches }: Pick<PaymentDeps, 'batches'>,
  store: Store,
  { team_id, id }: PaymentRef,
): Promise<PaymentRow | undefined> {
  return (await batches.add(READS, store, { team_id, id, key: null })).payment;
}
