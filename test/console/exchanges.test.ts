import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';
import { signedIn } from './people.ts';

const PHONE = '+237650000000';

let api: Api;
let shop: LiveShop;
before(async () => {
  api = await startApi({ env: { PROVIDER_EXCHANGES: 'on', HOLD_MOBILE_MONEY: '0s' } });
  shop = await openLiveShop(api, ['pawapay', 'mtn-momo']);
});
after(async () => {
  await api.stop();
  await shop.stop();
});

/** Creates a payment and waits until it succeeded. @returns its id */
async function paid(): Promise<string> {
  const { key } = shop;
  const made = await api.call('POST', '/payments', {
    key,
    body: { amount: 5000, currency: 'XAF', phone: PHONE, name: 'Awa Ndiaye' },
  });
  const id = made.body.transaction.id as string;
  const charged = await api.call('POST', `/payments/${id}`, { key, body: { channel: 'cm.mtn', data: { phone: PHONE } } });
  assert.equal(charged.status, 202, JSON.stringify(charged.body));
  await succeeded(`/payments/${id}`, 'transaction');
  return id;
}

/** Waits until a payment, refund or payout has succeeded. */
function succeeded(path: string, name: 'transaction' | 'refund' | 'transfer') {
  return until(
    () => api.call('GET', path, { key: shop.key }),
    ({ body }) => body[name].status === 'succeeded',
  );
}

/** Waits until the log has stored what `shown` looks for. @returns the page of a team in live */
async function pageWith(path: string, shown: RegExp): Promise<string> {
  const person = await signedIn(api, 'finance', shop.merchant.team);
  const page = await until(
    () => person.get(`/console/${shop.merchant.team.id}/live/${path}`),
    ({ text }) => shown.test(text),
  );
  return page.text;
}

test('the page of a payment shows what was sent to the provider and came back, to roles that read the audit trail', async () => {
  const { merchant } = shop;
  const id = await paid();
  const { db } = api.deps.stores.live;
  const read = () =>
    db.all<{ request: string; response: string; row: string }>(
      sql`select *, e::text as row from provider_exchanges e order by id`,
    );
  const rows = await until(read, (all) => all.some(({ response }) => /COMPLETED|SUCCESSFUL/.test(response ?? '')));
  const text = rows.map(({ row }) => row).join('\n');
  for (const secret of ['650000000', 'Awa', 'Bearer', api.url]) assert.ok(!text.includes(secret), secret);
  for (const credential of Object.values(shop.simulators).flatMap(({ credentials }) => Object.values(credentials))) {
    if (credential.length > 8) assert.ok(!text.includes(credential), credential);
  }
  const page = `/console/${merchant.team.id}/live/payments/${id}`;
  const finance = (await (await signedIn(api, 'finance', merchant.team)).get(page)).text;
  assert.match(finance, /Exchanges with pawapay/);
  assert.match(finance, /POST \/v2\/deposits<\/code>/);
  assert.match(finance, /&quot;status&quot;: &quot;COMPLETED&quot;/);
  assert.match(finance, /&quot;phoneNumber&quot;: &quot;…&quot;/);
  const shown = await pageWith(`payments/${id}`, /Callback from pawapay/);
  assert.match(shown, new RegExp(`POST /_callbacks/${shop.accounts.pawapay?.id}</code>`));
  assert.equal(shown.match(/Callback from pawapay/g)?.length, 1);
  const support = (await (await signedIn(api, 'support', merchant.team)).get(page)).text;
  assert.doesNotMatch(support, /Exchanges with|Callback from/);
});

test('the page of a payout shows what was sent to its provider and came back', async () => {
  await paid();
  const { status, body } = await api.call('POST', '/transfers', {
    key: shop.key,
    body: { amount: 500, currency: 'XAF', channel: 'cm.mtn', recipient: PHONE },
  });
  assert.equal(status, 201, JSON.stringify(body));
  await succeeded(`/transfers/${body.transfer.id}`, 'transfer');
  const path = `payouts/${body.transfer.id}`;
  const text = await pageWith(path, /&quot;status&quot;: &quot;COMPLETED&quot;/);
  assert.match(text, /Exchanges with pawapay/);
  assert.match(text, /POST \/v2\/payouts<\/code>/);
  assert.match(text, /&quot;phoneNumber&quot;: &quot;…&quot;/);
  // The keys of pawaPay were read when its first callback came, with the payment.
  assert.match(await pageWith(path, /Callback from pawapay/), /Signature valid/);
  const timeline = text.slice(
    text.indexOf('<ol class="timeline">'),
    text.indexOf('</ol>', text.indexOf('<ol class="timeline">')),
  );
  assert.ok(!timeline.includes('650000000'));
  const support = await signedIn(api, 'support', shop.merchant.team);
  assert.doesNotMatch((await support.get(`/console/${shop.merchant.team.id}/live/${path}`)).text, /Exchanges with/);
});

test('the page of a payment shows what was sent to the provider for a refund', async () => {
  const payment = await paid();
  const { status, body } = await api.call('POST', '/refunds', {
    key: shop.key,
    body: { payment, amount: 1_000, reason: 'requested_by_customer' },
  });
  assert.equal(status, 201, JSON.stringify(body));
  await succeeded(`/refunds/${body.refund.id}`, 'refund');
  const text = await pageWith(`payments/${payment}`, /POST \/v2\/refunds<\/code>/);
  assert.match(text, /&quot;refundId&quot;/);
  // PawaPay calls one address for everything: after the callback of the payment, that of the refund is found by our key.
  await pageWith(`payments/${payment}`, /(?:Callback from pawapay.*){2}/s);
});
