import type { Store } from '../db/stores.ts';
import { Problem } from '../kit/errors.ts';
import type { Tx } from '../kit/sql.ts';
import type { PaymentRef } from './store.ts';
import { countVainCharges, type Glimpse, readGlimpses } from './watch-store.ts';

/** What one statement asks about at most. */
const MOST_AT_ONCE = 500;
const WINDOW_MS = 3_600_000;
/** People mistype a PIN or lose the signal a few times; whoever makes somebody else's phone ring does it more often. */
const MOST_VAIN_CHARGES = 8;

export type { Glimpse };

/** How payments stand, for pages that wait for news of many of them. */
export async function glimpses(store: Store, refs: readonly PaymentRef[]): Promise<Glimpse[]> {
  const found: Glimpse[] = [];
  for (let at = 0; at < refs.length; at += MOST_AT_ONCE) {
    found.push(...(await readGlimpses(store.db, refs.slice(at, at + MOST_AT_ONCE))));
  }
  return found;
}

/**
 * Counted in the database, so over all payments of the team and all processes; in the transaction of the charge.
 * @throws Problem 429 when the payer was charged in vain too often lately
 */
export async function limitCharges(tx: Tx, team_id: bigint, payer: string, now: number): Promise<void> {
  if ((await countVainCharges(tx, team_id, payer, new Date(now - WINDOW_MS))) < MOST_VAIN_CHARGES) return;
  const retry_after = WINDOW_MS / 1000;
  throw new Problem(429, 'Too many charges of this payer.', {
    headers: { 'Retry-After': String(retry_after) },
    extra: { retry_after },
  });
}
