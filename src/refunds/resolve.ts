import type { Actor } from '../audit/actor.ts';
import { record } from '../audit/record.ts';
import type { Store } from '../db/stores.ts';
import type { Clock } from '../kit/clock.ts';
import { notFound, Problem } from '../kit/errors.ts';
import type { PaymentListener } from '../payments/listeners.ts';
import type { Verdict } from '../payments/resolve.ts';
import { applyRefund } from './apply.ts';
import type { RefundRow } from './schema.ts';
import { findRefund, writeResolution } from './store.ts';

/**
 * Closes the leg of a refund that is with its provider by a person's decision.
 * @throws Problem 404 no such refund of the team, 400 nothing of it is with a provider
 */
export async function resolveRefund(
  deps: { clock: Clock; listeners: readonly PaymentListener[] },
  store: Store,
  ref: { team_id: bigint; id: string },
  verdict: Verdict,
  by: Actor,
): Promise<RefundRow> {
  return store.db.transaction(async (tx) => {
    const at = deps.clock.now();
    const known = await findRefund(tx, ref.team_id, ref.id);
    if (!known) throw notFound('Refund');
    const index = known.legs.findIndex((leg) => leg.status === 'sent');
    const leg = known.legs[index];
    if (!leg) throw new Problem(400, `The refund is ${known.status} and with no provider: there is nothing to resolve.`);
    await record(tx, by, { team_id: ref.team_id, action: 'refund.resolve', resource_id: known.id, at });
    await writeResolution(tx, ref, { ...verdict, at: new Date(at).toISOString() });
    return applyRefund(
      tx,
      { environment: store.environment, at, listeners: deps.listeners },
      known,
      index,
      verdict.as === 'succeeded'
        ? { kind: 'succeeded', provider_ref: leg.provider_ref ?? 'resolved by hand' }
        : { kind: 'failed', reason: 'unknown', message: 'resolved by hand: no money moved' },
    );
  });
}
