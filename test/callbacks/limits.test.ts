import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { callbackUrl } from '../../src/providers/provider-accounts/callback-address.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

const PER_MINUTE = 1_200;
const MAX_WRONG = 60;
const AT_ONCE = 20;

const clock = new FakeClock();
let api: Api;
let shop: LiveShop;
before(async () => {
  api = await startApi({ workers: false, clock, env: { TRUST_PROXY: '127.0.0.0/8' } });
  shop = await openLiveShop(api, ['mtn-momo', 'pawapay', 'flutterwave']);
});
after(async () => {
  await shop?.stop();
  await api?.stop();
});

const announce = (name: string, from?: string): Promise<number> => post(String(shop.accounts[name]?.id), from);

const post = (account: string, from?: string): Promise<number> => send(`${api.url}/_callbacks/${account}`, '{}', from);

async function send(url: string, body: string, from = '198.51.100.1'): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': from };
  const answer = await fetch(url, { method: 'POST', headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

test('429 above 1,200 callbacks of an account in a minute; another account is served, and this one a minute later', async () => {
  let sent = 0;
  const sender = async () => {
    while (sent < PER_MINUTE) {
      sent += 1;
      assert.notEqual(await announce('mtn-momo'), 429);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  assert.equal(await announce('mtn-momo'), 429);
  assert.notEqual(await announce('pawapay'), 429);
  assert.notEqual(await announce('mtn-momo', '198.51.100.2'), 429, 'the provider sends from another address');
  clock.advance(60_000);
  assert.notEqual(await announce('mtn-momo'), 429);
});

test('wrong signatures shut out who sends them, never the provider: 401, then 429 past 60 from one address', async () => {
  const statuses: number[] = [];
  for (let i = 0; i <= MAX_WRONG; i++) statuses.push(await announce('flutterwave', '2001:db8:0:1::1'));
  assert.deepEqual([statuses.slice(0, MAX_WRONG).every((status) => status === 401), statuses[MAX_WRONG]], [true, 429]);
  assert.equal(await announce('flutterwave', '2001:db8:0:1:2::2'), 429, 'the same /64');
  assert.equal(await announce('flutterwave', '2001:db8:0:2::1'), 401);
});

test('accounts that do not exist are looked up 60 times a minute for one address; those that do exist go on', async () => {
  clock.advance(60_000);
  assert.notEqual(await announce('mtn-momo', '198.51.100.9'), 429);
  const guess = (index: number) => post(newId('pa', 'live', index), '198.51.100.9');
  for (let i = 0; i < MAX_WRONG; i++) assert.equal(await guess(i), 404);
  const { addressed } = api.deps.providers;
  let asked = 0;
  api.deps.providers.addressed = (account) => {
    asked += 1;
    return addressed.call(api.deps.providers, account);
  };
  assert.deepEqual([await guess(1000), asked], [429, 0]);
  assert.equal(await post('pa_x', '198.51.100.9'), 404, 'what cannot be an account is not looked for');
  assert.notEqual(await announce('mtn-momo', '198.51.100.9'), 429);
  api.deps.providers.addressed = addressed;
});

test('what nobody signed has an attempt read 10 times a minute for one sender, with the same answer; the provider is not held up', async () => {
  const { key, simulators, accounts } = shop;
  simulators['mtn-momo']?.faults.script({ fault: 'stuck', doing: 'create' });
  const phone = '+237650000000';
  const { id: payment } = (await api.call('POST', '/payments', { key, body: { amount: 5000, currency: 'XAF', phone } })).body
    .transaction;
  await api.call('POST', `/payments/${payment}`, { key, body: { channel: 'cm.mtn', data: { phone } } });
  const { db } = api.deps.stores.live;
  const attempt = await db.maybe<{ id: string; provider_key: string }>(
    sql`select id, provider_key from attempts where payment_id = ${payment}`,
  );
  assert.ok(attempt);
  const account = String(accounts['mtn-momo']?.id);
  /** Whether a callback makes the attempt due for a reading. */
  const reads = async (url: string, from?: string): Promise<boolean> => {
    await db.run(sql`update attempts set next_poll_at = 'infinity' where id = ${attempt.id}`);
    assert.equal(await send(url, JSON.stringify({ externalId: attempt.provider_key, status: 'SUCCESSFUL' }), from), 200);
    const row = await db.maybe<{ due: boolean }>(
      sql`select next_poll_at < 'infinity' as due from attempts where id = ${attempt.id}`,
    );
    return row?.due === true;
  };
  const shared = `${api.url}/_callbacks/${account}`;
  const read: boolean[] = [];
  for (let i = 0; i < 12; i++) read.push(await reads(shared));
  assert.deepEqual(read, [...Array.from({ length: 10 }, () => true), false, false]);
  assert.equal(await reads(shared, '198.51.100.2'), true, 'from the provider');
  assert.equal(await reads(callbackUrl(api.deps, account, attempt.id)), true, 'at the secret address');
  clock.advance(60_000);
  assert.equal(await reads(shared), true);
});
