import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { payOn } from '../../simulators/kit/pages.ts';
import { LiveMerchant } from '../complaints/live-merchant.ts';
import { FakeClock, startApi } from '../setup/api.ts';

const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
after(() => api.stop());

/** Collects 5,000; where the operator has a page, the payer pays there. */
async function collectOn(merchant: LiveMerchant): Promise<string> {
  const id = await merchant.createPayment(5_000);
  const { action } = (await merchant.charge(id)).body;
  if (action.kind === 'redirect') await payOn(action.url, '+237670100000');
  await merchant.waitForStatus(`/payments/${id}`, 'succeeded');
  return id;
}

for (const name of ['flutterwave', 'cinetpay']) {
  test(`a payout that never reached ${name} is sent again with its key, although a charge would not be`, async () => {
    const merchant = await LiveMerchant.open(api, clock, [name]);
    try {
      await collectOn(merchant);
      const simulator = merchant.simulator(name);
      simulator.faults.script({ fault: 'reset_uncreated' });
      const transfer = { amount: 500, currency: 'XAF', channel: 'cm.mtn', recipient: '+237670100000' };
      const { status, body } = await merchant.call('POST', '/transfers', transfer);
      assert.equal(status, 201, JSON.stringify(body));
      await merchant.waitForStatus(`/transfers/${body.transfer.id}`, 'succeeded', 60_000);
      const created = simulator.book.entries().filter(({ kind }) => kind === 'payout');
      assert.equal(created.length, 1);
      assert.deepEqual(simulator.faults.unmet(), []);
    } finally {
      await merchant.stop();
    }
  });
}

for (const [name, empty_wallet] of [
  ['pawapay', 'rejected'],
  ['pawapay', 'failed'],
  ['mtn-momo', 'failed'],
  ['flutterwave', 'failed'],
] as const) {
  const when = empty_wallet === 'rejected' ? 'at once' : 'after it was taken';
  test(`an empty ${name} wallet, told ${when}, keeps a payout waiting: filled, it pays once, under a key that is not spent`, async () => {
    const merchant = await LiveMerchant.open(api, clock, [name]);
    try {
      await collectOn(merchant);
      const simulator = merchant.simulator(name);
      if (name === 'pawapay') simulator.settings.set('empty_wallet', empty_wallet);
      simulator.faults.script({ fault: 'float_exhausted', doing: 'create' });
      const transfer = { amount: 500, currency: 'XAF', channel: 'cm.mtn', recipient: '+237670100000' };
      const { status, body } = await merchant.call('POST', '/transfers', transfer);
      assert.equal(status, 201, JSON.stringify(body));
      await merchant.waitForStatus(`/transfers/${body.transfer.id}`, 'succeeded', 10_000);
      const payouts = simulator.book.entries().filter(({ kind }) => kind === 'payout');
      assert.equal(payouts.filter(({ moved }) => moved).length, 1);
      assert.equal(new Set(payouts.map(({ key }) => key)).size, empty_wallet === 'rejected' ? 1 : 2);
      assert.deepEqual(simulator.faults.unmet(), []);
    } finally {
      await merchant.stop();
    }
  });

  test(`a refund waits for an empty ${name} wallet, told ${when}, and is made once when it is filled`, async () => {
    const merchant = await LiveMerchant.open(api, clock, [name]);
    try {
      const payment = await collectOn(merchant);
      const simulator = merchant.simulator(name);
      if (name === 'pawapay') simulator.settings.set('empty_wallet', empty_wallet);
      simulator.faults.script({ fault: 'float_exhausted', doing: 'create' });
      const { status, body } = await merchant.call('POST', '/refunds', {
        payment,
        amount: 1_000,
        reason: 'requested_by_customer',
      });
      assert.equal(status, 201, JSON.stringify(body));
      await merchant.waitForStatus(`/refunds/${body.refund.id}`, 'succeeded', 10_000);
      // Flutterwave refunds a wallet by a transfer.
      const back = simulator.book.entries().filter(({ kind, moved }) => kind !== 'collect' && moved);
      assert.deepEqual(
        back.map(({ amount_minor }) => amount_minor),
        [100_000n],
      );
      assert.deepEqual(simulator.faults.unmet(), []);
    } finally {
      await merchant.stop();
    }
  });
}
