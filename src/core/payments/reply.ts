import type { Call, Reply } from '../../tenants/api/route.ts';
import { publicOf } from './present.ts';

/** Builds a response. A public key may be published in page source: it gets only the basic fields (docs/contract/envelope.md). */
export function paymentReply(call: Call<unknown, unknown>, code: number, message: string, body: Record<string, unknown>): Reply {
  if (call.caller.kind !== 'public') return { code, message, body };
  return { code, message, body: { ...body, transaction: publicOf(body.transaction as Record<string, unknown>) } };
}
