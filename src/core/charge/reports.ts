import type { Config } from '../../platform/config/config.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Capabilities, Reading, Submission } from '../../providers/adapters/contract.ts';
import type { Change, Report } from '../payments/change.ts';
import { changeOfLateReading, changeOfLateSubmission } from './late.ts';
import { changeOfReading, changeOfSubmission } from './outcomes.ts';
import { isNewPoll } from '../../providers/adapters/polling.ts';
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
}

/**
 * Returns the report of a response to a charge or a further step.
 * @param attempt as it was when it was sent
 * @param payer stored with the response: the token of a card entered in a further step
 */
export function reportOfSubmission(
  { config, environment }: Place,
  attempt: AttemptRow,
  submission: Submission,
  payer?: string,
): Report {
  const { team_id, payment_id, id: attempt_id } = attempt;
  const judge: Report['judge'] = (payment, now, attempts, at) => {
    const answer = doubted(submission, now, attempt);
    const change = isOpen(now)
      ? changeOfSubmission(config, environment, payment, now, answer, at)
      : changeOfLateSubmission({ config, environment, payment, attempt: now, attempts, at }, answer);
    if (payer && change.attempt) change.attempt.update.payer = payer;
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
  const { capabilities, polled_at, due } = poll;
  const judge: Report['judge'] = (payment, now, attempts, at) => {
    const change = isOpen(now)
      ? changeOfReading(config, environment, payment, now, reading, capabilities, at, polled_at)
      : changeOfLateReading({ config, environment, payment, attempt: now, attempts, at }, reading, capabilities, polled_at);
    return keepingNews(keepingWakeUp(change, now, due), now, attempt, at);
  };
  return { team_id, payment_id, attempt_id, judge };
}

/** Keeps an earlier time for the next poll that a callback has set since the provider was polled. */
function keepingWakeUp(change: Change, now: AttemptRow, due: Date | null): Change {
  const next = change.attempt?.update.next_poll_at;
  const set = now.next_poll_at;
  if (!change.attempt || !next || !set || set.getTime() === due?.getTime() || set >= next) return change;
  return { ...change, attempt: { ...change.attempt, update: { ...change.attempt.update, next_poll_at: set } } };
}

/**
 * Returns "unavailable" as "unknown" when a callback, or another worker, has set the attempt's next poll since it was sent. A provider that
 * calls back has the attempt, whatever it answers; a poll tells.
 * @param known the attempt as it was then
 */
function doubted(submission: Submission, now: AttemptRow, known: AttemptRow): Submission {
  if (submission.kind !== 'unavailable' || !isNewPoll(now.next_poll_at, known.next_poll_at)) return submission;
  return { kind: 'unknown', message: submission.message };
}

/**
 * Makes an attempt that ends without money due now when a callback, or another worker, has set its next poll since the report was asked for: the
 * report may be older than what the callback was about, such as a success after a failure, and the provider does not repeat it.
 * @param known the attempt as it was then
 */
function keepingNews(change: Change, now: AttemptRow, known: AttemptRow, at: number): Change {
  const { attempt } = change;
  if (!attempt || attempt.update.next_poll_at !== null || attempt.update.status === 'succeeded') return change;
  if (!isNewPoll(now.next_poll_at, known.next_poll_at)) return change;
  return { ...change, attempt: { ...attempt, update: { ...attempt.update, next_poll_at: new Date(at) } } };
}
