import type { Config } from '../../platform/config/config.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Capabilities, Reading, Submission } from '../../providers/adapters/contract.ts';
import type { Change, Report } from '../payments/change.ts';
import { changeOfLateReading, changeOfLateSubmission, type ClosedAttempt, endedLongAgo } from './late.ts';
import { changeOfReading, changeOfSubmission } from './outcomes.ts';
import { isNewPoll, nextPoll } from '../../providers/adapters/polling.ts';
import { isOnlyStep, provenByStep, type Step } from './steps.ts';
import { type AttemptRow, isOpen } from '../attempts/schema.ts';

/** The configuration and environment in which a report is judged. */
interface Place {
  config: Config;
  environment: Environment;
}

/** Properties of a poll that determine what it changes. */
export interface PollContext {
  capabilities: Pick<Capabilities, 'polls' | 'not_found_grace_ms'>;
  /** When the provider was polled, in milliseconds since the epoch. */
  polled_at: number;
  /** The time for which this poll was scheduled. A time that was set since then is kept. Null: every earlier time is kept. */
  due: Date | null;
  /** The reading is the response to a poll. Left out for a callback or a statement, which may be older than the stored state. */
  is_asked?: true;
}

/**
 * Returns the report of a response to a charge.
 * @param attempt as it was when it was sent
 */
export function reportOfSubmission({ config, environment }: Place, attempt: AttemptRow, submission: Submission): Report {
  const { team_id, payment_id, id: attempt_id } = attempt;
  const judge: Report['judge'] = (payment, now, attempts, at) => {
    const change = changeOfAny({ config, environment, payment, attempt: now, attempts, at }, submission);
    return keepingNews(keepingWakeUp(change, now, attempt.next_poll_at), now, attempt, at);
  };
  return { team_id, payment_id, attempt_id, judge };
}

/** Returns the change made by a response to an attempt that may have ended meanwhile. */
function changeOfAny(now: ClosedAttempt, submission: Submission): Change {
  const { config, environment, payment, attempt, at } = now;
  return isOpen(attempt)
    ? changeOfSubmission(config, environment, payment, attempt, submission, at)
    : changeOfLateSubmission(now, submission);
}

/**
 * Returns the report of a response to a further step.
 * @param payer stored with the response: the token of a card entered in the step
 */
export function reportOfStep(
  { config, environment }: Place,
  step: Step,
  submission: Submission,
  capabilities: Pick<Capabilities, 'idempotency'>,
  payer?: string,
): Report {
  const { attempt } = step;
  const { team_id, payment_id, id: attempt_id } = attempt;
  const judge: Report['judge'] = (payment, now, attempts, at) => {
    const isOnly = isOnlyStep(step, now);
    const proven = provenByStep(submission, isOnly, capabilities);
    const change = changeOfAny({ config, environment, payment, attempt: now, attempts, at, is_step: true }, proven);
    if (payer && isOpen(now) && change.attempt) change.attempt.update.payer = payer;
    // The result of this step is known, so the step is no longer unanswered.
    if (isOpen(now) && isOnly && proven.kind === 'accepted' && change.attempt) change.attempt.update.unanswered_step_at = null;
    return keepingNews(keepingWakeUp(change, now, attempt.next_poll_at), now, attempt, at);
  };
  return { team_id, payment_id, attempt_id, judge };
}

/** Returns the report of a poll or a signed callback. */
export function reportOfReading(
  { config, environment }: Place,
  attempt: AttemptRow,
  reading: Reading,
  poll: PollContext,
): Report {
  const { team_id, payment_id, id: attempt_id } = attempt;
  const { capabilities, polled_at, due, is_asked } = poll;
  const is_newer = is_asked === true && !isOpen(attempt);
  const judge: Report['judge'] = (payment, now, attempts, at) => {
    const closed: ClosedAttempt = { config, environment, payment, attempt: now, attempts, at, is_newer };
    const change = isOpen(now)
      ? changeOfReading(config, environment, payment, now, reading, capabilities, at, polled_at)
      : changeOfLateReading(closed, reading, capabilities, polled_at);
    return keepingNews(keepingWakeUp(change, now, due), now, attempt, at);
  };
  return { team_id, payment_id, attempt_id, judge };
}

/** Keeps an earlier time for the next poll that a callback has set since the provider was polled. */
function keepingWakeUp(change: Change, now: AttemptRow, due: Date | null): Change {
  const next = change.attempt?.update.next_poll_at;
  if (!change.attempt || !next) return change;
  const next_poll_at = nextPoll(next, now.next_poll_at, due);
  return { ...change, attempt: { ...change.attempt, update: { ...change.attempt.update, next_poll_at } } };
}

/**
 * Keeps polling an attempt that ends without money when a callback or another worker has set its next poll since the report was requested.
 * The report may be older than the callback, for example when a success followed a failure, and the provider does not repeat the callback.
 * The same applies when a further step was sent since. An attempt that ends now is due now, because its payment takes no other charge
 * before the poll.
 * @param known the attempt as it was when the report was requested
 */
function keepingNews(change: Change, now: AttemptRow, known: AttemptRow, at: number): Change {
  const { attempt } = change;
  if (!attempt || attempt.update.next_poll_at !== null || attempt.update.status === 'succeeded') return change;
  const isPolled = isNewPoll(now.next_poll_at, known.next_poll_at);
  if (!(isPolled || isContinued(now, known)) || endedLongAgo(now, at)) return change;
  const next_poll_at = isOpen(now) ? new Date(at) : now.next_poll_at;
  return { ...change, attempt: { ...attempt, update: { ...attempt.update, next_poll_at } } };
}

/**
 * Keeps polling an open attempt that a person or a statement ends as failed while it is due. A callback may have made it due, and the
 * provider does not repeat the callback. An attempt that had already ended is not polled further: the manual resolution may have been
 * made because its status cannot be read.
 */
export function keepingUnread(change: Change, now: AttemptRow, at: number): Change {
  const isUnread = isOpen(now) && now.next_poll_at !== null && now.next_poll_at.getTime() <= at;
  return isUnread ? keepingNews(change, now, { ...now, next_poll_at: null }, at) : change;
}

/** Whether a further step was sent since, whose result is not known. */
function isContinued(now: AttemptRow, known: AttemptRow): boolean {
  const step_at = now.unanswered_step_at;
  return step_at !== null && step_at.getTime() !== known.unanswered_step_at?.getTime();
}
