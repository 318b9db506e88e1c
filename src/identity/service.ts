import { payoutChannel, readDestination } from '../beneficiaries/destination.ts';
import { type FieldErrors, invalid } from '../kit/errors.ts';
import type { ResolveBody } from './schema.ts';

/** Last six digits of numbers that nobody holds; every other number of the sandbox is held. */
const UNKNOWN = new Set(['000002', '000003']);

const NAME = 'Sandbox Account Holder';

/**
 * Who holds a number or account: in the sandbox its last six digits say whether anybody does.
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
