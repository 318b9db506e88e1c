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
  api = await startApi({ env: { PROVIDER_EXCHANGES: 'on' } });
  shop = await openLiveShop(api, ['pawapay', 'mtn-momo']);
});
after(async () => {
  await api.stop();
  await shop.stop();
});

test('the page of a payment shows what was sent to the provider and came back, to roles that read the audit trail', async () => {
  const { key, merchant } = shop;
  const made = await api.call('POST', '/payments', {
    key,
    body: { amount: 5000, currency: 'XAF', phone: PHONE, name: 'Awa Ndiaye' },
  });
  const id = made.body.transaction.id as string;
  const charged = await api.call('POST', `/payments/${id}`, { key, body: { channel: 'cm.mtn', data: { phone: PHONE } } });
  assert.equal(charged.status, 202, JSON.stringify(charged.body));
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
  const support = (await (await signedIn(api, 'support', merchant.team)).get(page)).text;
  assert.doesNotMatch(support, /Exchanges with/);
});
