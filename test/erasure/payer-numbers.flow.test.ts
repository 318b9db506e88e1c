import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { lockReleased, type OldAttempt } from '../../src/edge/erasure/store.ts';
import { erasureSweep, payerSweep } from '../../src/edge/erasure/sweeps.ts';
import { must } from '../../src/kit/errors.ts';
import { type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import { dumpDatabase, FakeClock, startApi } from '../setup/api.ts';
import { paid, paymentIn } from '../setup/pay.ts';

/** Numbers that payers typed: kept while they have work to do, then a keyed hash. */
const api = await startApi();
after(() => api.stop());

test('a number in use at the erasure is deleted within hours of the end of that use, not days', async () => {
  const key = (await api.newMerchant()).sandbox.secret;
  const id = await paid(api, { phone: '+237650443322', key, fields: { email: 'busy@race.example' } });
  const { customer } = (await api.call('GET', `/payments/${id}`, { key })).body.transaction;
  const { db } = api.deps.stores.sandbox;
  const payer = async () =>
    (await db.maybe<{ payer: string | null }>(sql`select payer from attempts where payment_id = ${id}`))?.payer;
  await db.run(sql`update attempts set mismatch = '{}' where payment_id = ${id}`);
  await api.call('DELETE', `/customers/${customer}`, { key });
  const clock = new FakeClock();
  const sweep = erasureSweep({ ...api.deps, clock }, api.deps.stores.sandbox);
  for (const ms of [31_000, 300_000, 6 * 3_600_000]) {
    clock.advance(ms);
    while ((await sweep.round()) > 0);
    assert.equal(await payer(), '+237650443322');
  }
  await db.run(sql`update attempts set mismatch = null where payment_id = ${id}`);
  clock.advance(6 * 3_600_000);
  while ((await sweep.round()) > 0);
  assert.equal(await payer(), null);
  const revisit = sql`select revisit_at from erasures where customer_id = ${customer}`;
  assert.deepEqual(await db.maybe(revisit), { revisit_at: null });
});

test('a payment that was open at the erasure and is charged days later keeps nothing of its payer', async () => {
  const key = (await api.newMerchant()).sandbox.secret;
  const fields = { amount: 25_000, currency: 'XAF', email: 'open@race.example' };
  const { id } = (await api.call('POST', '/payments', { key, body: fields })).body.transaction;
  const { customer } = (await api.call('GET', `/payments/${id}`, { key })).body.transaction;
  const { db } = api.deps.stores.sandbox;
  await api.call('DELETE', `/customers/${customer}`, { key });
  const clock = new FakeClock();
  const sweep = erasureSweep({ ...api.deps, clock }, api.deps.stores.sandbox);
  for (const ms of [31_000, 300_000, 48 * 3_600_000]) {
    clock.advance(ms);
    while ((await sweep.round()) > 0);
  }
  const body = { channel: 'cm.mtn', data: { phone: '+237650443311' } };
  assert.equal((await api.call('POST', `/payments/${id}`, { key, body })).status, 202);
  await paymentIn(api, id, ['succeeded'], { key });
  await db.run(sql`
    update attempts set client_ip = '198.51.100.9', message = 'paid by +237650443311', action = '{"to": "+237650443311"}'
    where payment_id = ${id}`);
  clock.advance(6 * 3_600_000);
  while ((await sweep.round()) > 0);
  const attempt = await db.maybe(sql`select payer, client_ip, message, action from attempts where payment_id = ${id}`);
  assert.deepEqual(attempt, { payer: null, client_ip: null, message: 'paid by [erased]', action: { to: '[erased]' } });
  const erasure = await db.maybe(sql`select revisit_at from erasures where customer_id = ${customer}`);
  assert.deepEqual(erasure, { revisit_at: null }, 'nothing is left to revisit');
});

/** After this the sweep looks again at attempts that it has passed. */
const PASS_MS = 6 * 3_600_000;

describe('payer numbers', () => {
  const payerOf = (id: string) =>
    api.deps.stores.sandbox.db.all<{ payer: string | null; payer_hash: string | null }>(
      sql`select payer, payer_hash from attempts where payment_id = ${id}`,
    );

  test('only a keyed hash is left seven days after an attempt has ended, and no IP address', async () => {
    const id = await paid(api, { phone: '+237650445566' });
    const { db } = api.deps.stores.sandbox;
    await db.run(sql`update attempts set client_ip = '198.51.100.7' where payment_id = ${id}`);
    const clock = new FakeClock();
    const sweep = payerSweep({ ...api.deps, clock }, api.deps.stores.sandbox);
    clock.advance(6 * 86_400_000);
    await sweep.round();
    assert.equal((await payerOf(id))[0]?.payer, '+237650445566');
    clock.advance(86_401_000);
    while ((await sweep.round()) > 0);
    const [attempt] = await payerOf(id);
    assert.equal(attempt?.payer, null);
    assert.match(attempt?.payer_hash ?? '', /^[\w-]{22}$/);
    const dump = await dumpDatabase(db);
    assert.deepEqual([dump.includes('237650445566'), dump.includes('198.51.100.7')], [false, false]);
  });

  test('the IP address of a card payer, who has no number, goes as well, and a hash that is there stays', async () => {
    const { db } = api.deps.stores.sandbox;
    const ids = await Promise.all(['+237650445501', '+237650445502'].map((phone) => paid(api, { phone })));
    const hashes = [null, 'a-hash-of-earlier'];
    for (const [i, id] of ids.entries()) {
      await db.run(sql`
        update attempts set client_ip = '198.51.100.8', payer = null, payer_hash = ${hashes[i] as string | null} where payment_id = ${id}`);
    }
    const clock = new FakeClock();
    const sweep = payerSweep({ ...api.deps, clock }, api.deps.stores.sandbox);
    clock.advance(8 * 86_400_000);
    while ((await sweep.round()) > 0);
    assert.equal((await dumpDatabase(db)).includes('198.51.100.8'), false);
    const kept = await Promise.all(ids.map(async (id) => (await payerOf(id))[0]?.payer_hash));
    assert.deepEqual(kept, hashes);
  });

  test('six months where the provider refunds to the number, and as long as a refund of the payment is open', async () => {
    const id = await paid(api, { phone: '+237650445588' });
    const { db } = api.deps.stores.sandbox;
    const clock = new FakeClock();
    const sweep = payerSweep({ ...api.deps, clock }, api.deps.stores.sandbox);
    await db.run(sql`update attempts set provider = 'flutterwave' where payment_id = ${id}`);
    clock.advance(179 * 86_400_000);
    while ((await sweep.round()) > 0);
    assert.equal((await payerOf(id))[0]?.payer, '+237650445588');
    await db.run(sql`
      insert into refunds (team_id, id, payment_id, kind, legs, amount_minor, currency, status, reason, created_at, updated_at)
      select team_id, replace(id, 'trx_', 'rfd_'), id, 'merchant', '[]', 100, currency, 'processing', 'merchant_error', created_at, created_at
      from payments where id = ${id}`);
    clock.advance(2 * 86_400_000);
    while ((await sweep.round()) > 0);
    assert.equal((await payerOf(id))[0]?.payer, '+237650445588');
    await db.run(sql`update refunds set status = 'succeeded' where payment_id = ${id}`);
    clock.advance(PASS_MS);
    while ((await sweep.round()) > 0);
    assert.equal((await payerOf(id))[0]?.payer, null);
  });

  test('the number is kept when a refund is found after the lock: it was made at that moment', async () => {
    const payment_id = await paid(api, { phone: '+237650445599' });
    const { db } = api.deps.stores.sandbox;
    const found = await db.maybe<OldAttempt>(sql`
      select team_id, id, provider, status, closed_at, true as has_number from attempts where payment_id = ${payment_id}`);
    const attempts = [must(found, 'it was charged')];
    const locked = await db.transaction(async (tx) => {
      assert.equal((await lockReleased(tx, attempts)).length, 1);
      const all: Tx['all'] = async <Row>(statement: Sql) => {
        const rows = await tx.all<Row>(statement);
        await tx.run(sql`
          insert into refunds (team_id, id, payment_id, kind, legs, amount_minor, currency, status, reason, created_at, updated_at)
          select team_id, replace(id, 'trx_', 'rfd_'), id, 'merchant', '[]', 100, currency, 'processing', 'merchant_error', created_at, created_at
          from payments where id = ${payment_id} on conflict do nothing`);
        return rows;
      };
      return lockReleased({ ...tx, all }, attempts);
    });
    assert.deepEqual(locked, []);
  });

  test('the number is kept while money is being returned or evidence awaits a decision', async () => {
    const id = await paid(api, { phone: '+237650445577' });
    const { db } = api.deps.stores.sandbox;
    const clock = new FakeClock();
    const sweep = payerSweep({ ...api.deps, clock }, api.deps.stores.sandbox);
    clock.advance(8 * 86_400_000);
    await db.run(sql`update attempts set mismatch = '{}' where payment_id = ${id}`);
    await sweep.round();
    assert.equal((await payerOf(id))[0]?.payer, '+237650445577');
    const book = (kind: string) =>
      db.run(sql`
      insert into journals (team_id, kind, source_id, subject_id) select team_id, ${kind}, id, payment_id from attempts where payment_id = ${id}`);
    await book('reconciliation.late');
    await db.run(sql`update attempts set mismatch = null where payment_id = ${id}`);
    clock.advance(PASS_MS);
    await sweep.round();
    assert.equal((await payerOf(id))[0]?.payer, '+237650445577', 'a statement has shown money');
    await book('reconciliation.settled:reconciliation.late');
    clock.advance(PASS_MS);
    await sweep.round();
    assert.equal((await payerOf(id))[0]?.payer, null);
  });
});

test('every refund of a 000009 payment fails, also after its number was deleted', async () => {
  const id = await paid(api, { phone: '+237650000009' });
  const clock = new FakeClock();
  clock.advance(8 * 86_400_000);
  await payerSweep({ ...api.deps, clock }, api.deps.stores.sandbox).round();
  const kept = sql`select 1 from attempts where payment_id = ${id} and payer is not null`;
  assert.deepEqual(await api.deps.stores.sandbox.db.all(kept), []);
  const { body } = await api.call('POST', '/refunds', { body: { payment: id, reason: 'merchant_error' } });
  const refund = (await api.call('GET', `/refunds/${body.refund.id}`)).body.refund;
  assert.deepEqual([refund.status, (await paymentIn(api, id, ['succeeded'])).amount_refunded], ['failed', 0]);
});
