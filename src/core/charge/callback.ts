import { lowestIdAt } from '../../kit/ids.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Reading, Subject } from '../../providers/adapters/contract.ts';
import { type AttemptRow, isOpen } from '../attempts/schema.ts';
import { type AttemptReference, findBySubject, pollNow, storeReportedRef } from '../attempts/store.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { applyCallback, pollAttempt } from './poll.ts';

/** How far back another attempt may have the reference that is reported for this one: a prompt lives for minutes. */
const REFERENCE_WINDOW_MS = 86_400_000;

/** A provider account from which a callback came. */
export interface CallbackSource {
  team_id: bigint;
  account_id: string;
}

/**
 * Processes a callback about an attempt. A signed result is applied. Anything else causes a poll: soon for an open attempt, at
 * once for one that ended without money, because success may come late.
 * @param reading the result in a signed callback; null when the callback carries none that can be trusted
 * @returns false when the account has no such attempt
 */
export async function applyAttemptCallback(
  deps: PaymentDeps,
  store: Store,
  from: CallbackSource,
  about: AttemptReference,
  reading: Reading | null,
): Promise<boolean> {
  const attempt = await findBySubject(store.db, from.team_id, from.account_id, about);
  if (!attempt) return false;
  if (attempt.status === 'succeeded') return true;
  if (attempt.submitted_at) {
    deps.health.callback(from.account_id, attempt.channel, deps.clock.now() - attempt.submitted_at.getTime());
  }
  if (reading) await applyCallback(deps, store, attempt, reading);
  else if (isOpen(attempt)) await pollSoon(deps, store, attempt, about.reported);
  else await pollAttempt(deps, store, attempt);
  return true;
}

/**
 * Schedules a poll and stores a provider reference from the callback. A reference reported with a different amount belongs to
 * another transaction and is not stored.
 */
async function pollSoon(deps: PaymentDeps, store: Store, attempt: AttemptRow, reported: Subject | undefined): Promise<void> {
  const now = deps.clock.now();
  const fits = reported !== undefined && (reported.paid_minor === undefined || reported.paid_minor === attempt.amount_minor);
  if (fits && attempt.provider_ref === null) {
    const since = lowestIdAt('att', store.environment, now - REFERENCE_WINDOW_MS);
    await store.db.transaction((tx) => storeReportedRef(tx, attempt, reported.value, since));
  }
  await pollNow(store.db, attempt, new Date(now));
}
