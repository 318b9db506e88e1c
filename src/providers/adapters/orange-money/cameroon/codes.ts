import { withoutMarks } from '../../../../kit/unicode.ts';
import type { Reason } from '../../reasons.ts';
import { minorOf } from '../../wire/amounts.ts';
import { fieldsOf, type Reply, textOf } from '../../wire/reply.ts';
import { rawMessage } from '../../wire/text.ts';

/** Texts of Orange Cameroon's rejections, lower case and without accents. The first match decides. */
const TEXTS: readonly (readonly [RegExp, Reason])[] = [
  [/beneficiaire introuvable|abonne introuvable/, 'invalid_number'],
  [/solde du compte du payeur est insuffisant|\b60019\b/, 'insufficient_funds'],
  [/utilisateur bloque/, 'operator_declined'],
  [/\b(?:pin|code secret)\b[^\n]{0,80}\bincorrect/, 'wrong_pin'],
];

/** The status of a payment. The response to `pay` and the status endpoint have the same envelope. */
export type Status =
  /** The token exists and no payment was made with it. */
  | { kind: 'untouched' }
  | { kind: 'pending' }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: bigint }
  | { kind: 'failed'; reason: Reason; message: string }
  | { kind: 'cancelled'; message: string }
  | { kind: 'expired' }
  | { kind: 'unreadable'; message: string };

/** The result of `pay`, by what it proves. */
export type Creation =
  | { kind: 'status'; status: Exclude<Status, { kind: 'unreadable' }> }
  | { kind: 'not_created'; message: string }
  | { kind: 'refused'; reason: Reason; message: string }
  | { kind: 'unclear'; message: string };

/** Parses the response to `init`: a token, or the reason why there is none. No money can move without a token. */
export function tokenOf(reply: Reply): { kind: 'token'; token: string } | { kind: 'none'; message: string } {
  if (reply.kind !== 'answered') return { kind: 'none', message: rawMessage('no pay token', reply.message) };
  const token = textOf(fieldsOf(fieldsOf(reply.body).data).payToken);
  // The token becomes part of an address.
  return reply.status === 200 && token && /^[\w.-]{1,100}$/.test(token)
    ? { kind: 'token', token }
    : { kind: 'none', message: messageOf(reply) };
}

/**
 * Classifies the response to `pay`.
 * @param pay_token the token it was sent with
 */
export function creationOf(reply: Reply, pay_token: string): Creation {
  if (reply.kind === 'unsent') return { kind: 'not_created', message: rawMessage('Orange was not reached', reply.message) };
  if (reply.kind === 'lost') return { kind: 'unclear', message: rawMessage('no response from Orange', reply.message) };
  const message = messageOf(reply);
  if ([401, 403, 429].includes(reply.status)) return { kind: 'not_created', message };
  if (reply.status >= 400 && reply.status < 500) {
    const reason = reasonIn(message);
    // A token that was already used is also rejected, with an undocumented text. Only known texts prove anything.
    return reason ? rejectionOf(reason, message) : { kind: 'unclear', message };
  }
  const status = statusOf(reply, pay_token);
  if (status.kind === 'unreadable') return { kind: 'unclear', message: status.message };
  return status.kind === 'failed' ? rejectionOf(status.reason, status.message) : { kind: 'status', status };
}

/** Returns the result of a rejected `pay`. Before the payer is prompted, a wrong PIN can only be the merchant's own. */
function rejectionOf(reason: Reason, message: string): Creation {
  return reason === 'wrong_pin' ? { kind: 'not_created', message } : { kind: 'refused', reason, message };
}

/**
 * Parses the status of a payment.
 * @param pay_token the requested token; a response about another token is unreadable
 */
export function statusOf(reply: Reply, pay_token: string): Status {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: rawMessage('no response from Orange', reply.message) };
  const message = messageOf(reply);
  if (reply.status !== 200) return { kind: 'unreadable', message };
  const data = fieldsOf(fieldsOf(reply.body).data);
  if (data.payToken !== pay_token) return { kind: 'unreadable', message: 'Orange responded about another payment' };
  switch (data.status) {
    case 'INITIATED':
      return { kind: 'untouched' };
    case 'PENDING':
      return { kind: 'pending' };
    case 'SUCCESSFULL':
    case 'SUCCESSFUL':
    case 'SUCCESS':
      return successOf(data, pay_token);
    case 'FAILED':
      return { kind: 'failed', reason: reasonIn(message) ?? 'operator_declined', message };
    case 'CANCELLED':
      return { kind: 'cancelled', message };
    case 'EXPIRED':
      return { kind: 'expired' };
    default:
      return { kind: 'unreadable', message: rawMessage('Orange reported an unknown status', data.status) };
  }
}

function successOf({ amount, txnid }: Record<string, unknown>, pay_token: string): Status {
  const amount_minor = minorOf(amount);
  if (amount_minor === null) return { kind: 'unreadable', message: 'Orange reported a success without its amount' };
  return { kind: 'succeeded', provider_ref: textOf(txnid) ?? pay_token, amount_minor };
}

function reasonIn(message: string): Reason | undefined {
  const plain = withoutMarks(message).toLowerCase();
  return TEXTS.find(([words]) => words.test(plain))?.[1];
}

/** Returns the message for logs and operators: the HTTP status, and the texts of the envelope and its two steps. */
function messageOf({ status, body }: Extract<Reply, { kind: 'answered' }>): string {
  const { code, message, description, data } = fieldsOf(body);
  const { inittxnmessage, confirmtxnmessage } = fieldsOf(data);
  const number = typeof code === 'number' ? `code ${code}` : code;
  return rawMessage(`HTTP ${status}`, number, confirmtxnmessage, inittxnmessage, message, description);
}
