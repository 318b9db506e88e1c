import { type Call, jsonOf, type SimulatorRoute } from '../kit/calls.ts';
import type { SimulatorKind } from '../kit/simulator.ts';
import { composeForm, Pages, SITE } from './collect.ts';
import { pageCode } from './codes.ts';
import { composeTransfer, entryIn, PASSWORD, transferRoutes } from './payout.ts';

/** CinetPay, Checkout v2 and Transfer v1, both at one address. */
export const cinetpaySimulator: SimulatorKind = {
  name: 'cinetpay',
  credentials: (url) => ({
    ...{ ...SITE, currency: 'XAF', transfer_password: PASSWORD, contact_email: 'payouts@shop.example', base_url: url },
  }),
  wire: (kit) => ({
    routes: [...pageRoutes(new Pages(kit)), ...transferRoutes(kit)],
    namesOf,
    compose: (entry, content) => {
      if (entry.callback_url === null) return null;
      return entry.kind === 'payout' ? composeTransfer(entry, content) : composeForm(entry, content);
    },
    answers: {
      throttled: { status: 429, headers: { 'retry-after': '1' }, body: 'error code: 1015' },
      unauthorised: { status: 401, body: { code: 705, message: 'EXPIRED_TOKEN', data: [] } },
      broken: pageCode(-1, [], 500),
      missing: { status: 404, body: { message: 'Not Found' } },
    },
  }),
};

function pageRoutes(pages: Pages): SimulatorRoute[] {
  return [
    { method: 'POST', path: '/v2/payment', doing: 'create', answer: (call) => pages.open(call) },
    { method: 'POST', path: '/v2/payment/check', doing: 'read', answer: (call) => pages.check(call) },
    { method: 'GET', path: '/payment/:token', doing: 'other', answer: (call) => pages.show(call) },
    { method: 'POST', path: '/payment/:token', doing: 'other', answer: (call) => pages.pay(call) },
  ];
}

/** Returns our key, from any of the places it can be in. */
function namesOf(call: Call): string[] {
  const names = [jsonOf(call)?.transaction_id, entryIn(call)?.client_transaction_id, call.query.get('client_transaction_id')];
  return names.filter((name) => typeof name === 'string');
}
