import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changeTeam } from '../../src/tenants/teams/store.ts';
import { allRoutes } from '../../src/program/program.ts';
import { FakeClock, startApi } from '../setup/api.ts';

const clock = new FakeClock();
const api = await startApi({ workers: false, clock });
after(() => api.stop());

const restricted = await api.newMerchant({ public_keys: 'pay-only' });
const PAYS = ['GET /payments/:id', 'POST /payments', 'POST /payments/:id'];
const ORDER = { amount: 5_000, currency: 'XAF', phone: '+237670000000' };
const PAGE = { origin: 'https://shop.example' };

test('a pay-only public key creates, charges and retrieves a payment from a page', async () => {
  const key = restricted.sandbox.public;
  const created = await api.call('POST', '/payments', { key, body: ORDER, headers: PAGE });
  assert.equal(created.status, 201);
  const path = `/payments/${created.body.transaction.id}`;
  const charged = await api.call('POST', path, {
    key,
    body: { channel: 'cm.mtn', data: { phone: '670000000' } },
    headers: PAGE,
  });
  assert.equal(charged.status, 202);
  const found = await api.call('GET', path, { key, headers: PAGE });
  assert.deepEqual([found.status, found.body.transaction.amount], [200, 5_000]);
});

for (const { method, path } of allRoutes(api.deps)) {
  const pays = PAYS.includes(`${method} ${path}`);
  test(`${pays ? 'not 406' : '406'} ${method} ${path} with a pay-only public key, in both environments`, async () => {
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {};
    for (const { public: key } of [restricted.sandbox, restricted.live]) {
      const answer = await api.call(method, path.replace(/:\w+/g, 'x'), { key, ...body });
      if (pays) assert.notEqual(answer.status, 406);
      else assert.deepEqual([answer.status, answer.body.message], [406, 'Private Key Required']);
    }
  });
}

test('secret and restricted keys of the team, and public keys of others, keep what they could do', async () => {
  assert.equal((await api.call('GET', '/payments', { key: restricted.sandbox.secret })).status, 200);
  const reader = await api.newKey(restricted.team, 'sandbox', 'restricted', { scopes: ['payment.read'] });
  assert.equal((await api.call('GET', '/payments', { key: reader.key })).status, 200);
  assert.equal((await api.call('GET', '/payments', { key: api.keys.sandbox.public })).status, 200);
});

test('every node applies the setting within a second, in both directions', async () => {
  const { team, sandbox } = await api.newMerchant();
  const list = async () => (await api.call('GET', '/payments', { key: sandbox.public })).status;
  assert.equal(await list(), 200);
  for (const [public_keys, status] of [
    ['pay-only', 406],
    ['contract', 200],
  ] as const) {
    await changeTeam(api.control, team.id, { public_keys });
    clock.advance(1_000);
    assert.equal(await list(), status);
  }
});
