import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { CONNECTORS } from '../../src/providers/adapters/catalogue.ts';
import { CHANNELS } from '../../src/providers/reference/channels.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';

/** What a team could have an account for: the credentials of the simulator, in each currency or market an account serves. */
const VARIANTS: Record<string, Record<string, string>[]> = {
  'mtn-momo': [{ target_environment: 'mtncameroon' }, { target_environment: 'mtnivorycoast' }],
  cinetpay: [{ currency: 'XAF' }, { currency: 'XOF' }],
  'orange-money': [{ country: 'CM' }, { country: 'CI' }, { country: 'SN' }],
};

/** The providers that collect on each channel, by its id and currency. */
function routesByChannel(): Map<string, Set<string>> {
  const routes = new Map<string, Set<string>>();
  for (const connector of CONNECTORS) {
    const simulator = SIMULATORS.find(({ name }) => name === connector.name) ?? assert.fail(`${connector.name} has no simulator`);
    for (const variant of VARIANTS[connector.name] ?? [{}]) {
      const credentials = { ...simulator.credentials('http://127.0.0.1:9'), ...variant };
      const provider = connector.connect(
        { id: 'pa_test', environment: 'live', credentials },
        {
          send: async () => ({ kind: 'failed', error: 'refused', sent: false, detail: '', duration_ms: 0 }),
          clock: { now: () => 0 },
          log: createLog({ level: 'silent', format: 'json' }),
        },
      );
      for (const { channel, currency, operations } of provider.offers() ?? []) {
        if (!operations.includes('collect')) continue;
        const key = `${channel} ${currency}`;
        routes.set(key, (routes.get(key) ?? new Set()).add(connector.name));
      }
    }
  }
  return routes;
}

const routes = routesByChannel();
const providersOf = (id: string, currency: string) => [...(routes.get(`${id} ${currency}`) ?? [])];

/** Expresso is the smallest wallet of Senegal: one provider serves it. */
const ONE_ROUTE = ['sn.expresso'];

test('every wallet of Cameroon, Côte d’Ivoire and Senegal has at least two routes', () => {
  const wallets = CHANNELS.filter(({ kind, country }) => kind === 'mobile_money' && ['CM', 'CI', 'SN'].includes(country));
  assert.ok(wallets.length >= 10);
  const thin = wallets.filter(({ id, currencies }) => providersOf(id, currencies[0] as string).length < 2);
  assert.deepEqual(
    thin.map(({ id }) => id),
    ONE_ROUTE,
  );
  for (const id of ONE_ROUTE) assert.equal(providersOf(id, 'XOF').length, 1);
});

test('cards of Cameroon, Côte d’Ivoire and Senegal have at least one route', () => {
  const cards = CHANNELS.filter(({ kind, country }) => kind === 'card' && ['CM', 'CI', 'SN'].includes(country));
  for (const { id, currencies } of cards) assert.ok(providersOf(id, currencies[0] as string).length >= 1, id);
});

test('M-Pesa of Kenya has three routes, and every offer of a provider is a known channel and currency', () => {
  assert.deepEqual(providersOf('ke.mpesa', 'KES').sort(), ['flutterwave', 'mpesa-daraja', 'pawapay']);
  const known = new Set(CHANNELS.flatMap(({ id, currencies }) => currencies.map((currency) => `${id} ${currency}`)));
  assert.deepEqual(
    [...routes.keys()].filter((key) => !known.has(key)),
    [],
  );
});
