import type { Actor } from '../../tenants/audit/actor.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Reading } from '../../providers/adapters/contract.ts';
import { NO_PROVIDER } from '../../providers/adapters/polling.ts';
import type { Applied, Change } from '../payments/change.ts';
import type { PaymentListener } from '../payments/listeners.ts';
import { reportOfReading } from './reports.ts';
import { applyDecision, changedMeanwhile } from './resolve.ts';

/** The outcome of an attempt according to a document; the provider is not polled again. */
export type Proof = Extract<Reading, { kind: 'succeeded' | 'failed' }>;

/**
 * Applies the line of a provider's statement that reports an attempt, in the same way as a poll result: success is posted,
 * another amount goes to `hold` (suspense), success after the attempt ended is a late success.
 * @param source which line of which statement; stored with the attempt like a manual resolution
 * @throws Problem 404 the team has no such attempt, 400 it is already decided, is being sent at this moment or has changed since the comparison
 */
export function applyStatementProof(
  deps: { clock: Clock; config: Config; listeners: readonly PaymentListener[] },
  store: Store,
  ref: { team_id: bigint; id: string },
  proof: Proof,
  source: { author: string; evidence: string },
  by: Actor,
): Promise<Applied> {
  return applyDecision(deps, store, ref, { as: proof.kind }, by, (known, at) => {
    const poll = { capabilities: NO_PROVIDER, polled_at: at, due: known.next_poll_at };
    const { judge } = reportOfReading({ config: deps.config, environment: store.environment }, known, proof, poll);
    return (...rows) => {
      const change = judge(...rows);
      if (!hasEffect(proof, change)) throw changedMeanwhile('attempt');
      const update = change.attempt?.update;
      if (update?.closed_at) update.resolution = { as: proof.kind, ...source, at: new Date(at).toISOString() };
      return change;
    };
  });
}

/** Whether the change records what the line shows. Not when the attempt has ended, or another amount has been reported, since the comparison. */
function hasEffect({ kind }: Proof, { attempt, occurrences }: Change): boolean {
  if (kind === 'failed') return attempt !== undefined;
  return occurrences.some((occurrence) => occurrence.kind === 'captured' || occurrence.kind === 'mismatched');
}
