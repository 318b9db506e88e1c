import { inspectBody } from '../../tenants/api/body.ts';
import { validatorOf } from '../../tenants/api/validation.ts';
import type { Environment } from '../../kit/environment.ts';
import { invalid, Problem } from '../../kit/errors.ts';
import { type ChargeBody, chargeBody } from '../../core/payments/schema.ts';
import { testCardToken } from '../../providers/adapters/sandbox/codes.ts';

/** What a payer submitted, by form or as JSON. It has no card details: a test card is replaced by its token. */
export interface Submission {
  channel: unknown;
  phone: unknown;
  account_number: unknown;
  /** Token of the test card; null when the number is not one of the designated test cards. */
  card: string | null;
  /** The answer of the authentication step of a test card. */
  authentication: unknown;
  /** One-time code from the operator. */
  otp: unknown;
  /** Id of a saved number, used instead of a typed one. */
  saved_method: unknown;
  /** The box is ticked: the number is to be saved. */
  remember: boolean;
  form_token: unknown;
}

const charges = validatorOf(chargeBody, undefined);

/**
 * Reads a body, flat as the forms send it, or with `data` and `card` as in the API.
 * @throws Problem 400 not an object, 422 raw card data in live (only the sandbox page has card fields)
 */
export function readSubmission(environment: Environment, body: unknown): Submission {
  if (!isObject(body)) throw new Problem(400, 'The body must be a form or a JSON object.');
  const fields = { ...body, ...inside(body.data), ...inside(body.card) };
  const { channel, phone, account_number, authentication, otp, saved_method, form_token } = fields;
  if (environment === 'live') refuseCards(body);
  return {
    channel: given(channel),
    phone: given(phone),
    account_number: given(account_number),
    authentication,
    otp,
    saved_method: given(saved_method),
    remember: fields.remember === '1' || fields.remember === true,
    form_token,
    card: environment === 'sandbox' ? tokenOf(fields.number ?? fields.card_number) : null,
  };
}

/**
 * Returns the submission as the body of a charge.
 * @throws Problem 422 naming `channel`, `data.phone` or `data.account_number`
 */
export function chargeOf({ channel, phone, account_number }: Submission): ChargeBody {
  const wanted = { channel, data: defined({ phone, account_number }) };
  const faults = { ...charges.body(defined(wanted)), ...inspectBody(wanted).faults };
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return wanted as ChargeBody;
}

/** Builds the 422 for a number that is not a test card. The message does not repeat the typed number. */
export function testCardRequired(): Problem {
  return invalid({ number: ['is not one of the test cards of the sandbox'] }, 'sandbox_test_card_required');
}

function refuseCards(body: object): void {
  const { cards: errors } = inspectBody(body, 'any');
  if (Object.keys(errors).length === 0) return;
  throw new Problem(422, 'Raw card data is not accepted.', { error_code: 'raw_card_data_not_accepted', errors });
}

function tokenOf(number: unknown): string | null {
  return typeof number === 'string' ? testCardToken(number) : null;
}

/** Treats an empty form field as absent. */
function given(value: unknown): unknown {
  return value === '' ? undefined : value;
}

function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function inside(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
