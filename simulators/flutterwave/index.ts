import type { Entry } from '../kit/book.ts';
import type { CallbackRequest, CallbackContent } from '../kit/callbacks.ts';
import { type Answer, type Call, jsonOf, type SimulatorRoute } from '../kit/calls.ts';
import type { Kit, SimulatorKind } from '../kit/simulator.ts';
import { createCharge, listCharges, presentCharge, verify } from './collect.ts';
import { Pages } from './page.ts';
import { createTransfer, listTransfers, presentTransfer, showTransfer } from './payout.ts';
import { createRefund, showRefund } from './refund.ts';
import { rejection, success } from './codes.ts';

const SECRET_KEY = 'FLWSECK_TEST-twin-of-flutterwave-X';
const SECRET_HASH = 'twin-of-flutterwave-secret-hash';
const UNAUTHORISED = rejection(401, 'Invalid authorization key');
/** Initial balance of each wallet. */
const OPENING_MINOR = 10_000_000_000n;
const CURRENCIES = ['XAF', 'XOF', 'NGN', 'GHS', 'KES', 'UGX', 'RWF', 'TZS', 'ZMW', 'ZAR', 'USD', 'EUR', 'GBP'];

/**
 * Flutterwave v3: hosted page, mobile money, bank transfer, transfers and refunds. An account opened for a payment is
 * paid into after the default delay. Settings: `callback_url` (the webhook of the dashboard), `page_options` (see
 * `page.ts`), `verified` (`first`: a query by tx_ref returns the first transaction, even if a later one was paid).
 */
export const flutterwaveSimulator: SimulatorKind = {
  name: 'flutterwave',
  dashboard_callbacks: true,
  credentials: (url) => ({
    ...{ secret_key: SECRET_KEY, secret_hash: SECRET_HASH, customer_email: 'payments@shop.example' },
    ...{ sender_name: 'Shop', sender_country: 'KE', sender_phone: '254700000000' },
    base_url: url,
  }),
  wire: (kit) => ({
    routes: routes(kit),
    namesOf: (call) => namesOf(kit, call),
    compose: (entry, content) => compose(kit, entry, content),
    answers: {
      throttled: { ...rejection(429, 'Too many requests'), headers: { 'retry-after': '1' } },
      unauthorised: UNAUTHORISED,
      // The response of its gateway after 28 seconds. By the documentation, it does not mean a failure.
      broken: rejection(503, 'An error occurred. Please contact support'),
      missing: rejection(404, 'Cannot find this route'),
    },
  }),
};

function routes(kit: Kit): SimulatorRoute[] {
  const pages = new Pages(kit);
  const route = (
    method: string,
    path: string,
    doing: SimulatorRoute['doing'],
    answer: (call: Call) => Answer | Promise<Answer>,
  ): SimulatorRoute => ({
    ...{ method, path: `/v3${path}`, doing },
    answer: (call) => (call.headers.authorization === `Bearer ${SECRET_KEY}` ? answer(call) : UNAUTHORISED),
  });
  return [
    route('POST', '/payments', 'create', (call) => pages.open(call)),
    { method: 'GET', path: '/v3/hosted/pay/:id', doing: 'other', answer: (call) => pages.show(call) },
    { method: 'POST', path: '/v3/hosted/pay/:id', doing: 'other', answer: (call) => pages.pay(call) },
    route('POST', '/charges', 'create', (call) => createCharge(kit, call)),
    route('GET', '/transactions/verify_by_reference', 'read', ({ query }) => verify(kit, query.get('tx_ref') ?? '')),
    route('GET', '/transactions', 'read', (call) => listCharges(kit, call)),
    route('POST', '/transactions/:id/refund', 'create', (call) => createRefund(kit, call)),
    route('GET', '/refunds/:id', 'read', ({ params }) => showRefund(kit, params.id ?? '')),
    route('POST', '/transfers', 'create', (call) => createTransfer(kit, call)),
    route('GET', '/transfers', 'read', ({ query }) => listTransfers(kit, query.get('reference'))),
    route('GET', '/transfers/:id', 'read', ({ params }) => showTransfer(kit, params.id ?? '')),
    route('GET', '/balances', 'other', () => balances(kit)),
  ];
}

/** Returns our references and the numbers of a request, also where the address contains only Flutterwave's own id. */
function namesOf({ book }: Kit, call: Call): string[] {
  const fields = jsonOf(call) ?? {};
  const id = call.method === 'GET' ? call.params.id : undefined;
  const key = id === undefined ? undefined : book.entries().find(({ ref }) => ref === id)?.key;
  const names = [fields.tx_ref, fields.reference, fields.comments, fields.phone_number, fields.account_number];
  return [...names, call.query.get('tx_ref'), call.query.get('reference'), key].filter((name) => typeof name === 'string');
}

function balances({ book }: Kit): Answer {
  const balances = CURRENCIES.map((currency) => {
    const sums = book.moved().filter((sum) => sum.currency === currency);
    const held = sums.reduce(
      (total, { kind, amount_minor }) => total + (kind === 'collect' ? amount_minor : -amount_minor),
      OPENING_MINOR,
    );
    return { currency, available_balance: Number(held) / 100, ledger_balance: Number(held) / 100 };
  });
  return success('Wallet balances fetched', balances);
}

/** Composes a webhook. The secret hash does not cover the body. Failed mobile money and refunds have no webhook. */
function compose({ settings }: Kit, entry: Entry, { stage, amount_minor, forged }: CallbackContent): CallbackRequest | null {
  const url = entry.kind === 'payout' ? (entry.callback_url ?? settings.get('callback_url')) : settings.get('callback_url');
  if (!url || entry.kind === 'refund') return null;
  const isSilent = entry.kind === 'collect' && entry.state === 'failed' && entry.wire.payment_type !== 'card';
  if (isSilent && !forged) return null;
  const state = stage === 'interim' ? 'pending' : entry.state;
  const transfer = { pending: 'PENDING', succeeded: 'SUCCESSFUL', failed: 'FAILED' }[state];
  const content =
    entry.kind === 'payout'
      ? { event: 'transfer.completed', 'event.type': 'Transfer', data: presentTransfer(entry, transfer, amount_minor) }
      : { event: 'charge.completed', data: presentCharge(entry, state, amount_minor) };
  return {
    ...{ method: 'POST', url, body: JSON.stringify(content) },
    headers: { 'content-type': 'application/json', 'verif-hash': forged ? 'not-the-hash' : SECRET_HASH },
  };
}
