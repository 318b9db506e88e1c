import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { must } from '../../src/kit/errors.ts';
import { Market, type Shop } from '../setup/market.ts';
import { SimulatedProvider } from '../setup/simulated-provider.ts';

/** Payouts and refunds that their provider took although it says that it did not. What it calls back about is read before it is sent again. */
let market: Market;
before(async () => {
  market = await Market.open({ HOLD_MOBILE_MONEY: '0s' });
});
after(() => market.api.stop());

async function newShop(): Promise<Shop> {
  const shop = await market.shop('live', new SimulatedProvider(`away-${Math.random()}`));
  await shop.paid({ amount: 10_000 });
  return shop;
}

const CLOSED = { kind: 'unavailable', message: 'closed' } as const;
const EMPTY = { kind: 'unfunded', message: 'the float is empty' } as const;

/** An interface for payouts or refunds whose provider takes what is sent, and says otherwise. */
interface Payments<A> {
  submit(asked: A): Promise<{ kind: string }>;
  read(asked: A): Promise<{ kind: string }>;
}

type News = 'before' | 'after';

/**
 * Has the provider take what is sent and say `as`, in its answer or to the first read.
 * @param news when it calls back: before that is stored, or not by itself
 * @param keyOf by which the provider knows what it is asked about
 * @returns how often something was sent
 */
function takeSilently<A>(
  shop: Shop,
  payments: Payments<A>,
  as: { kind: 'unavailable' | 'unfunded' | 'not_found' },
  news: News,
  keyOf: (asked: A) => string,
) {
  const [submit, read] = [payments.submit.bind(payments), payments.read.bind(payments)];
  let sent = 0;
  const answer = async (asked: A) => {
    if (news === 'before') await shop.callBack(keyOf(asked));
    return as;
  };
  payments.submit = async (asked) => {
    sent += 1;
    await submit(asked);
    return as === CLOSED ? answer(asked) : { kind: 'pending', provider_ref: null, poll_after_ms: 1_000 };
  };
  if (as !== CLOSED)
    payments.read = async (asked) => {
      payments.read = read;
      return answer(asked);
    };
  return () => sent;
}

for (const as of [CLOSED, EMPTY])
  for (const news of ['before', 'after'] as const) {
    test(`a payout about which its provider calls back ${news} "${as.kind}" is stored is read before it is sent again`, async () => {
      const shop = await newShop();
      const payouts = must(shop.simulated.provider.payouts, 'it pays out');
      const sent = takeSilently(shop, payouts, as, news, ({ transfer_id }) => transfer_id);
      const { id } = (await shop.transfer(4_000)).body.transfer;
      for (let step = 0; step < (as === CLOSED ? 1 : 2); step++) await shop.pass(1_000);
      if (news === 'after') await shop.callBack(id);
      for (let minute = 0; minute < 10; minute++) await shop.pass(60_000);
      assert.deepEqual([(await shop.call('GET', `/transfers/${id}`)).body.transfer.status, sent()], ['succeeded', 1]);
      assert.deepEqual(await shop.differences(), []);
    });
  }

for (const [as, news] of [
  [CLOSED, 'before'],
  [CLOSED, 'after'],
  [EMPTY, 'before'],
  [EMPTY, 'after'],
  [{ kind: 'not_found' }, 'before'],
] as const)
  test(`a refund about which its provider calls back ${news} "${as.kind}" is stored is read before it is sent again`, async () => {
    const shop = await newShop();
    const payment = await shop.paid({ amount: 3_000 });
    const refunds = must(shop.simulated.provider.refunds, 'it refunds');
    const sent = takeSilently(shop, refunds, as, news, ({ provider_key }) => provider_key);
    const refund = must(await shop.refund(payment, undefined, true), 'it is refundable');
    for (let step = 0; news === 'after' && as === EMPTY && step < 2; step++) await shop.pass(1_000);
    if (news === 'after') await shop.callBack(`${refund}-0`);
    for (let minute = 0; minute < 20; minute++) await shop.pass(60_000);
    assert.deepEqual([(await shop.call('GET', `/refunds/${refund}`)).body.refund.status, sent()], ['succeeded', 1]);
    assert.deepEqual(await shop.differences(), []);
  });

test('a refund whose key is used up is sent again under the next one', async () => {
  const shop = await newShop();
  Object.assign(shop.simulated.provider, { keyOf: (id: string) => `${id}k` });
  const payment = await shop.paid({ amount: 3_000 });
  const refunds = must(shop.simulated.provider.refunds, 'it refunds');
  const [submit, read] = [refunds.submit.bind(refunds), refunds.read.bind(refunds)];
  const keys: string[] = [];
  refunds.submit = async (asked) => {
    keys.push(asked.provider_key);
    return keys.length > 1 ? submit(asked) : { kind: 'pending', provider_ref: null, poll_after_ms: 1_000 };
  };
  refunds.read = async (asked) => (keys.length > 1 ? read(asked) : EMPTY);
  const refund = must(await shop.refund(payment, undefined, true), 'it is refundable');
  for (let minute = 0; minute < 20; minute++) await shop.pass(60_000);
  assert.equal((await shop.call('GET', `/refunds/${refund}`)).body.refund.status, 'succeeded');
  assert.deepEqual(keys, [`${refund}-0k`, `${refund}-0kk`]);
  assert.deepEqual(await shop.differences(), []);
});

test('a refund whose key is used up, and that its provider shows after a callback all the same, is sent again under that key', async () => {
  const shop = await newShop();
  Object.assign(shop.simulated.provider, { keyOf: (id: string) => `${id}k` });
  const payment = await shop.paid({ amount: 3_000 });
  const refunds = must(shop.simulated.provider.refunds, 'it refunds');
  const keys: string[] = [];
  const pending = { kind: 'pending', provider_ref: null, poll_after_ms: 1_000 } as const;
  refunds.submit = async ({ provider_key }) => {
    keys.push(provider_key);
    return pending;
  };
  refunds.read = async () => EMPTY;
  const refund = must(await shop.refund(payment, undefined, true), 'it is refundable');
  await shop.pass(1_000);
  await shop.callBack(`${refund}-0k`);
  refunds.read = async () => pending;
  await shop.pass(1_000);
  refunds.read = async () => ({ kind: 'not_found' });
  for (let minute = 0; minute < 30; minute++) await shop.pass(60_000);
  assert.deepEqual([...new Set(keys)], [`${refund}-0k`]);
  assert.ok(keys.length > 1, 'it was sent again');
});

test('a late callback about a part of a refund that has succeeded does not hold back the next part', async () => {
  const shop = await newShop();
  await shop.paid({ amount: 400_000 });
  const payment = await shop.order({ amount: 900_000 });
  for (let tranche = 0; tranche < 20 && (await shop.shown(payment)).status !== 'succeeded'; tranche++) {
    await shop.charge(payment);
    await shop.pass(2_000);
  }
  const refunds = must(shop.simulated.provider.refunds, 'it refunds');
  const { submit } = refunds;
  refunds.submit = async (refund) => {
    if (!refund.provider_key.endsWith('-1')) return submit.call(refunds, refund);
    refunds.submit = submit;
    return CLOSED;
  };
  const refund = must(await shop.refund(payment, undefined, true), 'it is refundable');
  await shop.callBack(`${refund}-0`);
  for (let minute = 0; minute < 3; minute++) await shop.pass(60_000);
  assert.equal((await shop.call('GET', `/refunds/${refund}`)).body.refund.status, 'succeeded');
});
