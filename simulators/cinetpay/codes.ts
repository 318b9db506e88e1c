import type { EntryKind } from '../kit/book.ts';
import type { Answer } from '../kit/calls.ts';
import { type Ending, failsWith, SUCCEEDS } from '../kit/operations.ts';
import { type Outcome, outcomeOf } from '../kit/outcomes.ts';

/** The codes the simulator returns, with their names (checkout, table of codes; transfer, annexe). */
const NAMES: Record<string, string> = {
  ...{ '-1': 'OPERATION_ERROR', 600: 'PAYMENT_FAILED', 602: 'INSUFFICIENT_BALANCE', 603: 'SERVICE_UNAVAILABLE' },
  ...{ 608: 'MINIMUM_REQUIRED_FIELDS', 609: 'AUTH_NOT_FOUND', 623: 'WAITING_CUSTOMER_TO_VALIDATE', 624: 'ERROR_PARAMETER' },
  ...{ 625: 'ABONNEMENT_OR_TRANSACTIONS_EXPIRED', 627: 'TRANSACTION_CANCEL', 635: 'PHONE_NOT_FOUND', 641: 'AMOUNT_TOO_LOW' },
  ...{ 642: 'AMOUNT_TOO_HIGH', 662: 'WAITING_CUSTOMER_PAYMENT', 701: 'INVALID_CREDENTIALS', 704: 'INVALID_PARAM' },
  ...{ 705: 'EXPIRED_TOKEN', 706: 'INVALID_TOKEN', 719: 'AMOUNT_TOO_SMALL', 720: 'AMOUNT_TOO_LARGE', 723: 'NOT_FOUND' },
  ...{ 724: 'ERROR_PHONE_NOT_MY_CONTACT', 725: 'MISSING_NOTIFY_URL', 726: 'ERROR_PHONE_ALREADY_MY_CONTACT' },
  ...{ 801: 'INVALID_AMOUNT', 802: 'INVALID_PHONE', 804: 'OPERATOR_UNAVAILABLE', 805: 'CLIENT_TRANSACTION_ID_EXIST' },
};

/** Returns a response of the payment page, which writes codes as text. */
export function pageCode(code: number, data: unknown, status = 200): Answer {
  const message = NAMES[code] ?? 'ERROR';
  return { status, body: { code: String(code), message, description: message, data, api_response_id: '1700000000.0001' } };
}

/** Returns a response of the transfer API, which writes codes as numbers. */
export function transferCode(code: number, data: unknown = []): Answer {
  return { status: 200, body: { code, message: code === 0 ? 'OPERATION_SUCCES' : (NAMES[code] ?? 'ERROR'), data } };
}

const ENDINGS: Record<Outcome, Ending> = {
  succeeds: SUCCEEDS,
  insufficient_funds: failsWith('602'),
  declined: failsWith('600'),
  times_out: failsWith('625', 2),
  payer_refuses: failsWith('627'),
  recipient_unregistered: failsWith('REJ'),
  invalid_recipient: failsWith('REJ'),
  refund_fails: failsWith('REJ'),
};

/** Returns the result of an operation with this number. */
export function endingOf(kind: EntryKind, msisdn: string): Ending {
  return ENDINGS[outcomeOf(kind, msisdn)];
}
