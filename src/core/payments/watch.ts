import type { Store } from '../../platform/db/stores.ts';
import type { PaymentRef } from './store.ts';
import { type Glimpse, readGlimpses } from './watch-store.ts';

/** Maximum payments in one statement. */
const MAX_AT_ONCE = 500;

export type { Glimpse };

/** Returns snapshots of payments, for pages that wait for updates of many of them. */
export async function glimpses(store: Store, refs: readonly PaymentRef[]): Promise<Glimpse[]> {
  const found: Glimpse[] = [];
  for (let at = 0; at < refs.length; at += MAX_AT_ONCE) {
    found.push(...(await readGlimpses(store.db, refs.slice(at, at + MAX_AT_ONCE))));
  }
  return found;
}
