import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import { isId, lowestIdAt } from '../../kit/ids.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import type { Reading, Subject } from '../../providers/adapters/contract.ts';
import { apply } from './apply.ts';
import { type AttemptSubject, attemptsOf, findAttempt, findBySubject, lookNow, writeToldRef } from '../attempts/store.ts';
import type { PaymentDeps } from './deps.ts';
import { hear, look } from '../charge/look.ts';
import { type AttemptRow, isOpen, type PaymentRow } from './schema.ts';
import { findPayment, findWithAttempts, lockPayments, type PaymentRef, type PaymentWithAttempts } from './store.ts';

/** How far back another attempt may have the reference that is reported for this one: a prompt lives for minutes. */
const NAMES_KEPT_MS = 86_400_000;

/**
 * Returns a payment of this team and store, with its attempts.
 * @throws Problem 404, the same for an unknown id, another team's and another environment's
 */
export async function getPayment(store: Store, team_id: bigint, id: string): Promise<PaymentWithAttempts> {
  const found = isId('trx', store.environment, id) ? await findWithAttempts(store.db, team_id, id) : undefined;
  if (!found) throw notFound('Payment');
  return found;
}

/**
 * Returns the payment without attempts, for callers that need only the row.
 * @throws Problem 404, as {@link getPayment}
 */
export async function getPaymentRow(store: Store, team_id: bigint, id: string): Promise<PaymentRow> {
  const found = isId('trx', store.environment, id) ? await findPayment(store.db, team_id, id) : undefined;
  if (!found) throw notFound('Payment');
  return found;
}

/**
 * Cancels a payment that is still pending and has no charge under way.
 * @throws Problem 400 `payment_not_cancellable`, 404
 */
export async function cancelPayment(
  deps: PaymentDeps,
  store: Store,
  ref: PaymentRef,
  by: Actor,
): Promise<{ payment: PaymentRow; attempts: AttemptRow[] }> {
  await getPaymentRow(store, ref.team_id, ref.id);
  const applied = await store.db.transaction(async (tx) => {
    const [payment] = await lockPayments(tx, [ref]);
    const attempts = await attemptsOf(tx, [ref]);
    if (payment?.status !== 'pending' || attempts.some(isOpen)) throw notCancellable(payment?.status ?? 'gone');
    const context = { environment: store.environment, at: deps.clock.now(), listeners: deps.listeners };
    const changes = await apply(tx, context, [
      { team_id: ref.team_id, payment_id: ref.id, happenings: [{ kind: 'merchant_cancelled' }] },
    ]);
    await record(tx, by, { team_id: ref.team_id, action: 'payment.cancel', resource_id: ref.id, at: context.at });
    return changes.get(ref.id);
  });
  if (!applied) throw notFound('Payment');
  deps.wake.ring(store.environment);
  return applied;
}

function notCancellable(status: string): Problem {
  const hint = status === 'succeeded' ? ': use a refund' : status === 'pending' ? ': a charge is under way' : '';
  return new Problem(400, `The payment is ${status} and can not be cancelled${hint}.`, { error_code: 'payment_not_cancellable' });
}

/** A provider account from which a callback came. */
export interface NewsSource {
  team_id: bigint;
  account_id: string;
}

/**
 * Processes a callback about an attempt. A signed result is applied. Anything else causes a poll: soon for an open attempt, at
 * once for one that ended without money, because success may come late.
 * @param news the result in a signed callback; null when the callback carries none that can be trusted
 * @returns false when the account has no such attempt
 */
export async function hearOfAttempt(
  deps: PaymentDeps,
  store: Store,
  from: NewsSource,
  about: AttemptSubject,
  news: Reading | null,
): Promise<boolean> {
  const attempt = await findBySubject(store.db, from.team_id, from.account_id, about);
  if (!attempt) return false;
  if (attempt.status === 'succeeded') return true;
  if (attempt.submitted_at) {
    deps.health.callback(from.account_id, attempt.channel, deps.clock.now() - attempt.submitted_at.getTime());
  }
  if (news) await hear(deps, store, attempt, news);
  else if (isOpen(attempt)) await lookSoon(deps, store, attempt, about.told);
  else await look(deps, store, attempt);
  return true;
}

/**
 * Schedules a poll and stores a provider reference from the callback. A reference reported with a different amount belongs to
 * another transaction and is not stored.
 */
async function lookSoon(deps: PaymentDeps, store: Store, attempt: AttemptRow, told: Subject | undefined): Promise<void> {
  const now = deps.clock.now();
  const fits = told !== undefined && (told.paid_minor === undefined || told.paid_minor === attempt.amount_minor);
  if (fits && attempt.provider_ref === null) {
    const since = lowestIdAt('att', store.environment, now - NAMES_KEPT_MS);
    await store.db.transaction((tx) => writeToldRef(tx, attempt, told.value, since));
  }
  await lookNow(store.db, attempt, new Date(now));
}

/** Locks a payment until the transaction ends. Every change of its refunds and disputes does this first. */
export async function lockPayment(tx: Tx, team_id: bigint, id: string): Promise<PaymentRow | undefined> {
  return (await lockPayments(tx, [{ team_id, id }]))[0];
}

/** Returns the attempts that captured the payment's money, oldest first, without those whose money must be returned in full. */
export async function capturesOf(db: Queryable, ref: PaymentRef): Promise<AttemptRow[]> {
  return (await attemptsOf(db, [ref])).filter((attempt) => attempt.status === 'succeeded' && !attempt.must_return);
}

/** Returns an attempt with its payment, for callers that return its money. */
export async function getCapture(
  db: Queryable,
  team_id: bigint,
  payment_id: string,
  attempt_id: string,
): Promise<{ payment: PaymentRow; attempt: AttemptRow }> {
  const payment = must(await findPayment(db, team_id, payment_id), 'the payment of an attempt exists');
  return { payment, attempt: must(await findAttempt(db, team_id, attempt_id), 'the attempt exists') };
}
