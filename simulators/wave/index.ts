import { createHmac } from 'node:crypto';
import { amountText } from '../kit/outcomes.ts';
import { type Answer, type Call, jsonOf, type SimulatorRoute } from '../kit/calls.ts';
import type { Kit, SimulatorKind } from '../kit/simulator.ts';
import { error, unnamed } from './codes.ts';
import { Payouts } from './payout.ts';
import { Sessions } from './collect.ts';
import { composer, WEBHOOK_SECRET } from './callback.ts';

const API_KEY = 'wave_sn_prod_simulator-of-wave-api-key';
const OPENING_MINOR = 10_000_000_000n;

/**
 * Wave's checkout, payout and balance, for one wallet of Senegal. Settings: `callback_url` (of the webhook),
 * `webhook_strategy` (`shared`: a shared secret instead of signatures), `request_signing_secret` (requests must be
 * signed).
 */
export const waveSimulator: SimulatorKind = {
  name: 'wave',
  dashboard_callbacks: true,
  credentials: (url) => ({
    ...{ api_key: API_KEY, country: 'sn', webhook_signing_secret: WEBHOOK_SECRET, base_url: url },
  }),
  wire: (kit) => {
    const sessions = new Sessions(kit);
    const payouts = new Payouts(kit);
    const route = (
      method: string,
      path: string,
      doing: SimulatorRoute['doing'],
      answer: SimulatorRoute['answer'],
    ): SimulatorRoute => ({
      ...{ method, path: `/v1${path}`, doing },
      answer: (call) => denial(kit, call) ?? (method === 'POST' ? unnamed(call) : null) ?? answer(call),
    });
    return {
      routes: [
        route('POST', '/checkout/sessions', 'create', (call) => sessions.create(call)),
        route('GET', '/checkout/sessions/search', 'read', (call) => sessions.search(call)),
        route('GET', '/checkout/sessions/:id', 'read', (call) => sessions.show(call)),
        route('POST', '/checkout/sessions/:id/expire', 'other', (call) => sessions.expire(call)),
        route('POST', '/checkout/sessions/:id/refund', 'create', (call) => sessions.refund(call)),
        route('POST', '/payout', 'create', (call) => payouts.create(call)),
        route('GET', '/payouts/search', 'read', (call) => payouts.search(call)),
        route('GET', '/balance', 'other', () => balance(kit)),
        { method: 'GET', path: '/c/:id', doing: 'other', answer: (call) => sessions.page(call) },
        { method: 'POST', path: '/c/:id', doing: 'other', answer: (call) => sessions.pay(call) },
      ],
      namesOf: (call) => [...namesIn(call), ...sessions.namesOf(call)],
      compose: composer(kit, sessions),
      answers: {
        throttled: error(429, 'too-many-requests', 'Too many requests.'),
        unauthorised: error(401, 'invalid-auth', 'The API key is not valid.'),
        broken: error(500, 'internal-server-error', 'An error occurred.'),
        missing: error(404, 'not-found', 'There is no such address.'),
      },
    };
  },
};

/**
 * Returns the response that rejects a call, or null. A call needs the API key, and a signature where the settings
 * require one.
 */
function denial({ settings, options }: Kit, { headers, body }: Call): Answer | null {
  if (!headers.authorization) return error(401, 'missing-auth-header', 'The Authorization header is missing.');
  if (headers.authorization !== `Bearer ${API_KEY}`) return error(401, 'no-matching-api-key', 'There is no such API key.');
  const secret = settings.get('request_signing_secret');
  if (!secret) return null;
  const [, t, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['wave-signature'])) ?? [];
  const expected = createHmac('sha256', secret)
    .update(`${t}${body.toString('utf8')}`)
    .digest('hex');
  const age_s = Math.floor(options.now() / 1_000) - Number(t);
  return mac === expected && age_s <= 300 && age_s >= -30 ? null : error(401, 'invalid-auth', 'The signature is not valid.');
}

/** Returns the keys and numbers of a request itself. */
function namesIn(call: Call): string[] {
  const { client_reference, mobile, restrict_payer_mobile } = jsonOf(call) ?? {};
  const names = [client_reference, mobile, restrict_payer_mobile, call.headers['idempotency-key']];
  return [...names, call.query.get('client_reference')].filter((name) => typeof name === 'string');
}

function balance({ book }: Kit): Answer {
  const moved = book
    .moved()
    .reduce((sum, { kind, amount_minor }) => sum + (kind === 'collect' ? amount_minor : -amount_minor), OPENING_MINOR);
  return { status: 200, body: { amount: amountText(moved, 0), currency: 'XOF' } };
}
