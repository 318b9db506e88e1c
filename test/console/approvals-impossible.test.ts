import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changeDispute, openDispute } from '../../src/core/disputes/service.ts';
import { setThreshold } from '../../src/tenants/approvals/threshold-store.ts';
import { type Api, startApi } from '../setup/api.ts';
import { countApprovals, openShop, refundForm, sale } from './approvals.ts';
import { formToken } from './people.ts';

/** A form whose operation cannot run: nobody is asked to approve it. */
let api: Api;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

test('a dispute that the provider has decided since the form was opened cannot be accepted, and nobody is asked', async () => {
  const shop = await openShop(api);
  const { team, maker, base } = shop;
  const store = api.deps.stores.sandbox.of(team.id);
  const { id } = await openDispute(api.deps, store, { team_id: team.id, payment_id: await sale(shop), reason: 'fraudulent' });
  const path = `${base}/disputes/${id}/accept`;
  const form = { ...formToken((await maker.get(path)).text), confirm: '25000' };
  await changeDispute(api.deps, store, { team_id: team.id, id }, 'provider_decided_won');
  const answer = await maker.post(path, form);
  assert.deepEqual([answer.status, await countApprovals(shop)], [303, 0]);
});

test('a form that has refunded is not asked about with another amount', async () => {
  const shop = await openShop(api);
  const { path, values } = await refundForm(shop, shop.maker, await sale(shop), '5000');
  assert.match((await shop.maker.post(path, { ...values, sure: 'yes' })).to ?? '', /\?done=refund$/);
  const again = await shop.maker.post(path, { ...values, amount: '20000', sure: 'yes' });
  assert.deepEqual([again.status, await countApprovals(shop)], [422, 0]);
});

test('a form that has set where a subaccount’s money goes says so, also when somebody has changed it back and a threshold was set', async () => {
  const shop = await openShop(api, null);
  const { maker, base, key, team } = shop;
  const seller = { name: 'Seller', email: 's@sellers.example' };
  const { body } = await api.call('POST', '/accounts', { key, body: seller });
  const path = `${base}/subaccounts/${body.account.id}/edit`;
  const values = { ...seller, split_type: '', split_value: '', channel: 'cm.mtn', account_number: '+237650000009' };
  const form = { ...formToken((await maker.get(path)).text), ...values };
  assert.match((await maker.post(path, form)).to ?? '', /\?done=update$/);
  await api.call('PATCH', `/accounts/${body.account.id}`, { key, body: { settlement: null } });
  await api.control.transaction((tx) => setThreshold(tx, team.id, 'XAF', 1_000_000n));
  assert.match((await maker.post(path, form)).to ?? '', /\?done=update$/);
  assert.equal(await countApprovals(shop), 0);
});
