import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import type { PaymentListener } from '../payments/listeners.ts';
import { lockPayment } from '../payments/service.ts';
import { applyRefund } from '../refunds/apply.ts';
import { findWay, storeResolution } from '../refunds/ways.ts';
import type { ReturnRow } from '../obligations/schema.ts';
import { findReturn } from '../obligations/store.ts';

/**
 * Records evidence that a refund of a return succeeded although it had failed. It then counts as the return; if another way has
 * already started, a person has to resolve the double payment.
 * @param source the evidence and its author, stored with the refund
 * @throws Problem 404 no such refund of a return, 400 it has not failed
 */
export async function recordLateRefund(
  deps: { clock: Clock; listeners: readonly PaymentListener[] },
  store: Store,
  ref: { team_id: bigint; id: string },
  source: { evidence: string; author: string },
  by: Actor,
): Promise<ReturnRow> {
  return store.db.transaction(async (tx) => {
    const known = await findWay(tx, ref.team_id, ref.id);
    if (!known?.return_id) throw notFound('Refund');
    await lockPayment(tx, known.team_id, known.payment_id);
    const refund = must(await findWay(tx, ref.team_id, ref.id), 'refunds are never deleted');
    if (refund.status !== 'failed') throw new Problem(400, `The refund is ${refund.status}: only a failed one can be done late.`);
    const at = deps.clock.now();
    await record(tx, by, { team_id: ref.team_id, action: 'refund.resolve', resource_id: ref.id, at });
    await storeResolution(tx, ref, { as: 'succeeded', ...source, at: new Date(at).toISOString() });
    const context = { environment: store.environment, at, listeners: deps.listeners };
    const provider_ref = refund.legs[0]?.provider_ref ?? source.author;
    await applyRefund(tx, context, refund, 0, { kind: 'succeeded', provider_ref });
    return must(await findReturn(tx, { team_id: ref.team_id, id: known.return_id }), 'a refund of a return has it');
  });
}
