import { randomUUID } from 'node:crypto';
import { type Answer, type Call, jsonOf, type SimulatorRoute } from '../kit/calls.ts';
import type { Kit, SimulatorKind } from '../kit/simulator.ts';
import { APP, compose, entryOf, fault, push, query } from './collect.ts';

const TOKEN_SECONDS = 3_599;
const UNAUTHORISED = fault(404, '404.001.03', 'Invalid Access Token');
const BASIC = `Basic ${Buffer.from(`${APP.consumer_key}:${APP.consumer_secret}`).toString('base64')}`;

/** M-Pesa of Safaricom: prompts and status queries. */
export const mpesaDarajaSimulator: SimulatorKind = {
  name: 'mpesa-daraja',
  credentials: (url) => ({ ...APP, base_url: url }),
  wire: (kit) => ({
    routes: routes(kit),
    namesOf: (call) => namesOf(kit, call),
    compose,
    answers: {
      throttled: fault(500, '500.003.02', 'System is busy. Please try again in few minutes: spike arrest violation'),
      unauthorised: UNAUTHORISED,
      broken: {
        status: 503,
        body: { fault: { faultstring: 'The Service is temporarily unavailable', detail: { errorcode: 'messaging.adaptors' } } },
      },
      missing: { status: 404, body: { fault: { faultstring: 'Unable to identify proxy' } } },
    },
  }),
};

function routes(kit: Kit): SimulatorRoute[] {
  const tokens = new Map<string, number>();
  const route = (
    path: string,
    doing: SimulatorRoute['doing'],
    answer: (call: Call) => Answer | Promise<Answer>,
  ): SimulatorRoute => ({
    ...{ method: 'POST', path, doing },
    answer: (call) => {
      const token = /^Bearer (\S+)$/.exec(call.headers.authorization ?? '')?.[1] ?? '';
      return (tokens.get(token) ?? 0) > Date.now() ? answer(call) : UNAUTHORISED;
    },
  });
  return [
    { method: 'GET', path: '/oauth/v1/generate', doing: 'other', answer: (call) => mint(tokens, call) },
    route('/mpesa/stkpush/v1/processrequest', 'create', (call) => push(kit, call)),
    route('/mpesa/stkpushquery/v1/query', 'read', (call) => query(kit, call)),
  ];
}

function mint(tokens: Map<string, number>, { headers, query }: Call): Answer {
  if (query.get('grant_type') !== 'client_credentials') return fault(400, '400.008.02', 'Invalid grant type passed');
  if (headers.authorization !== BASIC) return fault(400, '400.008.01', 'Invalid Authentication passed');
  const access_token = randomUUID();
  tokens.set(access_token, Date.now() + TOKEN_SECONDS * 1_000);
  return { status: 200, body: { access_token, expires_in: String(TOKEN_SECONDS) } };
}

/** Returns our reference and the number, also where the request contains only Safaricom's own id. */
function namesOf(kit: Kit, call: Call): string[] {
  const { AccountReference, PhoneNumber, CheckoutRequestID } = jsonOf(call) ?? {};
  const key = CheckoutRequestID === undefined ? undefined : entryOf(kit, CheckoutRequestID)?.key;
  return [AccountReference, PhoneNumber, key].filter((name) => typeof name === 'string');
}
