import { must } from '../../kit/errors.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Reading, Subject } from '../../providers/adapters/contract.ts';
import { type AttemptRow, isOpen } from '../attempts/schema.ts';
import { type AttemptReference, findAttempt, findBySubject, pollDoubted, pollNow, storeReportedRef } from '../attempts/store.ts';
import { restoreBySubject } from '../payments/archived.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { lockPayments } from '../payments/store.ts';
import { MAX_UNREAD_MS } from './late.ts';
import { applyCallback, pollAttempt } from './poll.ts';

/** Maximum age of the attempts among which a reported reference is looked for. It is far above the lifetime of a prompt, some minutes. */
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
 * @param place whether archived attempts are searched as well
 * @returns the attempt as it was before the callback; undefined when the account has no such attempt
 */
export async function applyAttemptCallback(
  deps: PaymentDeps,
  store: Store,
  from: CallbackSource,
  about: AttemptReference,
  reading: Reading | null,
  place: 'anywhere' | 'unarchived' = 'anywhere',
): Promise<AttemptRow | undefined> {
  const known =
    place === 'anywhere'
      ? await restoreBySubject(store, from.team_id, from.account_id, about)
      : await findBySubject(store.db, from.team_id, from.account_id, about);
  if (!known || known.status === 'succeeded') return known;
  if (known.submitted_at) {
    deps.health.callback(from.account_id, known.channel, deps.clock.now() - known.submitted_at.getTime());
  }
  const attempt = await withReportedRef(deps, store, known, about.reported);
  if (reading) await applyCallback(deps, store, attempt, reading);
  else if (!isOpen(attempt) || !(await pollNow(store.db, attempt, new Date(deps.clock.now()))))
    await readEnded(deps, store, attempt);
  return known;
}

/**
 * Polls an attempt that has ended, from its current row. If its provider may have it after all, its payment takes no other charge until
 * the poll is done.
 */
async function readEnded(deps: PaymentDeps, store: Store, known: AttemptRow): Promise<void> {
  const { team_id, id, payment_id } = known;
  const now = deps.clock.now();
  const ended = await store.db.transaction(async (tx) => {
    await lockPayments(tx, [{ team_id, id: payment_id }]);
    await pollDoubted(tx, known, new Date(now), new Date(now - MAX_UNREAD_MS));
    return must(await findAttempt(tx, team_id, id), 'the lock restores what was archived');
  });
  if (ended.status !== 'succeeded') await pollAttempt(deps, store, ended);
}

/**
 * Stores the provider reference of a callback for an attempt that has none. Some providers can be polled only by this reference, also
 * about an attempt that ended and was paid late. A reference reported with a different amount belongs to another transaction and is not
 * stored.
 * @returns the attempt with the reference, if it was stored
 */
async function withReportedRef(
  deps: PaymentDeps,
  store: Store,
  attempt: AttemptRow,
  reported: Subject | undefined,
): Promise<AttemptRow> {
  const fits = reported !== undefined && (reported.paid_minor === undefined || reported.paid_minor === attempt.amount_minor);
  if (!fits || attempt.provider_ref !== null) return attempt;
  const since = lowestIdAt('att', store.environment, deps.clock.now() - REFERENCE_WINDOW_MS);
  const isStored = await store.db.transaction(async (tx) => {
    // Every change of an ended attempt locks the payment first. The lock restores the attempt if it was archived since it was read.
    await lockPayments(tx, [{ team_id: attempt.team_id, id: attempt.payment_id }]);
    return storeReportedRef(tx, attempt, reported.value, since);
  });
  return isStored ? { ...attempt, provider_ref: reported.value } : attempt;
}
