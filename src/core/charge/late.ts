import type { Config } from '../../platform/config/config.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Capabilities, Next, Reading, Submission } from '../../providers/adapters/contract.ts';
import type { Change, Occurrence } from '../payments/change.ts';
import type { AttemptUpdate } from '../attempts/store.ts';
import { isChargeable } from './refusals.ts';
import { beforeLateMoney, change, captureOrMismatch, submittedOccurrence } from './outcomes.ts';
import { FIRST_POLL_MS, mayNotBeShownYet, MIN_POLL_WAIT_MS, pollDelay } from '../../providers/adapters/polling.ts';
import { type AttemptRow, isUnderWay, lastSentAt, neverArrived } from '../attempts/schema.ts';
import type { PaymentRow } from '../payments/schema.ts';

/**
 * Maximum time after the end of an attempt for which a poll that a callback caused is repeated, while the attempt's status cannot be
 * read. It applies to an attempt that its provider ended.
 */
export const MAX_UNREAD_MS = 7 * 86_400_000;

/** The same for an attempt that we closed although its provider may have it: the provider may be unreadable for days. */
const MAX_WATCHED_MS = 90 * 86_400_000;

/*
 * Effects of reports about attempts that are already closed. Money that moved is always recorded. An attempt that was closed by
 * us because it apparently never arrived, but that the provider has after all, is reopened where the payment can still take it;
 * otherwise it stays closed and is polled until no money can move any more.
 */

/** A closed attempt and the data by which a report about it is judged. */
export interface ClosedAttempt {
  config: Config;
  environment: Environment;
  payment: PaymentRow;
  attempt: AttemptRow;
  /** All attempts of the payment. */
  attempts: readonly AttemptRow[];
  at: number;
  /** The report is the response to a further step, which was sent before the attempt closed. */
  is_step?: true;
  /** The provider was polled after the attempt had ended, for instance because of a callback: its response is newer than the end. */
  is_newer?: boolean;
}

/** Returns the change made by a late response to a charge. */
export function changeOfLateSubmission(closed: ClosedAttempt, submission: Submission): Change {
  const { attempt, at } = closed;
  switch (submission.kind) {
    case 'accepted': {
      const provider_ref = submission.provider_ref ?? attempt.provider_ref;
      return reachedProvider(closed, {
        ...{ status: 'open', action: submission.next, provider_ref, next_poll_at: new Date(at + submission.poll_after_ms) },
      });
    }
    case 'duplicate':
      return reachedProvider(closed, { status: 'unknown', next_poll_at: new Date(at) });
    case 'unknown':
      return reachedProvider(closed, {
        status: 'unknown',
        message: submission.message,
        next_poll_at: new Date(at + FIRST_POLL_MS),
      });
    case 'succeeded':
      return lateMoney(closed, submission);
    case 'refused':
    case 'unavailable':
      return unchanged(attempt);
  }
}

/**
 * Returns the change made by a late poll of the provider.
 * @param polled_at when the provider was polled, in milliseconds since the epoch: the response covers nothing sent later
 */
export function changeOfLateReading(
  closed: ClosedAttempt,
  reading: Reading,
  capabilities: Pick<Capabilities, 'polls' | 'not_found_grace_ms'>,
  polled_at: number,
): Change {
  const { attempt, at } = closed;
  const later = new Date(at + pollDelay(capabilities.polls, attempt.polls));
  switch (reading.kind) {
    case 'succeeded':
      return lateMoney(closed, reading);
    case 'pending':
      if (endedByProvider(attempt) && (attempt.next_poll_at !== null || closed.is_newer)) return pollUnread(closed, later);
      return reachedProvider(closed, {
        status: 'open',
        next_poll_at: new Date(at + Math.max(reading.poll_after_ms, MIN_POLL_WAIT_MS)),
      });
    case 'unreadable':
      return pollUnread(closed, later);
    case 'not_found': {
      // As for an open attempt, an accepted attempt exists until its provider has ended it. "Not found" soon after sending proves nothing.
      const sent = (lastSentAt(attempt) ?? attempt.created_at).getTime();
      const mayExist = attempt.action !== null && !endedByProvider(attempt) && attempt.resolution?.as !== 'failed';
      const proven = !mayExist && !mayNotBeShownYet(capabilities, sent, polled_at);
      return proven ? pollAgain(closed, null) : pollUnread(closed, later);
    }
    case 'failed':
    case 'cancelled':
    case 'expired':
      return pollAgain(closed, null);
  }
}

/** Returns the change for money that moved after the attempt closed, whatever its amount. */
function lateMoney(closed: ClosedAttempt, proof: { provider_ref: string; amount_minor: bigint; currency: string }): Change {
  const { config, environment, payment, attempt, at } = closed;
  const before = beforeLateMoney(config, payment, attempt);
  if (proof.amount_minor === attempt.amount_minor && proof.currency === attempt.currency) {
    return late(captureOrMismatch(config, environment, attempt, proof, at, before));
  }
  const { amount_minor, currency, provider_ref } = proof;
  const judged = attempt.resolution?.mismatch;
  const known = judged?.amount_minor === String(amount_minor) && judged.currency === currency;
  // The same report again: it waits for manual resolution, or a person has resolved it as wrong.
  if (attempt.mismatch !== null || known) return pollAgain(closed, null);
  const update: AttemptUpdate = {
    status: attempt.status,
    message: 'after the end the provider reports another amount or currency than was requested',
    mismatch: { amount_minor: String(amount_minor), currency, provider_ref, at: new Date(at).toISOString() },
    mismatches: attempt.mismatches + 1,
    next_poll_at: null,
  };
  return late(change(attempt, update, [{ kind: 'mismatched', attempt_id: attempt.id, amount_minor, currency }]));
}

/**
 * Returns the change when the provider has the attempt. An attempt that its provider ended stays closed, because the report is older
 * than the end. The response to a further step may be newer than the end, which may have been read before the step arrived. The attempt
 * then stays closed too, but is polled again.
 */
function reachedProvider(closed: ClosedAttempt, update: AttemptUpdate & { action?: Next | null }): Change {
  const { config, payment, attempt, attempts, at } = closed;
  const decided = attempt.resolution?.as === 'failed';
  const isEnded = endedByProvider(attempt);
  if (isEnded && !closed.is_step) return unchanged(attempt);
  const submitted_at = attempt.submitted_at ?? new Date(at);
  const free = attempts.every((other) => other.id === attempt.id || !isUnderWay(other));
  if (isChargeable(payment) && free && !decided && !isEnded) {
    const opened = { reason: null, message: null, closed_at: null, submitted_at, ...update };
    return late(change(attempt, opened, [submittedOccurrence(config, payment, attempt)]));
  }
  const { status: _, message: __, ...rest } = update;
  return late(change(attempt, { ...rest, status: attempt.status, submitted_at }, []));
}

/**
 * Whether the provider ended the attempt: it did not turn the attempt away, we did not close it as never arrived, and no person resolved it
 * as failed.
 */
function endedByProvider(attempt: AttemptRow): boolean {
  return attempt.status !== 'unavailable' && !neverArrived(attempt) && attempt.resolution?.as !== 'failed';
}

/**
 * Whether the next tranche is sent automatically after the newest attempt. After an attempt that its provider or a person ended without
 * money, the payer has to continue.
 */
function goesOnAfter(newest: AttemptRow): boolean {
  return newest.status === 'succeeded' || newest.status === 'unavailable' || neverArrived(newest);
}

/** Schedules the next poll of a closed attempt that is still polled; null: no money can move any more. */
function pollAgain({ payment, attempt, attempts }: ClosedAttempt, next_poll_at: Date | null): Change {
  if (attempt.next_poll_at === null) return unchanged(attempt);
  // The tranche that waited for this attempt can be sent now.
  const waited = next_poll_at === null && payment.status === 'partial' && goesOnAfter(attempts.at(-1) ?? attempt);
  const occurrences: Occurrence[] = waited ? [{ kind: 'tranche_unsent' }] : [];
  return late(change(attempt, { status: attempt.status, next_poll_at }, occurrences));
}

/**
 * Schedules the next poll of an attempt whose outcome could not be read, or that its provider does not show yet. A callback may have
 * caused the poll. The provider does not repeat the callback, which may have reported a late success. An attempt that ended long ago is
 * not polled again.
 */
function pollUnread(closed: ClosedAttempt, next_poll_at: Date): Change {
  const { attempt, at } = closed;
  // The provider may have it although we closed it: its end has to be known.
  const hasIt = attempt.status !== 'unavailable' || attempt.submitted_at !== null;
  const isWatched = attempt.next_poll_at !== null && hasIt && !endedByProvider(attempt);
  if (endedBefore(attempt, at - (isWatched ? MAX_WATCHED_MS : MAX_UNREAD_MS))) return pollAgain(closed, null);
  return late(change(attempt, { status: attempt.status, next_poll_at }, []));
}

/** Whether the attempt closed so long ago that a report without a definite outcome no longer causes another poll. */
export function endedLongAgo(attempt: AttemptRow, at: number): boolean {
  return endedBefore(attempt, at - MAX_UNREAD_MS);
}

function endedBefore({ closed_at }: AttemptRow, time: number): boolean {
  return closed_at !== null && closed_at.getTime() < time;
}

function late(made: Change): Change {
  return made.attempt ? { ...made, attempt: { ...made.attempt, late: true } } : made;
}

function unchanged({ team_id, payment_id }: AttemptRow): Change {
  return { team_id, payment_id, occurrences: [] };
}
