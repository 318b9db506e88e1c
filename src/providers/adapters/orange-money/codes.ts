import { unreachable } from '../../../kit/errors.ts';
import type { Reading } from '../contract.ts';
import { fieldsOf, type Reply, textOf } from '../wire/reply.ts';
import { rawMessage } from '../wire/text.ts';

/** The result of requesting a payment page. */
export type Link = { kind: 'made'; pay_token: string; payment_url: string } | { kind: 'not_made'; message: string };

/** Parses the response to a page request. Any other response means that no page was returned, so it cannot be paid. */
export function linkOf(reply: Reply): Link {
  if (reply.kind !== 'answered') return { kind: 'not_made', message: rawMessage('no payment page', reply.message) };
  const { pay_token, payment_url } = fieldsOf(reply.body);
  const [token, url] = [textOf(pay_token), textOf(payment_url)];
  if ((reply.status !== 201 && reply.status !== 200) || !token || !url) return { kind: 'not_made', message: messageOf(reply) };
  return { kind: 'made', pay_token: token, payment_url: url };
}

/** The status of an order. It contains no amount, because the amount is part of the request. */
export type State =
  | { kind: 'untouched' }
  | { kind: 'pending' }
  | { kind: 'succeeded'; txnid: string | null }
  | { kind: 'failed'; message: string }
  | { kind: 'expired' }
  | { kind: 'unreadable'; message: string };

/**
 * Parses the response of the status endpoint.
 * @param order_id the requested order; a response about another order is unreadable
 */
export function stateOf(reply: Reply, order_id: string): State {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: rawMessage('no response from Orange', reply.message) };
  const fields = fieldsOf(reply.body);
  // POST returns 201 even where it creates nothing.
  if (reply.status !== 200 && reply.status !== 201) return { kind: 'unreadable', message: messageOf(reply) };
  if (fields.order_id !== order_id) return { kind: 'unreadable', message: 'Orange responded about another order' };
  switch (fields.status) {
    // The page has not been used yet. Orange reports EXPIRED only when a payer confirms too late, so an unused page keeps this status.
    case 'INITIATED':
      return { kind: 'untouched' };
    // The payer has confirmed and the payment is in process.
    case 'PENDING':
      return { kind: 'pending' };
    case 'SUCCESS':
      return { kind: 'succeeded', txnid: textOf(fields.txnid) };
    case 'FAILED':
      return { kind: 'failed', message: 'FAILED: Orange reports no reason' };
    case 'EXPIRED':
      return { kind: 'expired' };
    default:
      return { kind: 'unreadable', message: rawMessage('Orange reported an unknown status', fields.status) };
  }
}

/**
 * Converts an order status to a reading.
 * @param order the requested order and amount; Orange reports an order with another amount as not found
 * @param isOver whether no payment on the page is possible any more
 */
export function readingOf(
  state: State,
  order: { provider_key: string; amount_minor: bigint; currency: string },
  poll_after_ms: number,
  isOver: boolean,
): Reading {
  switch (state.kind) {
    case 'untouched':
      return isOver ? { kind: 'expired' } : { kind: 'pending', poll_after_ms };
    case 'pending':
      return { kind: 'pending', poll_after_ms };
    case 'succeeded': {
      const { provider_key, amount_minor, currency } = order;
      return { kind: 'succeeded', provider_ref: state.txnid ?? provider_key, amount_minor, currency };
    }
    case 'failed':
      return { kind: 'failed', reason: 'operator_declined', message: state.message };
    case 'expired':
    case 'unreadable':
      return state;
    default:
      return unreachable(state);
  }
}

/** Returns the message for logs and operators: the HTTP status, and `{code, message, description}` where present. */
function messageOf({ status, body }: Extract<Reply, { kind: 'answered' }>): string {
  const { code, message, description } = fieldsOf(body);
  const number = typeof code === 'number' ? `code ${code}` : code;
  return rawMessage(`HTTP ${status}`, number, message, description);
}
