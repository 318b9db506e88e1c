import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import { apply } from '../payments/apply.ts';
import type { Applied, Change, Occurrence, Report } from '../payments/change.ts';
import type { AttemptUpdate } from '../attempts/store.ts';
import { restoreAttempt } from '../payments/archived.ts';
import type { PaymentListener } from '../payments/listeners.ts';
import { attemptAvailableAt, beforeLateMoney } from './outcomes.ts';
import { keepingUnread } from './reports.ts';
import { type AttemptRow, isOpen, isUnderWay, lastSentAt, type Resolution } from '../attempts/schema.ts';
import type { PaymentRow } from '../payments/schema.ts';

/** A manual resolution of an outcome that no provider reports, with the evidence for it. */
export type ManualResolution = Omit<Resolution, 'at'>;

/** How a document identifies the operation that it proves: by our key, else by the provider's reference. */
export interface ProviderName {
  provider_account: string;
  key: string | null;
  reference: string | null;
}

/**
 * Rejects evidence about an earlier submission.
 * @param sent the account and key of the last submission, and the provider's reference; without an account, as for a refund, only key or
 * reference count
 * @throws Problem 400
 */
export function checkNamed(
  { provider_account, key, reference }: ProviderName,
  sent: { provider_account?: string | null | undefined; provider_key: string; provider_ref: string | null },
): void {
  const account = sent.provider_account ?? provider_account;
  if (account === provider_account && (key === null ? sent.provider_ref === reference : sent.provider_key === key)) return;
  throw new Problem(400, 'It was sent again since: the evidence is about an earlier submission.');
}

const BY_HAND = 'resolved by hand: no money moved';

/** How long a process may wait for a provider's response: longer than a call takes. */
export const SENDING_MS = 120_000;

/** Returns the error for an attempt or transfer that changed between the decision about it and its lock. */
export function changedMeanwhile(what: 'attempt' | 'transfer'): Problem {
  return new Problem(400, `The ${what} has changed at this moment: try again.`);
}

/**
 * Closes an attempt by manual resolution. Success is posted at the requested amount; a mismatch in suspense is reversed either
 * way. Success of an attempt that had ended without money is a late success.
 * @throws Problem 404 the team has no such attempt, 400 it is already decided, is being sent at this moment or has just changed
 */
export function resolveAttempt(
  deps: { clock: Clock; config: Pick<Config, 'retention_ms' | 'fees'>; listeners: readonly PaymentListener[] },
  store: Store,
  ref: { team_id: bigint; id: string },
  resolution: ManualResolution,
  by: Actor,
): Promise<Applied> {
  return applyDecision(
    deps,
    store,
    ref,
    resolution,
    by,
    () => (payment, attempt, _, at) => judged(deps.config, store, payment, attempt, resolution, at),
  );
}

/**
 * Applies the decision of a person or a document about an attempt, with its audit entry. All checks run under the locks that the change
 * needs. An attempt that changed while they were awaited is not decided, because the evidence does not cover the change.
 * @param judgeOf receives the attempt as it was read before the locks; returns the function that judges the decision under them
 * @throws Problem as {@link resolveAttempt}, and what `judgeOf` throws
 */
export function applyDecision(
  deps: { clock: Clock; listeners: readonly PaymentListener[] },
  store: Store,
  ref: { team_id: bigint; id: string },
  decision: Pick<ManualResolution, 'as'>,
  by: Actor,
  judgeOf: (known: AttemptRow, at: number) => Report['judge'],
): Promise<Applied> {
  return store.db.transaction(async (tx) => {
    const at = deps.clock.now();
    const known = await restoreAttempt(tx, ref.team_id, ref.id);
    if (!known) throw notFound('Attempt');
    const { team_id, payment_id, id: attempt_id } = known;
    await record(tx, by, { team_id, action: 'payment.resolve', resource_id: payment_id, at });
    const decided = judgeOf(known, at);
    const judge: Report['judge'] = (payment, now, attempts) => {
      checkResolvable(now, decision, at);
      if (standingOf(now) !== standingOf(known)) throw changedMeanwhile('attempt');
      return keepingUnread(decided(payment, now, attempts, at), now, at);
    };
    const context = { environment: store.environment, at, listeners: deps.listeners };
    const applied = await apply(tx, context, [{ team_id, payment_id, attempt_id, judge }]);
    return must(applied.get(payment_id), 'an attempt has a payment');
  });
}

/** Returns the fields of an attempt that a decision depends on, for comparison. */
function standingOf(attempt: AttemptRow): string {
  return JSON.stringify([attempt.status, attempt.mismatch, lastSentAt(attempt)]);
}

/**
 * Rejects a manual resolution that is not possible.
 * @param at milliseconds since the epoch
 * @throws Problem 400 when the attempt cannot be resolved manually: it is being sent, or is already decided
 */
export function checkResolvable(attempt: AttemptRow, { as }: Pick<ManualResolution, 'as'>, at: number): void {
  // A charge or a further step whose result is not known may still be on its way to the provider.
  const since = attempt.status === 'created' ? attempt.created_at : attempt.unanswered_step_at;
  if (since !== null && at - since.getTime() < SENDING_MS) {
    throw new Problem(400, 'The attempt is being handed over at this moment: wait two minutes.');
  }
  if (attempt.status === 'succeeded' || (as === 'failed' && !isUnderWay(attempt) && attempt.mismatch === null)) {
    throw new Problem(400, `The attempt is decided already: ${attempt.status}.`);
  }
}

function judged(
  config: Pick<Config, 'retention_ms' | 'fees'>,
  store: Store,
  payment: PaymentRow,
  attempt: AttemptRow,
  resolution: ManualResolution,
  at: number,
): Change {
  const { team_id, payment_id, id, channel, amount_minor } = attempt;
  const update = updateOf(attempt, resolution, at);
  if (resolution.as === 'failed') {
    // The attempt had already ended: only the amount set aside since then is resolved.
    if (!isOpen(attempt)) return { team_id, payment_id, attempt: { id, update, late: true }, occurrences: [] };
    const declined: Occurrence = { kind: 'declined', reason: 'unknown', message: BY_HAND, channel };
    return { team_id, payment_id, attempt: { id, update }, occurrences: [declined] };
  }
  const captured: Occurrence = {
    kind: 'captured',
    attempt_id: id,
    amount_minor,
    available_at: attemptAvailableAt(config, store.environment, attempt, at),
  };
  return { team_id, payment_id, attempt: { id, update }, occurrences: [...beforeLateMoney(config, payment, attempt), captured] };
}

function updateOf(attempt: AttemptRow, resolution: ManualResolution, at: number): AttemptUpdate {
  const now = new Date(at);
  // The mismatch of an earlier resolution is kept, so that its amount is not set aside again when the provider reports it once more.
  const before = attempt.resolution?.mismatch;
  const decided = {
    next_poll_at: null,
    resolution: { ...resolution, at: now.toISOString(), ...(before && { mismatch: before }) },
  };
  const common = { ...decided, closed_at: now, submitted_at: attempt.submitted_at ?? now };
  if (resolution.as === 'succeeded') {
    return { ...common, status: 'succeeded', provider_ref: attempt.provider_ref ?? attempt.mismatch?.provider_ref ?? null };
  }
  if (!isOpen(attempt)) return { ...decided, status: attempt.status };
  return { ...common, status: 'failed', reason: 'unknown', message: BY_HAND };
}
