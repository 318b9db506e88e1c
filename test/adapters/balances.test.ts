import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cinetpay } from '../../src/providers/adapters/cinetpay/index.ts';
import type { Connector } from '../../src/providers/adapters/connector.ts';
import { flutterwave } from '../../src/providers/adapters/flutterwave/index.ts';
import { mtnMomo } from '../../src/providers/adapters/mtn-momo/index.ts';
import { pawapay } from '../../src/providers/adapters/pawapay/index.ts';
import { wave } from '../../src/providers/adapters/wave/index.ts';
import { answered, stubOf } from './wire-stub.ts';

type Wallet = readonly [currency: string, amount: unknown];

/** Each provider with its response to a query of the balance, of one or of all wallets. */
const BALANCES: readonly (readonly [Connector, Record<string, string>, (wallets: readonly Wallet[]) => unknown])[] = [
  [
    flutterwave,
    { secret_key: 'FLWSECK-k', secret_hash: 'h', customer_email: 'a@shop.example' },
    (wallets) => ({ status: 'success', data: wallets.map(([currency, available_balance]) => ({ currency, available_balance })) }),
  ],
  [
    pawapay,
    { api_token: 't' },
    (wallets) => ({ balances: wallets.map(([currency, balance]) => ({ country: 'CMR', currency, balance })) }),
  ],
  [wave, { api_key: 'k', country: 'sn' }, ([wallet]) => ({ currency: wallet?.[0], amount: wallet?.[1] })],
  [
    mtnMomo,
    { api_user: 'u', api_key: 'k', collection_subscription_key: 'c', target_environment: 'mtncameroon' },
    ([wallet]) => ({ access_token: 't', expires_in: 3600, currency: wallet?.[0], availableBalance: wallet?.[1] }),
  ],
  [
    cinetpay,
    { apikey: 'k', site_id: '1', secret_key: 's', currency: 'XAF', transfer_password: 'p' },
    ([wallet]) => ({ code: 0, data: { token: 't', available: wallet?.[1] } }),
  ],
];

for (const [connector, credentials, responseOf] of BALANCES) {
  const read = async (...wallets: Wallet[]) => {
    const { provider } = stubOf(connector, credentials, () => answered(200, responseOf(wallets)));
    const reading = await provider.balance?.();
    return reading?.kind === 'held'
      ? reading.floats.map(({ currency, amount_minor }) => [currency, amount_minor])
      : reading?.kind;
  };

  for (const [amount, minor] of [
    [1000.5, 1000_50n],
    [-1000.5, -1000_50n],
    ['-25000', -25_000_00n],
    ['12.345', 12_34n],
    ['-12.345', -12_35n],
    [0.1 + 0.2, 30n],
  ] as const) {
    test(`${connector.name}: a balance of ${amount} is ${minor} hundredths, rounded down`, async () => {
      assert.deepEqual(await read(['XAF', amount]), [['XAF', minor]]);
    });
  }

  test(`${connector.name}: a balance without a legible amount makes the reading unreadable`, async () => {
    for (const amount of ['much', undefined, null, '1e3', '--1', '1,000', {}]) {
      assert.equal(await read(['XAF', amount]), 'unreadable', String(amount));
    }
  });
}

for (const [connector, credentials, responseOf] of BALANCES.slice(0, 2)) {
  test(`${connector.name}: one illegible wallet hides none, and one in an unknown currency is omitted`, async () => {
    const read = (...wallets: Wallet[]) =>
      stubOf(connector, credentials, () => answered(200, responseOf(wallets))).provider.balance?.();
    assert.equal((await read(['XAF', '1'], ['XOF', 'much']))?.kind, 'unreadable');
    const reading = await read(['XAF', '1'], ['QQQ', 'much'], ['x', '1']);
    assert.deepEqual(reading?.kind === 'held' && reading.floats.map(({ currency }) => currency), ['XAF']);
  });
}
