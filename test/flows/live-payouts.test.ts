import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { payOn } from '../../twins/kit/pages.ts';
import { Counter } from '../complaints/counter.ts';
import { FakeClock, startApi } from '../setup/api.ts';

const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
after(() => api.stop());

for (const name of ['flutterwave', 'cinetpay']) {
  test(`a payout that never reached ${name} is sent again under its key, although a charge would not be`, async () => {
    const till = await Counter.open(api, clock, [name]);
    try {
      const id = await till.order(5_000);
      const { action } = (await till.charge(id)).body;
      if (action.kind === 'redirect') await payOn(action.url, '+237670100000');
      await till.becomes(`/payments/${id}`, 'succeeded');
      const twin = till.twin(name);
      twin.faults.script({ fault: 'reset_uncreated' });
      const transfer = { amount: 500, currency: 'XAF', channel: 'cm.mtn', recipient: '+237670100000' };
      const { status, body } = await till.call('POST', '/transfers', transfer);
      assert.equal(status, 201, JSON.stringify(body));
      await till.becomes(`/transfers/${body.transfer.id}`, 'succeeded', 60_000);
      const created = twin.book.entries().filter(({ kind }) => kind === 'payout');
      assert.equal(created.length, 1);
      assert.deepEqual(twin.faults.unmet(), []);
    } finally {
      await till.stop();
    }
  });
}
