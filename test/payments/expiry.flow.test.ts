import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { expirySweep } from '../../src/core/charge/sweeps.ts';
import { unpack } from '../../src/kit/packing.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Answer, FakeClock, startApi, until } from '../setup/api.ts';

const clock = new FakeClock();
const api = await startApi({ clock, env: { SANDBOX_DELAY_MS: '600000' } });
after(() => api.stop());

const MINUTE_MS = 60_000;
const key = api.keys.sandbox.secret;

async function pending(minutes: number, who = key): Promise<string> {
  const body = { amount: 1000, currency: 'XAF', phone: '1', expires: { in: minutes } };
  return (await api.call('POST', '/payments', { key: who, body })).body.transaction.id;
}

const charge = (id: string, body: object): Promise<Answer> => api.call('POST', `/payments/${id}`, { body });
const retrieve = async (id: string, who = key): Promise<Answer['body']> =>
  (await api.call('GET', `/payments/${id}`, { key: who })).body.transaction;
const expired = ({ status }: Answer['body']) => status === 'expired';

test('a pending payment becomes expired within 5 s of its deadline in both stores, without any request', async () => {
  const live = (await api.newMerchant({ verification_level: 1 })).live.secret;
  const [id, other, later] = [await pending(5), await pending(5, live), await pending(6)];
  clock.advance(5 * MINUTE_MS - 1_000);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  assert.equal((await retrieve(id)).status, 'pending', 'not before its moment');
  clock.advance(2_000);
  const transaction = await until(() => retrieve(id), expired);
  await until(() => retrieve(other, live), expired);
  // How long it took here depends on how busy this machine is; how often each store is looked at does not.
  for (const store of [api.deps.stores.sandbox, api.deps.stores.live]) assert.ok(expirySweep(api.deps, store).idle_ms < 5_000);
  assert.deepEqual([transaction.reason, transaction.attempts], [null, []]);
  assert.equal(transaction.completed_at, transaction.updated_at);
  assert.ok(Date.parse(transaction.completed_at) >= Date.parse(transaction.expires_at));
  assert.equal((await retrieve(later)).status, 'pending');
  const events = await api.deps.stores.sandbox.db.all<{ type: string; body: Buffer }>(sql`
    select type, body from events where resource_id = ${id} order by sequence`);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['payment.created', 'payment.expired'],
  );
  assert.deepEqual(JSON.parse(unpack(events[1]?.body as Buffer)).data, transaction);
  assert.equal((await charge(id, { channel: 'cm.mtn', data: { phone: '650000000' } })).status, 400);
  assert.equal((await api.call('DELETE', `/payments/${id}`)).status, 400);
});

test('250 payments with one deadline expire together', async () => {
  const ids = await Promise.all(Array.from({ length: 250 }, () => pending(5)));
  clock.advance(5 * MINUTE_MS + 1_000);
  const left = () => api.deps.stores.sandbox.db.all(sql`select 1 from payments where status = 'pending' and id = any(${ids})`);
  await until(left, (rows) => rows.length === 0);
});

test('a charge in progress delays expiry until the provider reports its outcome', async () => {
  const id = await pending(5);
  assert.equal((await charge(id, { channel: 'cm.mtn', data: { phone: '650000000' } })).status, 202);
  clock.advance(5 * MINUTE_MS + 30_000);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  assert.equal((await retrieve(id)).status, 'processing');
  clock.advance(10 * MINUTE_MS);
  const { status } = await until(
    () => retrieve(id),
    (transaction) => transaction.status !== 'processing',
  );
  assert.equal(status, 'succeeded', 'the money came: that counts, not the clock');
});

test('an attempt with an unknown outcome delays expiry too', async () => {
  const id = await pending(5);
  await api.deps.stores.sandbox.db.run(sql`
    insert into attempts (team_id, id, payment_id, provider, channel, status, amount_minor, currency, payer, provider_key, created_at, next_poll_at)
    values (${api.team.id}, ${`att_of_${id}`}, ${id}, 'sandbox', 'cm.mtn', 'created', 100000, 'XAF', '+237650000004', 'k',
      ${new Date(clock.now())}, ${new Date(clock.now() + 60 * MINUTE_MS)})`);
  clock.advance(6 * MINUTE_MS);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  assert.equal((await retrieve(id)).status, 'pending');
  clock.advance(60 * MINUTE_MS);
  const { status, reason } = await until(
    () => retrieve(id),
    (transaction) => transaction.status !== 'pending',
  );
  assert.deepEqual([status, reason], ['cancelled', 'payer_declined']);
});

test('a card payment without card data expires with the window', async () => {
  const id = await pending(15);
  assert.equal((await charge(id, { channel: 'cm.card' })).status, 202);
  for (const minutes of [10, 4]) {
    clock.advance(minutes * MINUTE_MS + 10_000);
    await new Promise((resolve) => setTimeout(resolve, 700));
    assert.equal((await retrieve(id)).status, 'processing');
  }
  clock.advance(MINUTE_MS);
  const transaction = await until(() => retrieve(id), expired);
  assert.equal(transaction.attempts[0].status, 'expired');
});
