import { type Answer, type Call, jsonOf, type SimulatorRoute } from '../kit/calls.ts';
import { amountText } from '../kit/outcomes.ts';
import type { Kit, SimulatorKind } from '../kit/simulator.ts';
import { Access, FIRST_USER, type Product, PRODUCTS, SUBSCRIPTION_KEYS, UNAUTHORISED } from './access.ts';
import { activityOf, error } from './codes.ts';
import { compose, CURRENCIES, orderRoutes } from './orders.ts';

const TOKEN_SECONDS = 3_600;
/** Initial balance of each float. */
const OPENING_MINOR = 10_000_000_000n;

/**
 * The MTN MoMo Open API: collection and disbursement, v1_0. Settings: `token_seconds` (lifetime of tokens) and
 * `reason_as` (`object` or `text`).
 */
export const mtnMomoSimulator: SimulatorKind = {
  name: 'mtn-momo',
  credentials: (url) => ({
    api_user: FIRST_USER.id,
    api_key: FIRST_USER.key,
    collection_subscription_key: SUBSCRIPTION_KEYS.collection,
    disbursement_subscription_key: SUBSCRIPTION_KEYS.disbursement,
    target_environment: 'mtncameroon',
    base_url: url,
  }),
  wire: (kit) => {
    const access = new Access(() => Number(kit.settings.get('token_seconds') ?? TOKEN_SECONDS));
    return {
      routes: [
        ...access.routes(),
        ...orderRoutes(kit, access),
        ...PRODUCTS.flatMap((product) => accountRoutes(kit, access, product)),
      ],
      namesOf,
      compose: (entry, content) => compose(kit, entry, content),
      answers: {
        throttled: {
          status: 429,
          headers: { 'retry-after': '1' },
          body: { statusCode: 429, message: 'Rate limit is exceeded.' },
        },
        unauthorised: UNAUTHORISED,
        broken: error(500, 'INTERNAL_PROCESSING_ERROR'),
        missing: { status: 404, body: { statusCode: 404, message: 'Resource not found' } },
      },
    };
  },
};

/** Returns the reference and the number of a request. */
function namesOf(call: Call): string[] {
  const fields = jsonOf(call) ?? {};
  const party = (fields.payer ?? fields.payee ?? {}) as { partyId?: unknown };
  return [call.headers['x-reference-id'], call.params.id, party.partyId].filter((name) => typeof name === 'string');
}

function accountRoutes(kit: Kit, access: Access, product: Product): SimulatorRoute[] {
  const route = (path: string, answer: (call: Call) => Answer): SimulatorRoute => ({
    ...{ method: 'GET', path: `/${product}/v1_0${path}`, doing: 'other' },
    answer: (call) => {
      const caller = access.callerOf(call, product);
      return 'answer' in caller ? caller.answer : answer(call);
    },
  });
  return [
    route('/account/balance', (call) => balance(kit, product, String(call.headers['x-target-environment']))),
    route('/accountholder/msisdn/:msisdn/active', (call) => activityOf(call.params.msisdn ?? '')),
    route('/accountholder/msisdn/:msisdn/basicuserinfo', () => ({
      status: 200,
      body: {
        given_name: 'Awa',
        family_name: 'Ngono',
        birthdate: '1990-01-01',
        locale: 'fr',
        gender: 'female',
        status: 'ACTIVE',
      },
    })),
  ];
}

/** Returns the balance of a product. Collections increase one float; payouts and refunds decrease the other. */
function balance({ book }: Kit, product: Product, target_environment: string): Answer {
  const currency = CURRENCIES[target_environment];
  if (!currency) return error(500, 'NOT_ALLOWED_TARGET_ENVIRONMENT');
  const sums = book.moved().filter((sum) => sum.currency === currency && (sum.kind === 'collect') === (product === 'collection'));
  const moved = sums.reduce((total, { amount_minor }) => total + amount_minor, 0n);
  const available = product === 'collection' ? OPENING_MINOR + moved : OPENING_MINOR - moved;
  return { status: 200, body: { availableBalance: amountText(available, available % 100n === 0n ? 0 : 2), currency } };
}
