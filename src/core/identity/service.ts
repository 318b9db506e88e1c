import { checkDestination, payoutChannel, readDestination } from '../beneficiaries/destination.ts';
import { type FieldErrors, invalid } from '../../kit/errors.ts';
import type { ResolveBody } from './schema.ts';

/** Last six digits of numbers without an account holder. Every other number of the sandbox has one. */
const UNKNOWN = new Set(['000002', '000003']);

const NAME = 'Sandbox Account Holder';

/** Validates what the schema cannot express. {@link resolveIdentity} reports an unknown channel. The body may not fit the schema. */
export function checkResolve(body: ResolveBody): FieldErrors {
  return checkDestination(body);
}

/**
 * Returns the account holder of a phone or account number. In the sandbox the last six digits determine whether there is one.
 * @throws Problem 422
 */
export function resolveIdentity(body: ResolveBody) {
  const channel = payoutChannel(body.channel, 'channel');
  const errors: FieldErrors = {};
  const destination = readDestination(channel, body, '', errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const number = channel.kind === 'bank' ? destination.account_number : destination.phone;
  const resolved = !UNKNOWN.has((number ?? '').slice(-6));
  return {
    resolved,
    name: resolved ? NAME : null,
    channel: channel.id,
    ...destination,
    bank_code: body.bank_code ?? null,
    country: channel.country,
    sandbox: true,
  };
}
