import type { Config } from '../config.ts';
import type { Environment } from '../kit/environment.ts';
import type { Capabilities, Next, Reading, Submission } from '../providers/contract.ts';
import type { Change, Happening } from './change.ts';
import type { AttemptUpdate } from './attempts-store.ts';
import { change, evidence, FIRST_READ_MS, planned, SHORTEST_WAIT_MS, submittedHappening } from './outcomes.ts';
import type { AttemptRow, PaymentRow } from './schema.ts';
import { isUnderWay, neverArrived } from './attempts.ts';

/*
 * What is reported of an attempt that has ended. Money that moved is never dropped. An attempt that no provider had ended, but
 * that was taken for one that never arrived, and that the provider has after all, is open again where the payment can still
 * take it; otherwise it stays closed and its provider is asked until nothing can move any more.
 */

/** An ended attempt, and what its report is judged by. */
export interface Ended {
  config: Config;
  environment: Environment;
  payment: PaymentRow;
  attempt: AttemptRow;
  /** All of the payment. */
  attempts: readonly AttemptRow[];
  at: number;
}

/** What a late answer to a charge changes. */
export function changeOfLateSubmission(ended: Ended, submission: Submission): Change {
  const { attempt, at } = ended;
  switch (submission.kind) {
    case 'accepted': {
      const provider_ref = submission.provider_ref ?? attempt.provider_ref;
      return arrived(ended, {
        ...{ status: 'open', action: submission.next, provider_ref, next_poll_at: new Date(at + submission.poll_after_ms) },
      });
    }
    case 'duplicate':
      return arrived(ended, { status: 'unknown', next_poll_at: new Date(at) });
    case 'unknown':
      return arrived(ended, { status: 'unknown', message: submission.message, next_poll_at: new Date(at + FIRST_READ_MS) });
    case 'succeeded':
      return moneyOf(ended, submission);
    case 'refused':
    case 'unavailable':
      return nothing(attempt);
  }
}

/**
 * What a late look at the provider changes.
 * @param asked_at when the provider was asked: its answer says nothing of what was sent later
 */
export function changeOfLateReading(
  ended: Ended,
  reading: Reading,
  capabilities: Pick<Capabilities, 'polls' | 'not_found_grace_ms'>,
  asked_at: number,
): Change {
  const { attempt, at } = ended;
  const later = new Date(at + planned(capabilities.polls, attempt.polls));
  switch (reading.kind) {
    case 'succeeded':
      return moneyOf(ended, reading);
    case 'pending':
      return arrived(ended, { status: 'open', next_poll_at: new Date(at + Math.max(reading.poll_after_ms, SHORTEST_WAIT_MS)) });
    case 'unreadable':
      return watched(ended, later);
    case 'not_found': {
      // As for an open attempt: what was accepted exists, and soon after sending "not found" proves nothing.
      const sent = (attempt.submitted_at ?? attempt.created_at).getTime();
      const proven = attempt.action === null && asked_at - sent >= capabilities.not_found_grace_ms;
      return watched(ended, proven ? null : later);
    }
    case 'failed':
    case 'cancelled':
    case 'expired':
      return watched(ended, null);
  }
}

/** Money moved after the end, of whatever amount. */
function moneyOf(ended: Ended, proof: { provider_ref: string; amount_minor: bigint; currency: string }): Change {
  const { config, environment, payment, attempt, at } = ended;
  // A charge that was taken for impossible paid after all, and no other has begun: fee and channel are those of this one.
  const before = payment.status === 'pending' ? [submittedHappening(config, payment, attempt)] : [];
  if (proof.amount_minor === attempt.amount_minor && proof.currency === attempt.currency) {
    return late(evidence(config, environment, attempt, proof, at, before));
  }
  const { amount_minor, currency, provider_ref } = proof;
  const judged = attempt.resolution?.mismatch;
  const known = judged?.amount_minor === String(amount_minor) && judged.currency === currency;
  // The same report again: it waits for a person, or a person has decided that it is wrong.
  if (attempt.mismatch !== null || known) return watched(ended, null);
  const update: AttemptUpdate = {
    status: attempt.status,
    message: 'after the end the provider reports another amount or currency than was asked for',
    mismatch: { amount_minor: String(amount_minor), currency, provider_ref, at: new Date(at).toISOString() },
    mismatches: attempt.mismatches + 1,
    next_poll_at: null,
  };
  return late(change(attempt, update, [{ kind: 'mismatched', attempt_id: attempt.id, amount_minor, currency }]));
}

/** The provider has it. What a provider has ended stays ended: such a report is older than that. */
function arrived(ended: Ended, update: AttemptUpdate & { action?: Next | null }): Change {
  const { config, payment, attempt, attempts, at } = ended;
  const decided = attempt.resolution?.as === 'failed';
  if (!neverArrived(attempt) && !decided) return nothing(attempt);
  const submitted_at = attempt.submitted_at ?? new Date(at);
  const free = attempts.every((other) => other.id === attempt.id || !isUnderWay(other));
  if (payment.status === 'partial' && free && !decided) {
    const opened = { reason: null, message: null, closed_at: null, submitted_at, ...update };
    return late(change(attempt, opened, [submittedHappening(config, payment, attempt)]));
  }
  const { status: _, message: __, ...rest } = update;
  return late(change(attempt, { ...rest, status: attempt.status, submitted_at }, []));
}

/** When the provider is asked next about an attempt that is closed and watched; null: nothing can move any more. */
function watched({ payment, attempt }: Ended, next_poll_at: Date | null): Change {
  if (attempt.next_poll_at === null) return nothing(attempt);
  // The tranche that waited for it can be sent now.
  const happenings: Happening[] = next_poll_at === null && payment.status === 'partial' ? [{ kind: 'piece_unsent' }] : [];
  return late(change(attempt, { status: attempt.status, next_poll_at }, happenings));
}

function late(made: Change): Change {
  return made.attempt ? { ...made, attempt: { ...made.attempt, late: true } } : made;
}

function nothing({ team_id, payment_id }: AttemptRow): Change {
  return { team_id, payment_id, happenings: [] };
}
