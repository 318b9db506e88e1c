import type { Minor } from '../../../kit/money.ts';
import type { PayoutReason } from '../contract.ts';
import type { Reason } from '../reasons.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, isProvenRejection, listOf, type Reply, textOf, wordOf } from '../wire/reply.ts';
import { rawMessage } from '../wire/text.ts';

type Outcome = Reason | 'pending' | 'cancelled' | 'expired' | 'not_found';

/** Outcome of a payment by code (checkout, table of codes). 723 is the only code for "not found". */
const PAYMENT_CODES: Readonly<Record<string, Outcome>> = {
  ...{ 600: 'operator_declined', 602: 'insufficient_funds', 603: 'channel_unavailable', 604: 'wrong_pin' },
  // Orange: a wrong code, insufficient funds, or a repeated payment of the same amount from the same number too soon.
  606: 'operator_declined',
  ...{ 623: 'pending', 662: 'pending', 663: 'pending', 664: 'pending', 625: 'expired', 627: 'cancelled' },
  ...{ 635: 'invalid_number', 636: 'invalid_number', 641: 'limit_exceeded', 642: 'limit_exceeded' },
  ...{ 723: 'not_found', 804: 'channel_unavailable' },
  ...{ 807: 'operator_declined', 808: 'operator_declined', 809: 'operator_declined' },
  ...{ 810: 'operator_declined', 811: 'operator_declined', 812: 'operator_declined' },
};
/** Codes that reject opening a page: a field, the keys or the amount were rejected, or no operator is available. */
const PAGE_REFUSED = new Set(['603', '608', '609', '624', '641', '642', '804']);
const NUMBER_REFUSED = new Set(['635', '636']);

/** Codes that reject a transfer because of our request, our float or the operator. Nothing was created. */
const TRANSFER_REFUSED = new Set('602 701 702 703 704 705 706 707 708 716 718 719 720 721 725 801 804'.split(' '));
const RECIPIENT_REFUSED = new Set(['717', '724', '802']);
const TRANSFER_EXISTS = '805';
const ALREADY_A_CONTACT = '726';

/** All known codes. The tests print the meaning of each. */
export const CODES: readonly string[] = [
  ...new Set([
    ...Object.keys(PAYMENT_CODES),
    ...PAGE_REFUSED,
    ...TRANSFER_REFUSED,
    ...RECIPIENT_REFUSED,
    ...[TRANSFER_EXISTS, ALREADY_A_CONTACT, '-1', '709', '710', '715'],
  ]),
].sort();

type Answered = Extract<Reply, { kind: 'answered' }>;

/** Returns the code of a response, which is a text or a number on the wire. Null when there is none. */
export function codeOf({ body }: Answered): string | null {
  const { code } = fieldsOf(body);
  const text = wordOf(code);
  return text !== null && /^-?\d{1,4}$/.test(text) ? text : null;
}

/** Returns whether the response rejects the token. */
export function isTokenFault(reply: Reply): boolean {
  return reply.kind === 'answered' && (reply.status === 401 || ['705', '706'].includes(codeOf(reply) ?? ''));
}

/** The result of opening a page, by what it proves. */
export type Opening =
  | { kind: 'opened'; data: Record<string, unknown> }
  | { kind: 'refused'; reason: Reason; message: string }
  | { kind: 'not_opened'; message: string }
  | { kind: 'unclear'; message: string };

/** Classifies the response to opening a page. */
export function openingOf(reply: Reply): Opening {
  if (reply.kind === 'unsent') return { kind: 'not_opened', message: reply.message };
  if (reply.kind === 'lost') return { kind: 'unclear', message: reply.message };
  const code = codeOf(reply) ?? '';
  const message = messageOf(reply);
  if (code === '201') return { kind: 'opened', data: fieldsOf(fieldsOf(reply.body).data) };
  if (NUMBER_REFUSED.has(code)) return { kind: 'refused', reason: 'invalid_number', message };
  return PAGE_REFUSED.has(code) || isProvenRejection(reply) ? { kind: 'not_opened', message } : { kind: 'unclear', message };
}

/** The status of a payment. */
export type Check =
  /** `lapsed`: the page or the merchant's subscription has expired. */
  | { kind: 'pending' | 'expired' | 'lapsed' | 'not_found' }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: Minor; currency: string }
  | { kind: 'failed'; reason: Reason; message: string }
  | { kind: 'cancelled'; message: string }
  | { kind: 'unreadable'; message: string };

/**
 * Parses the status of a payment.
 * @param key provider reference used where the response has no operator_id
 */
export function checkOf(reply: Reply, key: string): Check {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: reply.message };
  const message = messageOf(reply);
  const code = codeOf(reply);
  const data = fieldsOf(fieldsOf(reply.body).data);
  const status = textOf(data.status);
  if (code === null || reply.status >= 500) return { kind: 'unreadable', message };
  if (code === '00' || code === '0') return status === 'ACCEPTED' ? paid(data, key) : { kind: 'unreadable', message };
  // ACCEPTED with an error code is contradictory, so it is unreadable.
  if (status === 'ACCEPTED') return { kind: 'unreadable', message };
  const outcome = PAYMENT_CODES[code];
  const isCancelled = status === 'CANCELLED' || status === 'CANCELED';
  if (outcome === 'pending' || status === 'WAITING_FOR_CUSTOMER') return { kind: 'pending' };
  if (outcome === 'not_found') return { kind: 'not_found' };
  // ABONNEMENT_OR_TRANSACTIONS_EXPIRED is also returned after the end of the merchant's subscription, for earlier payments too.
  if (outcome === 'expired') return { kind: isCancelled || status === 'REFUSED' ? 'expired' : 'lapsed' };
  if (isCancelled || (outcome === 'cancelled' && status === 'REFUSED')) return { kind: 'cancelled', message };
  // Without the payment's own status, a code may only mean that the check failed.
  return status === 'REFUSED'
    ? { kind: 'failed', reason: outcome === 'cancelled' || outcome === undefined ? 'operator_declined' : outcome, message }
    : { kind: 'unreadable', message };
}

function paid({ amount, currency, operator_id }: Record<string, unknown>, key: string): Check {
  const amount_minor = minorOf(amount);
  if (amount_minor === null || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    return { kind: 'unreadable', message: 'accepted without a legible amount and currency' };
  }
  return { kind: 'succeeded', provider_ref: textOf(operator_id) ?? key, amount_minor, currency };
}

/** The result of one step of a transfer, by what it proves. */
export type Step =
  | { kind: 'done'; entry: Record<string, unknown> }
  | { kind: 'exists' }
  | { kind: 'refused'; reason: PayoutReason; message: string }
  | { kind: 'not_created'; message: string }
  | { kind: 'unclear'; message: string };

/** Classifies the response to one step of a transfer. */
export function stepOf(reply: Reply): Step {
  if (reply.kind === 'unsent') return { kind: 'not_created', message: reply.message };
  if (reply.kind === 'lost') return { kind: 'unclear', message: reply.message };
  const entry = entryOf(reply);
  const overall = codeOf(reply);
  // The list may be accepted as a whole while its only entry is rejected.
  const code = overall === '0' ? (codeOf({ ...reply, body: entry }) ?? overall) : overall;
  const message = messageOf(reply);
  if (code === '0' || code === ALREADY_A_CONTACT) return { kind: 'done', entry };
  if (code === TRANSFER_EXISTS) return { kind: 'exists' };
  if (code !== null && RECIPIENT_REFUSED.has(code)) return { kind: 'refused', reason: 'invalid_recipient', message };
  if (code !== null && TRANSFER_REFUSED.has(code)) return { kind: 'not_created', message };
  return isProvenRejection(reply) ? { kind: 'not_created', message } : { kind: 'unclear', message };
}

/** The status of a transfer. */
export type Sent =
  | { kind: 'pending'; ref: string | null }
  /** `amount_minor` is null where the response contains no amount. */
  | { kind: 'paid'; provider_ref: string; amount_minor: Minor | null }
  | { kind: 'failed'; message: string }
  | { kind: 'not_found' }
  | { kind: 'unreadable'; message: string };

/**
 * Parses the status of a transfer.
 * @param key the key it was submitted under; a response about another transfer is unreadable
 */
export function sentOf(reply: Reply, key: string): Sent {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: reply.message };
  const message = messageOf(reply);
  if (codeOf(reply) === '723') return { kind: 'not_found' };
  const entry = entryOf(reply);
  const { treatment_status, transaction_id, operator_transaction_id, client_transaction_id = key, amount, comment } = entry;
  if (codeOf(reply) !== '0' || client_transaction_id !== key) return { kind: 'unreadable', message };
  switch (treatment_status) {
    case 'NEW':
    case 'REC':
    // Waiting to be sent, for instance because of insufficient float.
    case 'NOS':
      return { kind: 'pending', ref: textOf(transaction_id) };
    case 'VAL': {
      const amount_minor = amount === undefined ? null : minorOf(amount);
      if (amount !== undefined && amount_minor === null) return { kind: 'unreadable', message: 'paid, in no legible amount' };
      const provider_ref = textOf(operator_transaction_id) ?? textOf(transaction_id) ?? key;
      return { kind: 'paid', provider_ref, amount_minor };
    }
    case 'REJ':
      return { kind: 'failed', message: rawMessage('REJ', comment) };
    default:
      return { kind: 'unreadable', message };
  }
}

/** Returns the first entry of the list in a response. Some responses wrap it in another list. */
function entryOf({ body }: Answered): Record<string, unknown> {
  const [first] = listOf(fieldsOf(body).data);
  return fieldsOf(Array.isArray(first) ? first[0] : first);
}

/** Returns the message of a response for logs and operators. */
export function messageOf(reply: Reply): string {
  if (reply.kind !== 'answered') return reply.message;
  const { message, description } = fieldsOf(reply.body);
  return rawMessage(`HTTP ${reply.status}`, codeOf(reply), message, description);
}
