import type { Callback, RawCallback } from '../contract.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, listOf, parsed, textOf, wordOf } from '../wire/reply.ts';
import { isCheckoutId } from './codes.ts';

/**
 * Parses a callback. Nothing is signed, so it only triggers a status read. The status query returns no amount, so the
 * amount of the callback is kept for comparison.
 */
export function verifyCallback({ body }: RawCallback): Callback {
  const callback = fieldsOf(fieldsOf(fieldsOf(parsed(body.toString('utf8'))).Body).stkCallback);
  const value = textOf(callback.CheckoutRequestID);
  if (value === null || !isCheckoutId(value)) return { kind: 'hint', subject: null };
  const isPaid = wordOf(callback.ResultCode) === '0';
  return { kind: 'hint', subject: { by: 'provider_ref', value, ...(isPaid ? { paid_minor: amountIn(callback) } : {}) } };
}

function amountIn({ CallbackMetadata }: Record<string, unknown>): bigint | null {
  const item = listOf(fieldsOf(CallbackMetadata).Item).find((one) => fieldsOf(one).Name === 'Amount');
  return minorOf(fieldsOf(item).Value);
}
