import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { unpack } from '../../src/kit/packing.ts';
import { sql } from '../../src/kit/sql.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { assertBooks, bucketsOf, eventsOf, forgetOpenTransfers, fund, journalsOf, TO_PHONE } from './support.ts';

const DELAY_MS = 800;

const clock = new FakeClock();
let api: Api;
let merchant: Merchant;

before(async () => {
  api = await startApi({ workers: false, clock, env: { SANDBOX_DELAY_MS: String(DELAY_MS) } });
});
after(() => api.stop());

beforeEach(async () => {
  await forgetOpenTransfers(store());
  merchant = await api.newMerchant();
  await fund(api, merchant.team, 10_000);
});

const store = () => api.deps.stores.sandbox;

/** 1,000 XAF and a fee of 10. */
async function sent(recipient: string): Promise<string> {
  const { body } = await api.call('POST', '/transfers', {
    key: merchant.sandbox.secret,
    body: { ...TO_PHONE, recipient, amount: 1_000 },
  });
  return body.transfer.id;
}

async function read(id: string) {
  return (await api.call('GET', `/transfers/${id}`, { key: merchant.sandbox.secret })).body.transfer;
}

/** Rounds of a worker while the clock goes on by these steps. */
async function rounds(...waits_ms: number[]): Promise<void> {
  const { round } = transferSweep(api.deps, store());
  await round();
  for (const wait of waits_ms) {
    clock.advance(wait);
    await round();
  }
}

test('the last six digits of the number decide the outcome, and the money is posted accordingly', async () => {
  const fates = [
    ['+237650000000', 'succeeded', null],
    ['+237650123456', 'succeeded', null],
    ['+237650000001', 'failed', 'recipient_unregistered'],
    ['+237650000002', 'failed', 'invalid_recipient'],
    ['+237650000004', 'cancelled', null],
  ] as const;
  for (const [number, status, reason] of fates) {
    const before = await bucketsOf(store(), merchant.team);
    const id = await sent(number);
    await rounds();
    const moving = await bucketsOf(store(), merchant.team);
    assert.deepEqual([moving.available, moving.reserved, moving.in_transit], [before.available - 1_010, 10, 1_000]);
    assert.equal((await read(id)).status, 'processing');
    await assertBooks(store(), merchant.team);
    await rounds(DELAY_MS);
    const transfer = await read(id);
    assert.deepEqual([transfer.status, transfer.reason], [status, reason], number);
    assert.ok(transfer.completed_at);
    const paid = status === 'succeeded';
    const end = paid ? 'transfer.succeeded' : 'transfer.returned';
    assert.deepEqual(await journalsOf(store(), merchant.team, id), ['transfer.reserved', 'transfer.dispatched', end]);
    assert.deepEqual(await eventsOf(store(), merchant.team, id), ['transfer.created', `transfer.${status}`]);
    const now = await bucketsOf(store(), merchant.team);
    assert.deepEqual(
      [now.available, now.reserved, now.in_transit, now.fees, now.clearing],
      [before.available - (paid ? 1_010 : 0), 0, 0, before.fees + (paid ? 10 : 0), before.clearing + (paid ? 1_000 : 0)],
    );
    await assertBooks(store(), merchant.team);
  }
});

test('000003 stays processing for 60 s and is then cancelled', async () => {
  const id = await sent('+237650000003');
  await rounds(DELAY_MS, 59_000);
  assert.equal((await read(id)).status, 'processing');
  await rounds(1_000, 1_000);
  assert.equal((await read(id)).status, 'cancelled');
  assert.equal((await bucketsOf(store(), merchant.team)).available, 10_000);
});

test('for a bank account its own digits decide the outcome, not the contact phone', async () => {
  const beneficiary = { name: 'A', channel: 'cm.bank', account_number: '1000000002', phone: '+237650000004' };
  const { body } = await api.call('POST', '/transfers', {
    key: merchant.sandbox.secret,
    body: { amount: 1_000, currency: 'XAF', beneficiary },
  });
  await rounds(DELAY_MS);
  assert.equal((await read(body.transfer.id)).reason, 'invalid_recipient');
});

test('the last event equals the response of GET', async () => {
  const id = await sent('+237650000001');
  await rounds(DELAY_MS);
  const rows = await store().db.all<{ body: Buffer }>(sql`
    select body from events where team_id = ${merchant.team.id} and resource_id = ${id} order by sequence desc limit 1`);
  assert.deepEqual(JSON.parse(unpack(rows[0]?.body as Buffer)).data, await read(id));
});
