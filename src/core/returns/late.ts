import type { Actor } from '../../tenants/audit/actor.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import type { PaymentListener } from '../payments/listeners.ts';
import { resolveRefund } from '../refunds/resolve.ts';
import { findWay } from '../refunds/ways.ts';
import type { ReturnRow } from '../obligations/schema.ts';
import { findReturn } from '../obligations/store.ts';

/**
 * Records evidence that a refund of a return succeeded although it had failed. It then counts as the return; if another way has
 * already started, a person has to resolve the double payment.
 * @param source the evidence and its author, stored with the refund
 * @throws Problem 404 no such refund of a return, 400 it has not failed, or its success is recorded already, by a provider's answer or a statement
 */
export async function recordLateRefund(
  deps: { clock: Clock; listeners: readonly PaymentListener[] },
  store: Store,
  ref: { team_id: bigint; id: string },
  source: { evidence: string; author: string },
  by: Actor,
): Promise<ReturnRow> {
  const known = await findWay(store.db, ref.team_id, ref.id);
  if (!known?.return_id) throw notFound('Refund');
  // Read without a lock: a refund that has failed stays so.
  if (known.status !== 'failed') throw new Problem(400, `The refund is ${known.status}: only a failed one can be done late.`);
  await resolveRefund(deps, store, { ...ref, part: 0 }, { as: 'succeeded', ...source }, by);
  return must(await findReturn(store.db, { team_id: ref.team_id, id: known.return_id }), 'a refund of a return has it');
}
