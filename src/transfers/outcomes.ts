import { unreachable } from '../kit/errors.ts';
import { backOff, planned } from '../payments/outcomes.ts';
import type { PayoutOutcome, PollPlan } from '../providers/contract.ts';
import type { TransferHappening } from './apply.ts';
import type { Decision, TransferRow } from './schema.ts';

/** A provider that says it wants to be asked at once is not asked more often than this. */
const SHORTEST_WAIT_MS = 100;
/** Between looks at something that only a person can clear up. */
const LONGEST_WAIT_MS = 300_000;

/** Whether the outcome answers the handing over or a question about it. */
export type Asked = 'submit' | 'read';

/**
 * What a provider's answer means for the transfer it was asked about.
 * @param candidates the providers that can take it now
 * @param plan when the one that was asked is asked again
 */
export function happeningOf(
  row: TransferRow,
  outcome: PayoutOutcome,
  asked: Asked,
  candidates: string[],
  plan: PollPlan,
): TransferHappening {
  const later_ms = planned(plan, row.polls);
  switch (outcome.kind) {
    case 'pending':
      return waiting(Math.max(outcome.poll_after_ms, SHORTEST_WAIT_MS), null, outcome.provider_ref);
    case 'succeeded':
      return evidence(row, outcome);
    case 'failed':
      return { kind: 'failed', reason: outcome.reason, message: outcome.message };
    case 'cancelled':
      return { kind: 'cancelled', message: outcome.message };
    case 'unavailable':
      return isProof(row, asked) ? unsent(row, candidates, outcome.message) : waiting(later_ms, outcome.message);
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
 * `unavailable` proves that nothing was created only for the sending it answers. As the answer to a question, or to a
 * second sending of the same key, it says nothing of the first: that one may still be under way.
 */
function isProof(row: TransferRow, asked: Asked): boolean {
  return asked === 'submit' && row.decision?.resent !== true;
}

/** Money moved, says the provider: it counts only when it is the amount and currency that were asked for. */
function evidence(row: TransferRow, proof: { provider_ref: string; amount_minor: bigint; currency: string }): TransferHappening {
  if (proof.amount_minor !== row.amount_minor || proof.currency !== row.currency) {
    return waiting(LONGEST_WAIT_MS, 'the provider reports another amount or currency than was asked for', proof.provider_ref);
  }
  return { kind: 'succeeded', provider_ref: proof.provider_ref };
}

/** The provider took it under this key and failed it for good: whoever has it next gets another key. */
function spend(before: Decision): Decision {
  return { ...before, resent: false, spent: (before.spent ?? 0) + 1 };
}

/** The next provider at once; when all have said no, all of them again later. */
function unsent(row: TransferRow, candidates: string[], note: string): TransferHappening {
  const before = row.decision as Decision;
  const tried = [...before.tried, row.provider_account as string];
  const left = candidates.some((name) => !tried.includes(name));
  return {
    kind: 'unsent',
    wait_ms: left ? 0 : backOff(row.polls),
    decision: { ...before, tried: left ? tried : [], note },
  };
}

function waiting(wait_ms: number, note: string | null, provider_ref: string | null = null): TransferHappening {
  return { kind: 'waiting', wait_ms, note, provider_ref };
}
