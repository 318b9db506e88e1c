import { unreachable } from '../../../kit/errors.ts';
import type { Refund, RefundOutcome, Refunds } from '../contract.ts';
import { sessionIn } from './collect.ts';
import type { Client } from './client.ts';
import { type RefundResult, refundResultOf, isRefunded } from './codes.ts';

/**
 * Returns the refund operations, for whole sessions only. Wave refunds synchronously, and a repeated request has no
 * effect. A request that may not have arrived can therefore be sent again.
 */
export function refunds(client: Client): Refunds {
  return {
    extent: 'full',
    submit: async (refund) => {
      const session = sessionIn(refund.collection.handle);
      if (!session || refund.amount_minor !== refund.collection.amount_minor) {
        return { kind: 'unavailable', message: 'Wave refunds whole sessions only' };
      }
      const path = `/v1/checkout/sessions/${session.id}/refund`;
      const reply = await client.call({ method: 'POST', path, idempotency_key: refund.provider_key });
      return outcomeOf(refundResultOf(reply), session.id);
    },
    read: (refund) => read(client, refund),
  };
}

async function read(client: Client, { collection }: Refund): Promise<RefundOutcome> {
  const session = sessionIn(collection.handle);
  if (!session) return { kind: 'not_found' };
  const reply = await client.call({ method: 'GET', path: `/v1/checkout/sessions/${session.id}` });
  const refunded = isRefunded(reply, collection.provider_key);
  if (refunded === null) return { kind: 'unknown', message: 'Wave does not report whether the session was refunded' };
  return refunded ? { kind: 'succeeded', provider_ref: session.id } : { kind: 'not_found' };
}

function outcomeOf(refund: RefundResult, session_id: string): RefundOutcome {
  switch (refund.kind) {
    case 'done':
      return { kind: 'succeeded', provider_ref: session_id };
    case 'not_done':
      return { kind: 'unavailable', message: refund.message };
    case 'unfunded':
      return refund;
    case 'refused':
      return { kind: 'failed', reason: refund.reason, message: refund.message };
    case 'unclear':
      return { kind: 'unknown', message: refund.message };
    default:
      return unreachable(refund);
  }
}
