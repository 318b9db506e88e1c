import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { type Api, FakeClock, type Merchant, startApi, until } from '../setup/api.ts';
import { type PayOptions, paid, paymentIn } from '../setup/pay.ts';
import { Registry } from '../setup/providers.ts';

/** Refunds of split payments in live, where nothing is advanced: they need no money that a party has not received, but for the fee. */
let api: Api;
let clock: FakeClock;
before(async () => {
  clock = new FakeClock();
  const provider = sandboxProvider({ clock, delay_ms: 0 });
  api = await startApi({ clock, providers: new Registry({ sandbox: [provider], live: [provider] }) });
});
after(() => api.stop());

interface Market {
  merchant: Merchant;
  account: string;
  /** A payment of 10,000 that is split with the account, of which the platform gets a tenth. */
  sell(options?: PayOptions): Promise<string>;
  refund(payment: string, amount?: number): Promise<void>;
  books(): Promise<Record<string, number>>;
}

async function market(): Promise<Market> {
  const merchant = await api.newMerchant({ verification_level: 4, plan: 'unlimited' });
  const key = merchant.live.secret;
  const body = { name: 'Boutique', email: 'b@shop.example', split: { type: 'percentage', value: 10 } };
  const account: string = (await api.call('POST', '/accounts', { key, body })).body.account.id;
  return {
    merchant,
    account,
    sell: (options) => paid(api, { key, amount: 10_000, headers: { 'x-sync': account }, ...options }),
    async refund(payment, amount) {
      const wanted = { payment, reason: 'duplicate', ...(amount === undefined ? {} : { amount }) };
      assert.equal((await api.call('POST', '/refunds', { key, body: wanted })).status, 201);
      await paymentIn(api, payment, [amount === undefined ? 'refunded' : 'partially_refunded'], { key });
    },
    async books() {
      const all = await readBalances(api.deps.stores.live.db, merchant.team.id, 'XAF');
      return Object.fromEntries([...all].filter(([, minor]) => minor !== 0n).map(([name, minor]) => [name, Number(minor) / 100]));
    },
  };
}

test('a full refund of a split payment goes through while the platform has the fee; the account gives what it received', async () => {
  const { account, sell, refund, books } = await market();
  await sell({ headers: {} });
  clock.advance(24 * 3_600_000);
  await until(books, ({ available }) => available === 9_800);
  const payment = await sell();
  assert.equal((await books())[`pending:${account}`], 8_820);
  await refund(payment);
  assert.deepEqual(await books(), { available: 9_600, clearing: -10_000, fee_income: 400 });
});

test('a full refund beside a fee that the customer paid needs no other money', async () => {
  const { sell, refund, books } = await market();
  await refund(await sell({ bearer: 'customer' }));
  assert.deepEqual(await books(), { clearing: -200, fee_income: 200 });
});

test('a refund of a half and a chargeback of the rest take from the account what it received, and the fee from the team', async () => {
  for (const bearer of ['merchant', 'customer'] as const) {
    const { merchant, sell, refund, books } = await market();
    const payment = await sell({ bearer });
    await refund(payment, 5_000);
    await openDispute(api.deps, api.deps.stores.live, { team_id: merchant.team.id, payment_id: payment, reason: 'fraudulent' });
    const { credit, ...rest } = await books();
    assert.equal(credit, -200);
    assert.deepEqual(
      Object.keys(rest).filter((name) => /^(pending|available|credit)/.test(name)),
      [],
    );
  }
});
