import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import { must, notFound } from '../../kit/errors.ts';
import type { Reading } from '../../providers/adapters/contract.ts';
import { NO_PROVIDER } from '../../providers/adapters/polling.ts';
import { apply } from '../payments/apply.ts';
import type { Applied, Report } from '../payments/change.ts';
import { restoreAttempt } from '../payments/archived.ts';
import type { PaymentListener } from '../payments/listeners.ts';
import { keepingUnread, reportOfReading } from './reports.ts';
import { checkResolvable } from './resolve.ts';

/** The outcome of an attempt according to a document; the provider is not polled again. */
export type Proof = Extract<Reading, { kind: 'succeeded' | 'failed' }>;

/**
 * Applies the line of a provider's statement that reports an attempt, in the same way as a poll result: success is posted,
 * another amount goes to `hold` (suspense), success after the attempt ended is a late success.
 * @param source which line of which statement; stored with the attempt like a manual resolution
 * @throws Problem 404 the team has no such attempt, 400 it is already decided or is being sent at this moment
 */
export async function applyStatementProof(
  deps: { clock: Clock; config: Config; listeners: readonly PaymentListener[] },
  store: Store,
  ref: { team_id: bigint; id: string },
  proof: Proof,
  source: { author: string; evidence: string },
  by: Actor,
): Promise<Applied> {
  return store.db.transaction(async (tx) => {
    const at = deps.clock.now();
    const attempt = await restoreAttempt(tx, ref.team_id, ref.id);
    if (!attempt) throw notFound('Attempt');
    checkResolvable(attempt, { as: proof.kind, ...source }, at);
    await record(tx, by, { team_id: ref.team_id, action: 'payment.resolve', resource_id: attempt.payment_id, at });
    const poll = { capabilities: NO_PROVIDER, polled_at: at, due: attempt.next_poll_at };
    const report = reportOfReading({ config: deps.config, environment: store.environment }, attempt, proof, poll);
    const judge: Report['judge'] = (...rows) => {
      const change = keepingUnread(report.judge(...rows), rows[1], at);
      const update = change.attempt?.update;
      if (update?.closed_at) update.resolution = { as: proof.kind, ...source, at: new Date(at).toISOString() };
      return change;
    };
    const context = { environment: store.environment, at, listeners: deps.listeners };
    const applied = await apply(tx, context, [{ ...report, judge }]);
    return must(applied.get(attempt.payment_id), 'an attempt has a payment');
  });
}
