import { unreachable } from '../../kit/errors.ts';
import { backOff, MAX_POLL_WAIT_MS, MIN_POLL_WAIT_MS, pollDelay } from '../../providers/adapters/polling.ts';
import type { Capabilities, PayoutOutcome, PollPlan } from '../../providers/adapters/contract.ts';
import type { TransferOccurrence } from './apply.ts';
import type { Decision, TransferRow } from './schema.ts';

/** Whether the outcome is the response to a submission or to a poll. */
export type ProviderCall = 'submit' | 'read';

/**
 * Returns the trigger for a provider's response about a transfer.
 * @param candidates accounts that can take the transfer now
 * @param plan the provider's poll plan
 * @param idempotency of the provider's payouts
 */
export function occurrenceOf(
  row: TransferRow,
  outcome: PayoutOutcome,
  call: ProviderCall,
  candidates: string[],
  plan: PollPlan,
  idempotency: Capabilities['idempotency'],
): TransferOccurrence {
  const later_ms = pollDelay(plan, row.polls);
  const isFirst = isFirstAnswer(row, call);
  if (call === 'submit' && !isFirst && idempotency !== 'replays' && isRejection(outcome))
    return waiting(later_ms, outcome.message);
  switch (outcome.kind) {
    case 'pending':
      return waiting(Math.max(outcome.poll_after_ms, MIN_POLL_WAIT_MS), null, outcome.provider_ref);
    case 'succeeded':
      return successOrMismatch(row, outcome);
    case 'failed':
      return { kind: 'failed', reason: outcome.reason, message: outcome.message };
    case 'cancelled':
      return { kind: 'cancelled', message: outcome.message };
    case 'unavailable':
      return isFirst ? unsent(row, candidates, outcome.message) : waiting(later_ms, outcome.message);
    case 'unfunded':
      return unsent({ ...row, decision: spend(row.decision as Decision) }, candidates, outcome.message);
    case 'not_found':
      return waiting(later_ms, 'the provider does not know it');
    case 'unknown':
      return waiting(later_ms, outcome.message);
    default:
      return unreachable(outcome);
  }
}

/**
 * Whether it is the response to the first submission of a key. Only then `unavailable` proves that nothing was created. A response
 * to a poll, or to a second submission of the key, proves nothing about the first submission, which may still be under way.
 */
function isFirstAnswer(row: TransferRow, call: ProviderCall): boolean {
  return call === 'submit' && row.decision?.resent !== true;
}

/**
 * Whether a provider reports that it pays nothing. In the response to a second submission this proves nothing about the first one, unless
 * the provider repeats its first response: it may have checked the recipient before it looked for the key.
 */
function isRejection(outcome: PayoutOutcome): outcome is Extract<PayoutOutcome, { kind: 'failed' | 'cancelled' | 'unfunded' }> {
  return outcome.kind === 'failed' || outcome.kind === 'cancelled' || outcome.kind === 'unfunded';
}

/** Returns the trigger when a provider reports that money moved: a success if amount and currency are those requested. */
function successOrMismatch(
  row: TransferRow,
  proof: { provider_ref: string; amount_minor: bigint; currency: string },
): TransferOccurrence {
  if (proof.amount_minor !== row.amount_minor || proof.currency !== row.currency) {
    return waiting(MAX_POLL_WAIT_MS, 'the provider reports another amount or currency than was requested', proof.provider_ref);
  }
  return { kind: 'succeeded', provider_ref: proof.provider_ref };
}

/**
 * Counts a provider key as used up after the outcome `unfunded`: the transfer has failed permanently under this key, so the next
 * submission needs a new one.
 */
function spend(before: Decision): Decision {
  return { ...before, resent: false, spent: (before.spent ?? 0) + 1 };
}

/** Returns the trigger `unsent`: the next account is tried at once. When all have rejected the transfer, all are retried later. */
export function unsent(row: TransferRow, candidates: string[], note: string): TransferOccurrence {
  const before = row.decision as Decision;
  const tried = [...before.tried, row.provider_account as string];
  const left = candidates.some((name) => !tried.includes(name));
  return {
    kind: 'unsent',
    wait_ms: left ? 0 : backOff(row.polls),
    decision: { ...before, tried: left ? tried : [], note },
  };
}

function waiting(wait_ms: number, note: string | null, provider_ref: string | null = null): TransferOccurrence {
  return { kind: 'waiting', wait_ms, note, provider_ref };
}
