import type { Minor } from '../../kit/money.ts';
import type { ChannelKind, PayoutReason } from '../contract.ts';
import type { Reason } from '../reasons.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, isTurnedAway, listOf, type Reply, textOf } from '../wire/reply.ts';
import { rawWords } from '../wire/words.ts';

/** What Flutterwave's words mean for a collection and for a payout. */
export interface Meaning {
  /** `cancelled`: by the payer. */
  collect: Reason | 'cancelled';
  payout: PayoutReason | null;
}

/** Free text of banks and operators, looked through from the top; what is found first counts. */
const MEANINGS: readonly (readonly [phrases: readonly string[], meaning: Meaning])[] = [
  [['expired card', 'card expired'], { collect: 'expired_card', payout: null }],
  [['insufficient'], { collect: 'insufficient_funds', payout: null }],
  [['incorrect pin', 'wrong pin', 'invalid otp'], { collect: 'wrong_pin', payout: null }],
  [['timeout', 'timed out', 'expired', 'not approved', 'no response'], { collect: 'authorization_timeout', payout: null }],
  [['flagged', 'fraud', 'suspected', 'blacklist'], { collect: 'fraud_blocked', payout: null }],
  [
    ['invalid phone', 'msisdn', 'number not registered', 'not found'],
    { collect: 'invalid_number', payout: 'recipient_unregistered' },
  ],
  [['invalid account', 'account resolve failed', 'dormant'], { collect: 'invalid_number', payout: 'invalid_recipient' }],
  [['unavailable', 'downtime', 'inoperative', 'try again'], { collect: 'channel_unavailable', payout: null }],
  [['cancelled by user'], { collect: 'cancelled', payout: null }],
  [['limit'], { collect: 'operator_declined', payout: 'invalid_recipient' }],
  [['do not honour', 'declined', 'not permitted', 'disburse failed'], { collect: 'operator_declined', payout: null }],
];
const OTHERWISE: Meaning = { collect: 'operator_declined', payout: null };

/** Every phrase we know: the tests print what becomes of each. */
export const PHRASES: readonly string[] = MEANINGS.flatMap(([phrases]) => phrases);

/** @param kind of the channel: a card is declined by its bank, not by an operator */
export function reasonOf({ collect }: Meaning, kind: ChannelKind): Reason | 'cancelled' {
  return kind === 'card' && collect === 'operator_declined' ? 'card_declined' : collect;
}

export function meaningOf(text: unknown): Meaning {
  const words = typeof text === 'string' ? text.toLowerCase() : '';
  return MEANINGS.find(([phrases]) => phrases.some((phrase) => words.includes(phrase)))?.[1] ?? OTHERWISE;
}

/** In answer to a creation these judge a number or account: the same request would fail again. */
const PARTY_AT_FAULT = /invalid phone|msisdn|number not registered|invalid account|account resolve failed/i;
const REFERENCE_TAKEN = /reference already exists/i;
/** Of a tx_ref; the same text whatever it was asked by. */
const NO_TRANSACTION = /no transaction was found/i;

/** What the answer to a creation proves. */
export type Creation =
  | { kind: 'created'; data: Record<string, unknown>; authorization: Record<string, unknown> }
  /** The reference is taken: an earlier sending arrived. */
  | { kind: 'exists' }
  | { kind: 'refused'; meaning: Meaning; message: string }
  /** `status`: null where it is not the API itself that says so, such as a page of something on the way. */
  | { kind: 'not_created'; meaning: Meaning; message: string; status: number | null }
  | { kind: 'unclear'; message: string };

export function creationOf(reply: Reply): Creation {
  if (reply.kind === 'unsent') return { kind: 'not_created', meaning: OTHERWISE, message: reply.message, status: null };
  if (reply.kind === 'lost') return { kind: 'unclear', message: reply.message };
  const { said, data, meta, words, message } = openedOf(reply);
  const { status } = reply;
  if ((status === 200 || status === 201) && said === 'success') {
    return { kind: 'created', data: fieldsOf(data), authorization: fieldsOf(fieldsOf(meta).authorization) };
  }
  if (status === 400 && REFERENCE_TAKEN.test(words)) return { kind: 'exists' };
  if (!isTurnedAway(reply)) return { kind: 'unclear', message };
  const meaning = meaningOf(words);
  if (status === 400 && PARTY_AT_FAULT.test(words)) return { kind: 'refused', meaning, message };
  return { kind: 'not_created', meaning, message, status: said === 'error' ? status : null };
}

/** What a status page says of a charge or a transfer. */
export type State =
  | { kind: 'pending'; id: string | null }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: Minor; currency: string }
  | { kind: 'failed'; meaning: Meaning; message: string }
  | { kind: 'not_found' }
  | { kind: 'unreadable'; message: string };

/** @param key the tx_ref it was asked by: an answer about another charge is none */
export function chargeState(reply: Reply, key: string): State {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: reply.message };
  const { said, data, words, message } = openedOf(reply);
  if ((reply.status === 400 || reply.status === 404) && NO_TRANSACTION.test(words)) return { kind: 'not_found' };
  const fields = fieldsOf(data);
  if (reply.status !== 200 || said !== 'success' || fields.tx_ref !== key) return { kind: 'unreadable', message };
  return stateOf(fields, fields.processor_response, 'successful');
}

/** @param key the reference of the transfer, by which a list is looked through and one answer is checked */
export function transferState(reply: Reply, key: string): State {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: reply.message };
  const { said, data, message } = openedOf(reply);
  if (reply.status !== 200 || said !== 'success') return { kind: 'unreadable', message };
  const found = [...(Array.isArray(data) ? listOf(data) : [data])].map(fieldsOf).find(({ reference }) => reference === key);
  if (found) return stateOf(found, found.complete_message, 'successful');
  // A list that was not narrowed to the reference shows others: that ours is missing from it proves nothing.
  const isEmpty = Array.isArray(data) && data.length === 0;
  return isEmpty ? { kind: 'not_found' } : { kind: 'unreadable', message: 'an answer about something else' };
}

const STILL_PENDING = new Set(['pending', 'new', 'success-pending-validation']);

function stateOf(fields: Record<string, unknown>, words: unknown, success: string): State {
  const status = textOf(fields.status)?.toLowerCase();
  const id = numberOf(fields.id);
  if (status !== undefined && STILL_PENDING.has(status)) return { kind: 'pending', id };
  if (status === 'failed') return { kind: 'failed', meaning: meaningOf(words), message: rawWords('failed', words) };
  if (status !== success) return { kind: 'unreadable', message: rawWords('a status nobody knows', status) };
  const amount_minor = minorOf(fields.amount);
  const { currency } = fields;
  if (amount_minor === null || id === null || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    return { kind: 'unreadable', message: 'a success without a legible id, amount and currency' };
  }
  return { kind: 'succeeded', provider_ref: id, amount_minor, currency };
}

/**
 * Refunds, table of refund statuses (v3): these have reached the payer. Plain `completed` is not among them: it reports a
 * refund that was initiated and is still to be disbursed, and that can still fail.
 */
const REFUNDED = new Set([
  'completed-bank-transfer',
  'completed-momo',
  'completed-mpgs',
  'completed-offline',
  'completed-preauth',
]);
/** The same table: under way. */
const REFUND_UNDER_WAY = new Set(['completed', 'processing', 'pending-momo', 'pending', 'new']);

/** Every refund status we know: the tests print what becomes of each. */
export const REFUND_STATUSES: readonly string[] = [...REFUNDED, ...REFUND_UNDER_WAY, 'failed'];

/** What a refund has come to. */
export type Returned =
  | { kind: 'pending'; id: string }
  | { kind: 'completed'; id: string; amount_minor: Minor | null }
  | { kind: 'failed'; meaning: Meaning; message: string }
  | { kind: 'unreadable'; message: string };

/** @param data of the answer to a refund or to a question about it */
export function returnedOf(data: unknown): Returned {
  const { id: number, status, amount_refunded, comments } = fieldsOf(data);
  const id = numberOf(number);
  const word = textOf(status)?.toLowerCase() ?? '';
  if (id === null) return { kind: 'unreadable', message: 'a refund without a number' };
  if (REFUNDED.has(word)) return { kind: 'completed', id, amount_minor: minorOf(amount_refunded) };
  if (word === 'failed') return { kind: 'failed', meaning: meaningOf(comments), message: rawWords('failed', comments) };
  if (REFUND_UNDER_WAY.has(word)) return { kind: 'pending', id };
  return { kind: 'unreadable', message: rawWords('a status nobody knows', word) };
}

/** The envelope every answer comes in. */
export function openedOf({ status, body }: Extract<Reply, { kind: 'answered' }>) {
  const { status: said, message: words, data, meta } = fieldsOf(body);
  return { said, data, meta, words: textOf(words) ?? '', message: rawWords(`HTTP ${status}`, words) };
}

/** A number of theirs as text, null when it is none. */
export function numberOf(id: unknown): string | null {
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && /^\d{1,20}$/.test(text) ? text : null;
}
