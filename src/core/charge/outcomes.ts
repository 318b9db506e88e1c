import type { Config } from '../../platform/config/config.ts';
import type { ChannelKind } from '../../kit/channel-kind.ts';
import type { Environment } from '../../kit/environment.ts';
import { must, unreachable } from '../../kit/errors.ts';
import type { Minor } from '../../kit/money.ts';
import type { Capabilities, Reading, Submission } from '../../providers/adapters/contract.ts';
import {
  FIRST_POLL_MS,
  MAX_POLL_WAIT_MS,
  mayNotBeShownYet,
  MIN_POLL_WAIT_MS,
  pollDelay,
} from '../../providers/adapters/polling.ts';
import type { Reason } from '../../providers/adapters/reasons.ts';
import { channelById } from '../../providers/reference/channels.ts';
import type { Change, Occurrence } from '../payments/change.ts';
import type { AttemptUpdate } from '../attempts/store.ts';
import { type AvailableAt, availableAt } from '../../money/settlement/retention.ts';
import { feeOf } from '../../money/fees/fees.ts';
import { NEVER_ARRIVED, type AttemptRow, lastSentAt } from '../attempts/schema.ts';
import type { PaymentRow } from '../payments/schema.ts';

/**
 * Returns the change made by the response to a charge.
 * @param at milliseconds since the epoch
 */
export function changeOfSubmission(
  config: Config,
  environment: Environment,
  payment: PaymentRow,
  attempt: AttemptRow,
  submission: Submission,
  at: number,
): Change {
  const make = (update: AttemptUpdate, occurrences: Occurrence[]): Change => change(attempt, update, occurrences);
  const now = new Date(at);
  const submitted = submittedOccurrence(config, payment, attempt);
  // A poll or callback has shown that the provider has the attempt: it stays open, whatever the response to the submission is.
  const unsure = attempt.status === 'open' ? 'open' : 'unknown';
  const sent = { submitted_at: attempt.submitted_at ?? now };
  switch (submission.kind) {
    case 'accepted':
      return make(
        {
          status: 'open',
          ...sent,
          action: submission.next,
          provider_ref: submission.provider_ref ?? attempt.provider_ref,
          next_poll_at: new Date(at + submission.poll_after_ms),
        },
        [submitted],
      );
    case 'succeeded':
      return captureOrMismatch(config, environment, attempt, submission, at, [submitted]);
    case 'refused':
      return make(
        {
          status: 'failed',
          ...sent,
          reason: submission.reason,
          message: submission.message,
          next_poll_at: null,
          closed_at: now,
        },
        [{ kind: 'declined', reason: submission.reason, message: submission.message, channel: attempt.channel }],
      );
    case 'unavailable':
      return make(
        { status: 'unavailable', message: submission.message, submitted_at: null, next_poll_at: null, closed_at: now },
        [],
      );
    case 'duplicate':
      return make({ status: unsure, ...sent, next_poll_at: now }, [submitted]);
    case 'unknown':
      return make({ status: unsure, ...sent, message: submission.message, next_poll_at: new Date(at + FIRST_POLL_MS) }, [
        submitted,
      ]);
    default:
      return unreachable(submission);
  }
}

/**
 * Returns the change made by a poll of the provider or a signed callback.
 * @param capabilities of the provider: its poll plan, and how long its "not found" proves nothing
 * @param polled_at when the provider was polled: its response covers nothing sent later, however late it is applied
 */
export function changeOfReading(
  config: Config,
  environment: Environment,
  payment: PaymentRow,
  attempt: AttemptRow,
  reading: Reading,
  capabilities: Pick<Capabilities, 'polls' | 'not_found_grace_ms'>,
  at: number,
  polled_at: number = at,
): Change {
  const now = new Date(at);
  // An attempt whose process died before the response was stored may have been sent.
  const before = attempt.status === 'created' ? [submittedOccurrence(config, payment, attempt)] : [];
  const still = attempt.status === 'created' ? 'unknown' : attempt.status;
  const sent = { submitted_at: attempt.submitted_at ?? attempt.created_at };
  const later = { next_poll_at: new Date(at + pollDelay(capabilities.polls, attempt.polls)) };
  switch (reading.kind) {
    case 'pending':
      return change(
        attempt,
        {
          ...{ status: 'open', ...sent, next_poll_at: new Date(at + Math.max(reading.poll_after_ms, MIN_POLL_WAIT_MS)) },
          ...(reading.next ? { action: reading.next } : {}),
        },
        before,
      );
    case 'succeeded':
      return captureOrMismatch(config, environment, attempt, reading, at, before);
    case 'failed':
    case 'cancelled': {
      const { reason, message } = reading;
      const kind = reading.kind === 'failed' ? 'declined' : 'payer_cancelled';
      return change(attempt, { status: reading.kind, ...sent, reason, message, next_poll_at: null, closed_at: now }, [
        ...before,
        { kind, reason, message, channel: attempt.channel },
      ]);
    }
    case 'expired':
      return expired(payment, attempt, at, before, 'authorization_timeout', 'the provider closed the request unpaid');
    case 'not_found': {
      // Status endpoints lag: "not found" soon after sending proves nothing, later it is evidence that the request never
      // arrived. An accepted attempt exists, whatever a status endpoint returns, and so does one with another amount in suspense.
      const arrived = attempt.status === 'open' || attempt.mismatch !== null;
      const lags = mayNotBeShownYet(capabilities, (lastSentAt(attempt) ?? sent.submitted_at).getTime(), polled_at);
      if (arrived || lags) return change(attempt, { status: still, ...sent, ...later }, before);
      return unsent(payment, attempt, at, before);
    }
    case 'unreadable':
      return change(attempt, { status: still, ...sent, ...later }, before);
    default:
      return unreachable(reading);
  }
}

/**
 * Returns the change for an attempt that no longer can succeed: the payment expires if its window is over, otherwise it fails.
 */
function expired(
  payment: PaymentRow,
  attempt: AttemptRow,
  at: number,
  before: Occurrence[],
  reason: Reason,
  message: string,
): Change {
  const over = payment.expires_at.getTime() <= at;
  return change(attempt, { status: 'expired', reason, message, next_poll_at: null, closed_at: new Date(at) }, [
    ...before,
    over ? { kind: 'window_elapsed' } : { kind: 'declined', reason, message, channel: attempt.channel },
  ]);
}

/**
 * Returns the change for an attempt that was never created at the provider. A payment in tranches sends the tranche again
 * automatically.
 */
function unsent(payment: PaymentRow, attempt: AttemptRow, at: number, before: Occurrence[]): Change {
  const closed = expired(payment, attempt, at, before, NEVER_ARRIVED, 'the request never reached the provider');
  return payment.status === 'partial' ? { ...closed, occurrences: [...before, { kind: 'tranche_unsent' }] } : closed;
}

/**
 * Returns the change when a provider reports that money moved: a capture if amount and currency are those requested, else a
 * mismatch.
 */
export function captureOrMismatch(
  config: Config,
  environment: Environment,
  attempt: AttemptRow,
  proof: { provider_ref: string; amount_minor: bigint; currency: string },
  at: number,
  before: Occurrence[],
): Change {
  const now = new Date(at);
  if (proof.amount_minor !== attempt.amount_minor || proof.currency !== attempt.currency) {
    return mismatched(attempt, proof, at, before);
  }
  return change(
    attempt,
    {
      status: 'succeeded',
      provider_ref: proof.provider_ref,
      submitted_at: attempt.submitted_at ?? now,
      next_poll_at: null,
      closed_at: now,
    },
    [
      ...before,
      {
        kind: 'captured',
        attempt_id: attempt.id,
        amount_minor: attempt.amount_minor,
        available_at: attemptAvailableAt(config, environment, attempt, at),
      },
    ],
  );
}

/** The payment keeps its status, the money stays in `hold` (suspense), and a person resolves it (`pirogue resolve`). */
function mismatched(
  attempt: AttemptRow,
  proof: { provider_ref: string; amount_minor: bigint; currency: string },
  at: number,
  before: Occurrence[],
): Change {
  const { amount_minor, currency, provider_ref } = proof;
  const update: AttemptUpdate = {
    status: 'unknown',
    message: 'the provider reports another amount or currency than was requested',
    submitted_at: attempt.submitted_at ?? new Date(at),
    next_poll_at: new Date(at + MAX_POLL_WAIT_MS),
  };
  if (attempt.mismatch !== null) return change(attempt, update, before);
  const mismatch = { amount_minor: String(amount_minor), currency, provider_ref, at: new Date(at).toISOString() };
  return change(attempt, { ...update, mismatch, mismatches: attempt.mismatches + 1 }, [
    ...before,
    { kind: 'mismatched', attempt_id: attempt.id, amount_minor, currency },
  ]);
}

/** Returns the `submitted` trigger of an attempt, with the payment's fee in hundredths of the currency. */
export function submittedOccurrence(config: Pick<Config, 'fees'>, payment: PaymentRow, attempt: AttemptRow): Occurrence {
  const channel = must(channelById(attempt.channel), 'the channel was checked when the attempt was made');
  return {
    kind: 'submitted',
    channel: channel.id,
    // The fee is fixed by the first charge, so that the tranches of a payment sum to one total.
    fee_minor: payment.status === 'pending' ? firstFeeOf(config, payment, attempt, channel.kind) : payment.fee_minor,
  };
}

/**
 * Returns what precedes money that another report than the submission's proves. The first charge that is paid fixes fee and channel of a
 * payment. Where the attempt had ended, no other may have started, or another one, with another fee, is under way.
 */
export function beforeLateMoney(config: Pick<Config, 'fees'>, payment: PaymentRow, attempt: AttemptRow): Occurrence[] {
  if (payment.status === 'pending') return [submittedOccurrence(config, payment, attempt)];
  if (payment.status !== 'processing') return [];
  const { id, kind } = must(channelById(attempt.channel), 'the channel was checked when the attempt was made');
  // The fee was fixed at the rates of its day. Only what the payer has paid on top of the amount is more certain.
  const isFixed = channelById(payment.channel ?? '')?.kind === kind && !collectsFee(payment, attempt);
  const fee_minor = isFixed ? payment.fee_minor : firstFeeOf(config, payment, attempt, kind);
  return payment.channel === id && payment.fee_minor === fee_minor ? [] : [{ kind: 'repriced', channel: id, fee_minor }];
}

/**
 * Returns the fee that the first charge fixes, in hundredths. When the payer bears the fee and one charge collects the whole amount, the
 * fee is the part of that charge above the amount. The process that created the attempt may have had other fee rates, and a fee at the
 * current rates would make the payment's total differ from the captured amount.
 */
function firstFeeOf({ fees }: Pick<Config, 'fees'>, payment: PaymentRow, attempt: AttemptRow, kind: ChannelKind): Minor {
  const { amount_minor, currency } = payment;
  if (collectsFee(payment, attempt)) return attempt.amount_minor - amount_minor;
  return feeOf(fees, kind, amount_minor, currency);
}

/** Whether the payer bears the fee, and the attempt collects it with the whole amount. */
function collectsFee({ bearer, amount_minor }: PaymentRow, attempt: AttemptRow): boolean {
  return bearer === 'customer' && attempt.amount_minor >= amount_minor;
}

/** Returns when the money of an attempt that succeeds now becomes available. */
export function attemptAvailableAt(
  config: Pick<Config, 'retention_ms'>,
  environment: Environment,
  { channel }: AttemptRow,
  at: number,
): AvailableAt {
  return availableAt(
    config,
    environment,
    must(channelById(channel), 'the channel was checked when the attempt was made').kind,
    at,
  );
}

/** Returns a change of one attempt and its payment. */
export function change(attempt: AttemptRow, update: AttemptUpdate, occurrences: Occurrence[]): Change {
  return { team_id: attempt.team_id, payment_id: attempt.payment_id, attempt: { id: attempt.id, update }, occurrences };
}
