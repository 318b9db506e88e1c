import { entryOf } from '../../../kit/entry-of.ts';
import type { Reason } from '../reasons.ts';
import { fieldsOf, isProvenRejection, type Reply, textOf, wordOf } from '../wire/reply.ts';
import { rawMessage } from '../wire/text.ts';

type Meaning = Reason | 'cancelled' | 'pending' | 'unanswered';

/** The meaning of a prompt's result code. */
const RESULTS: Readonly<Record<string, Meaning>> = {
  1: 'insufficient_funds',
  // 17: a rule on the merchant's side. 26: the system is busy.
  ...{ 17: 'channel_unavailable', 26: 'channel_unavailable' },
  // Another session locks the subscriber for one or two minutes.
  1001: 'operator_declined',
  1019: 'authorization_timeout',
  // The handset was unreachable or the payer did not answer. A success may still follow (daraja-error-codes, entry
  // 1037).
  1037: 'unanswered',
  // The prompt could not be sent.
  ...{ 1025: 'channel_unavailable', 9999: 'channel_unavailable' },
  1032: 'cancelled',
  2001: 'wrong_pin',
  8006: 'operator_declined',
  // Seen in status queries while the payer is still entering the PIN.
  4999: 'pending',
  // Our shortcode or transaction type is not configured.
  SFC_IC0003: 'channel_unavailable',
};

/** All known result codes. The tests print the meaning of each. */
export const RESULT_CODES: readonly string[] = Object.keys(RESULTS);

const TOKEN_FAULTS = ['401.002.01', '401.003.01', '404.001.03'];
/** 500.001.1001 in a status query: the prompt is still open. In a submission: wrong credentials, or a busy subscriber. */
const BUSY = '500.001.1001';
/** Error codes that prove that nothing was created, whatever the HTTP status. */
const NOT_CREATED = new Set(['400.002.02', BUSY, '500.003.02', '500.003.03', ...TOKEN_FAULTS]);

/** All known error codes. */
export const ERROR_CODES: readonly string[] = [...NOT_CREATED];

type Answered = Extract<Reply, { kind: 'answered' }>;

function errorOf({ status, body }: Answered): { code: string; text: string; message: string } {
  const { errorCode, errorMessage } = fieldsOf(body);
  const [code, text] = [textOf(errorCode) ?? '', textOf(errorMessage) ?? ''];
  return { code, text, message: rawMessage(`HTTP ${status}`, code, text) };
}

/** Returns whether the response rejects the token. */
export function isTokenFault(reply: Reply): boolean {
  return reply.kind === 'answered' && (reply.status === 401 || TOKEN_FAULTS.includes(errorOf(reply).code));
}

/** The result of a prompt request, by what it proves. */
export type Prompt =
  | { kind: 'sent'; checkout_id: string }
  | { kind: 'refused'; reason: Reason; message: string }
  | { kind: 'not_sent'; message: string }
  | { kind: 'unclear'; message: string };

/** Classifies the response to a prompt request. */
export function promptOf(reply: Reply): Prompt {
  if (reply.kind === 'unsent') return { kind: 'not_sent', message: reply.message };
  if (reply.kind === 'lost') return { kind: 'unclear', message: reply.message };
  const { ResponseCode, CheckoutRequestID } = fieldsOf(reply.body);
  const checkout_id = textOf(CheckoutRequestID);
  if (reply.status === 200 && wordOf(ResponseCode) === '0' && checkout_id !== null && isCheckoutId(checkout_id)) {
    return { kind: 'sent', checkout_id };
  }
  const { code, text, message } = errorOf(reply);
  if (code === '400.002.02' && /phonenumber|partya/i.test(text)) return { kind: 'refused', reason: 'invalid_number', message };
  return NOT_CREATED.has(code) || isProvenRejection(reply) ? { kind: 'not_sent', message } : { kind: 'unclear', message };
}

/** The status of a prompt. It never contains an amount or a receipt. */
export type Result =
  | { kind: 'pending' | 'paid' }
  | { kind: 'failed'; reason: Reason; message: string }
  | { kind: 'cancelled'; message: string }
  /** The handset was not reached. Not final soon after submission. */
  | { kind: 'unanswered'; message: string }
  | { kind: 'unreadable'; message: string };

/**
 * Parses the response to a status query.
 * @param checkout_id the requested prompt; a response about another prompt is unreadable
 */
export function resultOf(reply: Reply, checkout_id: string): Result {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: reply.message };
  const error = errorOf(reply);
  if (error.code === BUSY && /being processed/i.test(error.text)) return { kind: 'pending' };
  const { ResponseCode, CheckoutRequestID, ResultCode, ResultDesc } = fieldsOf(reply.body);
  const code = wordOf(ResultCode);
  if (reply.status !== 200 || wordOf(ResponseCode) !== '0' || CheckoutRequestID !== checkout_id || code === null) {
    return { kind: 'unreadable', message: error.message };
  }
  if (code === '0') return { kind: 'paid' };
  const meaning = entryOf(RESULTS, code);
  const message = rawMessage(code, ResultDesc);
  // An unknown code may report an open prompt, as 4999 did before it was known. The payer may still be charged.
  if (meaning === undefined) return { kind: 'unreadable', message };
  if (meaning === 'pending') return { kind: 'pending' };
  if (meaning === 'cancelled' || meaning === 'unanswered') return { kind: meaning, message };
  return { kind: 'failed', reason: meaning, message };
}

/** Returns whether the text is a checkout id: `ws_CO_…`, or a number in one of several formats. */
export function isCheckoutId(text: string): boolean {
  return /^[\w.-]{1,100}$/.test(text);
}
