import type { Store } from '../../platform/db/stores.ts';
import type { PaymentRef } from './store.ts';
import { type PaymentSnapshot, readSnapshots } from './snapshots-store.ts';

/** Maximum payments in one statement. */
const MAX_AT_ONCE = 500;

export type { PaymentSnapshot };

/** Returns snapshots of payments, for pages that wait for updates of many of them. */
export async function readPaymentSnapshots(store: Store, refs: readonly PaymentRef[]): Promise<PaymentSnapshot[]> {
  const found: PaymentSnapshot[] = [];
  for (let at = 0; at < refs.length; at += MAX_AT_ONCE) {
    found.push(...(await readSnapshots(store.db, refs.slice(at, at + MAX_AT_ONCE))));
  }
  return found;
}
