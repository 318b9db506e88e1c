import type { Answer } from '../kit/calls.ts';
import { minorOf } from '../kit/outcomes.ts';
import { isWhole, marketOfNumber, MIN_AMOUNT, type Operator, operatorOf } from './channels.ts';

/** An error response, or the validated value. */
export type Checked<T> = { answer: Answer } | { value: T };

/** Last six digits of numbers that are rejected immediately, before anything is created. */
const REJECTED_SUFFIX = '000005';
const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Returns the reason of a failure in pawaPay's format. */
export function failure(failureCode: string, failureMessage: string) {
  return { failureReason: { failureCode, failureMessage } };
}

/** Returns a 400 for an invalid request. */
export function badRequest(code: string, message: string): Answer {
  return { status: 400, body: failure(code, message) };
}

/** Returns a 200 for a valid request that is rejected. */
export function rejected(id_field: string, id: unknown, code: string, message: string): Answer {
  return { status: 200, body: { [id_field]: id, status: 'REJECTED', ...failure(code, message) } };
}

/** Validates the fields of a request: none missing, none unknown, and an id that is a UUID of version 4. */
export function checkFields(
  body: Record<string, unknown> | null,
  id_field: string,
  needed: readonly string[],
  optional: readonly string[],
): Answer | null {
  if (!body) return badRequest('INVALID_INPUT', 'We were unable to parse the payload of the request.');
  const missing = [id_field, ...needed].find((field) => body[field] === undefined);
  if (missing) return badRequest('MISSING_PARAMETER', `The ${missing} parameter is missing.`);
  const unknown = Object.keys(body).find((field) => ![id_field, ...needed, ...optional].includes(field));
  if (unknown) return badRequest('UNSUPPORTED_PARAMETER', `The ${unknown} parameter is not supported.`);
  const id = body[id_field];
  if (typeof id !== 'string' || !UUID4.test(id)) return badRequest('INVALID_PARAMETER', `The ${id_field} must be a UUIDv4.`);
  const { customerMessage, metadata } = body;
  if (customerMessage !== undefined && !/^[A-Za-z0-9 ]{4,22}$/.test(String(customerMessage))) {
    return badRequest('INVALID_PARAMETER', 'The customerMessage must be 4 to 22 alphanumeric characters.');
  }
  if (metadata !== undefined && !(Array.isArray(metadata) && metadata.length <= 10)) {
    return badRequest('INVALID_PARAMETER', 'The metadata must be a list of at most 10 items.');
  }
  return null;
}

/** Validates the payer or recipient: a wallet of an operator. */
export function checkParty(party: unknown, id_field: string, id: unknown): Checked<{ operator: Operator; msisdn: string }> {
  const { type, accountDetails } = (party ?? {}) as Record<string, unknown>;
  const { phoneNumber, provider } = (accountDetails ?? {}) as Record<string, unknown>;
  if (type !== 'MMO' || typeof phoneNumber !== 'string') {
    return { answer: badRequest('INVALID_PARAMETER', 'The account must be of type MMO.') };
  }
  const operator = operatorOf(provider);
  if (!operator) return { answer: rejected(id_field, id, 'INVALID_PROVIDER', `The provider ${provider} is not known.`) };
  if (marketOfNumber(phoneNumber)?.country !== operator.country || phoneNumber.endsWith(REJECTED_SUFFIX)) {
    return { answer: rejected(id_field, id, 'INVALID_PHONE_NUMBER', `The phone number ${phoneNumber} is not valid.`) };
  }
  return { value: { operator, msisdn: phoneNumber } };
}

/** Validates an amount by the operator's rules. */
export function checkAmount(
  { amount, currency }: Record<string, unknown>,
  operator: Operator,
  id_field: string,
  id: unknown,
): Checked<{ amount_minor: bigint; currency: string }> {
  const reject = (code: string, message: string) => ({ answer: rejected(id_field, id, code, message) });
  if (typeof amount !== 'string') return { answer: badRequest('INVALID_PARAMETER', 'The amount must be a string.') };
  if (typeof currency !== 'string' || !operator.currencies.includes(currency)) {
    return reject('INVALID_CURRENCY', `The currency ${currency} is not supported with ${operator.provider}.`);
  }
  const amount_minor = minorOf(amount);
  if (amount_minor === null || (isWhole(operator, currency) && amount.includes('.'))) {
    return reject('INVALID_AMOUNT', `The amount ${amount} is not valid.`);
  }
  if (amount_minor < BigInt(MIN_AMOUNT) * 100n || amount_minor > BigInt(operator.max) * 100n) {
    return reject('AMOUNT_OUT_OF_BOUNDS', `The amount needs to be more than ${MIN_AMOUNT} and less than ${operator.max}.`);
  }
  return { value: { amount_minor, currency } };
}
