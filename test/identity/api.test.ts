import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';

let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

const resolve = (body: unknown, key?: string) => api.call('POST', '/identity/resolve', { body, ...(key ? { key } : {}) });

test('200 in the sandbox: the last six digits decide the result', async () => {
  const outcomes = { '000000': true, '000002': false, '000003': false, '123456': true };
  for (const [suffix, resolved] of Object.entries(outcomes)) {
    const { status, body } = await resolve({ channel: 'cm.mtn', phone: `650${suffix}` });
    assert.equal(status, 200);
    assert.deepEqual(body.identity, {
      resolved,
      name: resolved ? 'Sandbox Account Holder' : null,
      channel: 'cm.mtn',
      phone: `+237650${suffix}`,
      account_number: null,
      bank_code: null,
      country: 'CM',
      sandbox: true,
    });
  }
});

test('200 for an account number of a bank', async () => {
  const { status, body } = await resolve({
    channel: 'cm.bank',
    account_number: '10 002-000002',
    bank_code: '10005',
    country: 'cm',
  });
  assert.equal(status, 200);
  const { resolved, account_number, bank_code } = body.identity;
  assert.deepEqual(
    { resolved, account_number, bank_code },
    { resolved: false, account_number: '10002000002', bank_code: '10005' },
  );
});

test('422 for an unknown channel, a card, and a missing or foreign number', async () => {
  const faults: [object, string[]][] = [
    [{}, ['channel']],
    [{ channel: 'cm.nobody', phone: '650000000' }, ['channel']],
    [{ channel: 'cm.card', phone: '650000000' }, ['channel']],
    [{ channel: 'cm.mtn' }, ['phone']],
    [{ channel: 'cm.mtn', phone: '12', country: 'SN' }, ['country', 'phone']],
    [{ channel: 'cm.bank' }, ['account_number']],
  ];
  for (const [body, fields] of faults) {
    const answer = await resolve(body);
    assert.deepEqual([answer.status, Object.keys(answer.body.errors).sort()], [422, fields], JSON.stringify(body));
  }
});

test('501 in live, before the body is validated', async () => {
  const key = api.keys.live.secret;
  for (const options of [{ body: {} }, { raw: '{' }, { body: { card_number: '4242424242424242' } }]) {
    const { status, body } = await api.call('POST', '/identity/resolve', { key, ...options });
    assert.deepEqual([status, body.code, body.status], [501, 501, 'Not Implemented']);
  }
});

test('406 for a public key, in live too; 403 for a restricted key without identity.read', async () => {
  for (const environment of ['sandbox', 'live'] as const) {
    assert.equal((await resolve({}, api.keys[environment].public)).status, 406);
  }
  const { key } = await api.newKey(api.team, 'sandbox', 'restricted', { scopes: ['customer.read'] });
  assert.equal((await resolve({ channel: 'cm.mtn', phone: '650000000' }, key)).status, 403);
  const able = await api.newKey(api.team, 'sandbox', 'restricted', { scopes: ['identity.read'] });
  assert.equal((await resolve({ channel: 'cm.mtn', phone: '650000000' }, able.key)).status, 200);
});
