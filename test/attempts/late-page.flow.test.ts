import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { LiveMerchant } from '../complaints/live-merchant.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';

const clock = new FakeClock();
const api = await startApi({ clock });
after(() => api.stop());

test('the address of a Wave page that comes after the charge was answered is shown to the payer', async () => {
  const merchant = await LiveMerchant.open(api, clock, ['pawapay']);
  try {
    const simulator = merchant.simulator('pawapay');
    // It comes when the test says so, below.
    simulator.settings.set('late_page', '3600000');
    simulator.faults.script({ fault: 'stuck', doing: 'create' });
    const phone = '+2250701000000';
    const order = { amount: 1_000, currency: 'XOF', phone };
    const { body: made } = await merchant.call('POST', '/payments', order);
    const { status, body } = await merchant.charge(made.transaction.id, { channel: 'ci.wave', phone });
    assert.equal(status, 202, JSON.stringify(body));
    assert.deepEqual(body.action, { kind: 'confirm' });
    const page = async () => (await fetch(made.authorization_url, { redirect: 'manual' })).text();
    const link = `${simulator.url}/pay/`;
    assert.ok(!(await page()).includes(link));
    const [deposit = assert.fail('it was taken')] = simulator.book.entries();
    deposit.wire.authorizationUrl = link + deposit.key;
    await simulator.callbacks.interim(deposit);
    const html = await until(page, (text) => text.includes(link));
    assert.ok(html.includes(link));
  } finally {
    await merchant.stop();
  }
});
