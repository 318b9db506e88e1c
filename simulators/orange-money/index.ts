import { type Call, jsonOf, type SimulatorRoute } from '../kit/calls.ts';
import type { Kit, SimulatorKind } from '../kit/simulator.ts';
import { Access, UNAUTHORISED } from './access.ts';
import { error, Orders } from './collect.ts';

const CLIENT = { id: 'twin-of-orange-client-id', secret: 'twin-of-orange-client-secret' };
/** Ninety days. Orange writes the number as a text. */
const TOKEN_SECONDS = '7776000';

/** Orange Money Web Payment. Setting: `token_seconds` (lifetime of tokens). */
export const orangeMoneySimulator: SimulatorKind = {
  name: 'orange-money',
  credentials: (url) => ({
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    merchant_key: 'twin-of-orange-merchant-key',
    country: 'cm',
    base_url: url,
  }),
  wire: (kit: Kit) => {
    const access = new Access(CLIENT, () => kit.settings.get('token_seconds') ?? TOKEN_SECONDS);
    const orders = new Orders(kit, 'twin-of-orange-merchant-key');
    const route = (
      method: string,
      path: string,
      doing: SimulatorRoute['doing'],
      answer: SimulatorRoute['answer'],
    ): SimulatorRoute => ({
      ...{ method, path, doing },
      answer: (call) => access.denial(call) ?? answer(call),
    });
    return {
      routes: [
        access.route('/oauth/v3/token'),
        route('POST', '/orange-money-webpay/:cc/v1/webpayment', 'create', (call) => orders.create(call)),
        route('POST', '/orange-money-webpay/:cc/v1/transactionstatus', 'read', (call) => orders.show(call)),
        { method: 'GET', path: '/payment/pay_token/:token', doing: 'other', answer: (call) => orders.page(call) },
        { method: 'POST', path: '/payment/pay_token/:token', doing: 'other', answer: (call) => orders.pay(call) },
      ],
      namesOf,
      compose: (entry, content) => orders.compose(entry, content),
      answers: {
        throttled: error(429, 53, 'Too many requests'),
        unauthorised: UNAUTHORISED,
        broken: error(500, 1, 'Internal error'),
        missing: error(404, 60, 'Resource not found'),
      },
    };
  },
};

function namesOf(call: Call): string[] {
  const order_id = jsonOf(call)?.order_id;
  return typeof order_id === 'string' ? [order_id] : [];
}
