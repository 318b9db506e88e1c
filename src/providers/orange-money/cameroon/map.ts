import { withoutMarks } from '../../../kit/unicode.ts';
import type { Reason } from '../../reasons.ts';
import { minorOf } from '../../wire/amounts.ts';
import { fieldsOf, type Reply, textOf } from '../../wire/reply.ts';
import { rawWords } from '../../wire/words.ts';

/** What Orange Cameroon writes when it refuses, without accents and in small letters; the first that fits decides. */
const TEXTS: readonly (readonly [RegExp, Reason])[] = [
  [/beneficiaire introuvable|abonne introuvable/, 'invalid_number'],
  [/solde du compte du payeur est insuffisant|\b60019\b/, 'insufficient_funds'],
  [/utilisateur bloque/, 'operator_declined'],
  [/\b(?:pin|code secret)\b[^\n]{0,80}\bincorrect/, 'wrong_pin'],
];

/** What the envelope says of a payment: the answer to `pay` and the status page are alike. */
export type Told =
  /** The token is there, and nothing was paid with it. */
  | { kind: 'untouched' }
  | { kind: 'pending' }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: bigint }
  | { kind: 'failed'; reason: Reason; message: string }
  | { kind: 'cancelled'; message: string }
  | { kind: 'expired' }
  | { kind: 'unreadable'; message: string };

/** What the answer to `pay` proves. */
export type Creation =
  | { kind: 'told'; told: Exclude<Told, { kind: 'unreadable' }> }
  | { kind: 'not_created'; message: string }
  | { kind: 'refused'; reason: Reason; message: string }
  | { kind: 'unclear'; message: string };

/** The answer to `init`: a token, or why there is none. No money can move without one. */
export function tokenOf(reply: Reply): { kind: 'token'; token: string } | { kind: 'none'; message: string } {
  if (reply.kind !== 'answered') return { kind: 'none', message: rawWords('no pay token', reply.message) };
  const token = textOf(fieldsOf(fieldsOf(reply.body).data).payToken);
  // It becomes part of an address.
  return reply.status === 200 && token && /^[\w.-]{1,100}$/.test(token)
    ? { kind: 'token', token }
    : { kind: 'none', message: wordingOf(reply) };
}

export function creationOf(reply: Reply, pay_token: string): Creation {
  if (reply.kind === 'unsent') return { kind: 'not_created', message: rawWords('Orange was not reached', reply.message) };
  if (reply.kind === 'lost') return { kind: 'unclear', message: rawWords('no answer from Orange', reply.message) };
  const message = wordingOf(reply);
  if ([401, 403, 429].includes(reply.status)) return { kind: 'not_created', message };
  if (reply.status >= 400 && reply.status < 500) {
    const reason = reasonIn(message);
    // A token that was used already is refused too, in words nobody has written down: only those we know prove anything.
    return reason ? refusalOf(reason, message) : { kind: 'unclear', message };
  }
  const told = toldOf(reply, pay_token);
  if (told.kind === 'unreadable') return { kind: 'unclear', message: told.message };
  return told.kind === 'failed' ? refusalOf(told.reason, told.message) : { kind: 'told', told };
}

/** Before the payer was asked, a PIN that is wrong can only be the merchant's own. */
function refusalOf(reason: Reason, message: string): Creation {
  return reason === 'wrong_pin' ? { kind: 'not_created', message } : { kind: 'refused', reason, message };
}

/** @param pay_token that was asked about */
export function toldOf(reply: Reply, pay_token: string): Told {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: rawWords('no answer from Orange', reply.message) };
  const message = wordingOf(reply);
  if (reply.status !== 200) return { kind: 'unreadable', message };
  const data = fieldsOf(fieldsOf(reply.body).data);
  if (data.payToken !== pay_token) return { kind: 'unreadable', message: 'Orange answered for another payment' };
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
      return { kind: 'unreadable', message: rawWords('Orange tells of a status we do not know', data.status) };
  }
}

function successOf({ amount, txnid }: Record<string, unknown>, pay_token: string): Told {
  const amount_minor = minorOf(amount);
  if (amount_minor === null) return { kind: 'unreadable', message: 'Orange tells of a success without its amount' };
  return { kind: 'succeeded', provider_ref: textOf(txnid) ?? pay_token, amount_minor };
}

function reasonIn(message: string): Reason | undefined {
  const plain = withoutMarks(message).toLowerCase();
  return TEXTS.find(([words]) => words.test(plain))?.[1];
}

/** For logs and people: the status, and the texts of the envelope and of its two steps. */
function wordingOf({ status, body }: Extract<Reply, { kind: 'answered' }>): string {
  const { code, message, description, data } = fieldsOf(body);
  const { inittxnmessage, confirmtxnmessage } = fieldsOf(data);
  const number = typeof code === 'number' ? `code ${code}` : code;
  return rawWords(`HTTP ${status}`, number, confirmtxnmessage, inittxnmessage, message, description);
}
