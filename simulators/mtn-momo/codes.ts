import type { EntryKind } from '../kit/book.ts';
import type { Answer } from '../kit/calls.ts';
import { type Ending, failsWith, SUCCEEDS } from '../kit/operations.ts';
import { type Outcome, outcomeOf } from '../kit/outcomes.ts';

/** The result of a creation request: accepted, or rejected with an HTTP error. */
export type Verdict = { kind: 'taken'; ending: Ending } | { kind: 'turned_down'; answer: Answer };

/** Returns an error in MTN's envelope. */
export function error(status: number, code: string, message = code.toLowerCase().replaceAll('_', ' ')): Answer {
  return { status, body: { code, message } };
}

const later = (word: string): Verdict => ({ kind: 'taken', ending: failsWith(word) });
const atOnce = (code: string, status = 500): Verdict => ({ kind: 'turned_down', answer: error(status, code) });

const ONGOING: Verdict = { kind: 'taken', ending: { ...SUCCEEDS, after: 'stuck' } };
const DELAYED: Verdict = { kind: 'taken', ending: { ...SUCCEEDS, after: 4 } };
const FAILED = later('INTERNAL_PROCESSING_ERROR');
const NOT_ALLOWED = atOnce('NOT_ALLOWED');
const TARGET_ENVIRONMENT = atOnce('NOT_ALLOWED_TARGET_ENVIRONMENT');
const CALLBACK_HOST = atOnce('INVALID_CALLBACK_URL_HOST');
const CURRENCY = atOnce('INVALID_CURRENCY');
const INTERNAL = atOnce('INTERNAL_PROCESSING_ERROR');
const UNAVAILABLE = atOnce('SERVICE_UNAVAILABLE', 503);
const TRANSFER_TYPE = atOnce('TRANSFER_TYPE_UNKNOWN');
const COULD_NOT_PERFORM = later('COULD_NOT_PERFORM_TRANSACTION');

/** Numbers of MTN's sandbox: this prefix and three digits. */
const PREFIX = '46733123';

/** MTN's own tables, in their order: numbers from 450, references to refund from 1. */
const NUMBERS: Record<'collect' | 'payout', readonly Verdict[]> = {
  collect: [
    ...[FAILED, later('APPROVAL_REJECTED'), later('EXPIRED'), ONGOING, DELAYED, later('PAYER_NOT_FOUND')],
    ...[later('PAYEE_NOT_ALLOWED_TO_RECEIVE'), NOT_ALLOWED, TARGET_ENVIRONMENT, CALLBACK_HOST, CURRENCY, INTERNAL],
    ...[UNAVAILABLE, COULD_NOT_PERFORM, TRANSFER_TYPE],
  ],
  payout: [
    ...[FAILED, later('REJECTED'), later('EXPIRED'), ONGOING, DELAYED, later('NOT_ENOUGH_FUNDS')],
    ...[later('PAYER_LIMIT_REACHED'), later('PAYEE_NOT_FOUND'), NOT_ALLOWED, TARGET_ENVIRONMENT, CALLBACK_HOST, CURRENCY],
    ...[INTERNAL, UNAVAILABLE, TRANSFER_TYPE],
  ],
};
const REFERENCES: readonly Verdict[] = [
  ...[atOnce('RESOURCE_NOT_FOUND', 404), FAILED, later('REJECTED'), later('EXPIRED'), ONGOING, DELAYED, NOT_ALLOWED],
  ...[TARGET_ENVIRONMENT, CALLBACK_HOST, CURRENCY, INTERNAL, UNAVAILABLE, COULD_NOT_PERFORM],
];

/** Returns the result for the number of the payer or recipient: by MTN's own test numbers, else by the last six digits. */
export function verdictOf(kind: EntryKind, msisdn: string): Verdict {
  const magic = kind === 'refund' || !msisdn.startsWith(PREFIX) ? undefined : NUMBERS[kind][Number(msisdn.slice(-3)) - 450];
  return magic ?? { kind: 'taken', ending: ENDINGS[outcomeOf(kind, msisdn)] };
}

/** Returns the result for one of MTN's own test references to refund. */
export function verdictOfReference(reference: string): Verdict | undefined {
  return /^\d{1,2}$/.test(reference) ? REFERENCES[Number(reference) - 1] : undefined;
}

const ENDINGS: Record<Outcome, Ending> = {
  succeeds: SUCCEEDS,
  insufficient_funds: failsWith('LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED'),
  declined: failsWith('INTERNAL_PROCESSING_ERROR'),
  times_out: failsWith('COULD_NOT_PERFORM_TRANSACTION', 2),
  payer_refuses: failsWith('APPROVAL_REJECTED'),
  recipient_unregistered: failsWith('PAYEE_NOT_FOUND'),
  // As in the published list of reasons, like PAYEE_NOT_ALLOWED_TO_RECEIVE.
  invalid_recipient: failsWith('PAYEE_LIMIT_REACHED'),
  refund_fails: failsWith('INTERNAL_PROCESSING_ERROR'),
};

/** Returns whether a number has an active wallet. */
export function activityOf(msisdn: string): Answer {
  const active = { status: 200, body: { result: true } };
  const inactive = { status: 200, body: { result: false } };
  const unknown = error(404, 'RESOURCE_NOT_FOUND');
  if (!msisdn.startsWith(PREFIX)) {
    return { '000002': inactive, '000003': unknown }[msisdn.slice(-6)] ?? active;
  }
  const answers = [unknown, inactive, error(500, 'NOT_ALLOWED'), error(500, 'NOT_ALLOWED_TARGET_ENVIRONMENT')];
  const more = [error(500, 'INTERNAL_PROCESSING_ERROR'), error(503, 'SERVICE_UNAVAILABLE')];
  return [...answers, ...more][Number(msisdn.slice(-3)) - 450] ?? active;
}
