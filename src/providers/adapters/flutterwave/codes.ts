import type { Minor } from '../../../kit/money.ts';
import type { ChannelKind } from '../../../kit/channel-kind.ts';
import type { PayoutReason } from '../contract.ts';
import type { Reason } from '../reasons.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, isProvenRejection, listOf, type Reply, textOf } from '../wire/reply.ts';
import { rawMessage } from '../wire/text.ts';

/** The meaning of one of Flutterwave's texts for a collection and for a payout. */
export interface Meaning {
  /** `cancelled`: by the payer. */
  collect: Reason | 'cancelled';
  payout: PayoutReason | null;
}

/** Phrases in the free text of banks and operators. The first match from the top decides. */
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

/** All known phrases. The tests print the meaning of each. */
export const PHRASES: readonly string[] = MEANINGS.flatMap(([phrases]) => phrases);

/**
 * Returns the reason of a failed collection.
 * @param kind of the channel; a card is declined by its bank, not by an operator
 */
export function reasonOf({ collect }: Meaning, kind: ChannelKind): Reason | 'cancelled' {
  return kind === 'card' && collect === 'operator_declined' ? 'card_declined' : collect;
}

/** Returns the meaning of a free text. */
export function meaningOf(text: unknown): Meaning {
  const lower = typeof text === 'string' ? text.toLowerCase() : '';
  return MEANINGS.find(([phrases]) => phrases.some((phrase) => lower.includes(phrase)))?.[1] ?? OTHERWISE;
}

/**
 * Texts of an operation that may have been carried out, because its processor had no final outcome. For a transfer with such a text, the
 * status FAILED proves nothing. For a charge, most of these texts mean that the payer has not approved it, and `failed` is final when a
 * status query returns it.
 */
const NO_OUTCOME = /time[d]?[ -]?out|expired|not approved|no response|being processed|in progress/i;

/** Returns whether the text of a failed operation leaves open whether it was carried out. */
export function isInDoubt(text: unknown): boolean {
  return typeof text === 'string' && NO_OUTCOME.test(text);
}

/**
 * Returns whether a transfer failed because our own balance was insufficient: nothing was paid, and FAILED is final. For
 * a charge the same text concerns the payer's balance.
 */
export function isUnfunded({ collect }: Meaning): boolean {
  return collect === 'insufficient_funds';
}

/** Texts that reject a number or account in the response to a submission. The same request would fail again. */
const PARTY_AT_FAULT = /invalid phone|msisdn|number not registered|invalid account|account resolve failed/i;
const REFERENCE_TAKEN = /reference already exists/i;
/** Text for an unknown tx_ref. It is the same for every kind of lookup. */
const NO_TRANSACTION = /no transaction was found/i;

/** The result of a submission, by what it proves. */
export type Creation =
  | { kind: 'created'; data: Record<string, unknown>; authorization: Record<string, unknown> }
  /** The reference is already used: an earlier submission arrived. */
  | { kind: 'exists' }
  | { kind: 'refused'; meaning: Meaning; message: string }
  /** `status` is null where the response did not come from the API itself, such as an error page of a proxy. */
  | { kind: 'not_created'; meaning: Meaning; message: string; status: number | null }
  | { kind: 'unclear'; message: string };

/** Classifies the response to a submission. */
export function creationOf(reply: Reply): Creation {
  if (reply.kind === 'unsent') return { kind: 'not_created', meaning: OTHERWISE, message: reply.message, status: null };
  if (reply.kind === 'lost') return { kind: 'unclear', message: reply.message };
  const { api_status, data, meta, text, message } = envelopeOf(reply);
  const { status } = reply;
  if ((status === 200 || status === 201) && api_status === 'success') {
    return { kind: 'created', data: fieldsOf(data), authorization: fieldsOf(fieldsOf(meta).authorization) };
  }
  if (status === 400 && REFERENCE_TAKEN.test(text)) return { kind: 'exists' };
  if (!isProvenRejection(reply)) return { kind: 'unclear', message };
  const meaning = meaningOf(text);
  if (status === 400 && PARTY_AT_FAULT.test(text)) return { kind: 'refused', meaning, message };
  return { kind: 'not_created', meaning, message, status: api_status === 'error' ? status : null };
}

/** The status of a charge or a transfer. */
export type State =
  | { kind: 'pending'; id: string | null }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: Minor; currency: string }
  | { kind: 'failed'; meaning: Meaning; message: string }
  | { kind: 'not_found' }
  | { kind: 'unreadable'; message: string };

/**
 * Parses the status of a charge.
 * @param key the requested tx_ref; a response about another charge is unreadable
 */
export function chargeState(reply: Reply, key: string): State {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: reply.message };
  const { api_status, data, text, message } = envelopeOf(reply);
  if ((reply.status === 400 || reply.status === 404) && NO_TRANSACTION.test(text)) return { kind: 'not_found' };
  const fields = fieldsOf(data);
  if (reply.status !== 200 || api_status !== 'success' || fields.tx_ref !== key) return { kind: 'unreadable', message };
  return stateOf(fields, fields.processor_response, 'successful');
}

/** One page of the list of transactions with a tx_ref. */
export interface ListedPage {
  kind: 'listed';
  states: State[];
  is_last: boolean;
}

/**
 * Parses one page of the list of transactions with a tx_ref.
 * @param key the requested tx_ref; other transactions in the list are ignored
 * @param page its number; another page is unreadable
 */
export function listedPage(reply: Reply, key: string, page: number): ListedPage | Extract<State, { kind: 'unreadable' }> {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: reply.message };
  const { api_status, data, meta, message } = envelopeOf(reply);
  const { total_pages = 1, current_page = page } = fieldsOf(fieldsOf(meta).page_info);
  if (reply.status !== 200 || api_status !== 'success' || current_page !== page) return { kind: 'unreadable', message };
  const states = listOf(data).flatMap((entry) => {
    const fields = fieldsOf(entry);
    return fields.tx_ref === key ? [stateOf(fields, fields.processor_response, 'successful')] : [];
  });
  return { kind: 'listed', states, is_last: total_pages === page };
}

/** The states of several transactions under one tx_ref, the one that decides first. */
const DECISIVE: readonly State['kind'][] = ['succeeded', 'unreadable', 'pending', 'failed'];

/**
 * Returns the state that the transactions with one tx_ref result in: a payment, whatever the others are, and a failure only if all of
 * them failed, the one that the query returned too.
 * @param verified the state of the transaction that the query by tx_ref returned
 * @param listed the states of the listed ones; without any, or without all of them, no failure is proven
 */
export function chargesState(verified: State, listed: readonly State[], is_whole: boolean): State {
  const states = [...listed, verified];
  const state = DECISIVE.flatMap((kind) => states.find((one) => one.kind === kind) ?? [])[0] ?? verified;
  return state.kind === 'failed' && (listed.length === 0 || !is_whole)
    ? { kind: 'unreadable', message: 'not all transactions of the charge were listed' }
    : state;
}

/**
 * Parses the status of a transfer.
 * @param key the reference of the transfer; a list is searched for it, and a single transfer must match it
 */
export function transferState(reply: Reply, key: string): State {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: reply.message };
  const { api_status, data, message } = envelopeOf(reply);
  if (reply.status !== 200 || api_status !== 'success') return { kind: 'unreadable', message };
  const found = [...(Array.isArray(data) ? listOf(data) : [data])].map(fieldsOf).find(({ reference }) => reference === key);
  if (found) {
    const state = stateOf(found, found.complete_message, 'successful');
    return state.kind === 'failed' && isInDoubt(found.complete_message) ? { kind: 'unreadable', message: state.message } : state;
  }
  // A list that was not filtered by the reference contains other transfers, so a missing reference proves nothing.
  const isEmpty = Array.isArray(data) && data.length === 0;
  return isEmpty ? { kind: 'not_found' } : { kind: 'unreadable', message: 'a response about something else' };
}

const STILL_PENDING = new Set(['pending', 'new', 'success-pending-validation']);

function stateOf(fields: Record<string, unknown>, text: unknown, success: string): State {
  const status = textOf(fields.status)?.toLowerCase();
  const id = numberOf(fields.id);
  if (status !== undefined && STILL_PENDING.has(status)) return { kind: 'pending', id };
  if (status === 'failed') return { kind: 'failed', meaning: meaningOf(text), message: rawMessage('failed', text) };
  if (status !== success) return { kind: 'unreadable', message: rawMessage('an unknown status', status) };
  const amount_minor = minorOf(fields.amount);
  const { currency } = fields;
  if (amount_minor === null || id === null || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    return { kind: 'unreadable', message: 'a success without a legible id, amount and currency' };
  }
  return { kind: 'succeeded', provider_ref: id, amount_minor, currency };
}

/**
 * Final success statuses of a refund (Refunds, table of refund statuses, v3): the money has reached the payer. Plain
 * `completed` is not one of them: it reports a refund that was initiated, is still to be disbursed and can still fail.
 */
const REFUNDED = new Set([
  'completed-bank-transfer',
  'completed-momo',
  'completed-mpgs',
  'completed-offline',
  'completed-preauth',
]);
/** Pending statuses in the same table. */
const REFUND_UNDER_WAY = new Set(['completed', 'processing', 'pending-momo', 'pending', 'new']);

/** All known refund statuses. The tests print the meaning of each. */
export const REFUND_STATUSES: readonly string[] = [...REFUNDED, ...REFUND_UNDER_WAY, 'failed'];

/** The status of a refund. */
export type RefundState =
  | { kind: 'pending'; id: string }
  | { kind: 'completed'; id: string; amount_minor: Minor | null }
  | { kind: 'failed'; meaning: Meaning; message: string }
  | { kind: 'unreadable'; message: string };

/**
 * Parses the status of a refund.
 * @param data of the response to a refund or a status read
 */
export function refundState(data: unknown): RefundState {
  const { id: number, status, amount_refunded, comments } = fieldsOf(data);
  const id = numberOf(number);
  const state = textOf(status)?.toLowerCase() ?? '';
  if (id === null) return { kind: 'unreadable', message: 'a refund without a number' };
  if (REFUNDED.has(state)) return { kind: 'completed', id, amount_minor: minorOf(amount_refunded) };
  if (state === 'failed') return { kind: 'failed', meaning: meaningOf(comments), message: rawMessage('failed', comments) };
  if (REFUND_UNDER_WAY.has(state)) return { kind: 'pending', id };
  return { kind: 'unreadable', message: rawMessage('an unknown status', state) };
}

/** Returns the envelope that every response has. */
export function envelopeOf({ status, body }: Extract<Reply, { kind: 'answered' }>) {
  const { status: api_status, message: text, data, meta } = fieldsOf(body);
  return { api_status, data, meta, text: textOf(text) ?? '', message: rawMessage(`HTTP ${status}`, text) };
}

/** Returns one of Flutterwave's numeric ids as text, or null when it is not numeric. */
export function numberOf(id: unknown): string | null {
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && /^\d{1,20}$/.test(text) ? text : null;
}
