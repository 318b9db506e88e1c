import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { applyTransfers } from '../../src/core/transfers/apply.ts';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import { recordPaidLate } from '../../src/core/transfers/late.ts';
import { resolveTransfer } from '../../src/core/transfers/resolve.ts';
import { pollTransfer } from '../../src/core/transfers/service.ts';
import { findTransfer } from '../../src/core/transfers/store.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { must } from '../../src/kit/errors.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { bucketsOf, fund } from './support.ts';

/** What callbacks and people may do to a transfer. The sandbox leaves a transfer to 000003 under way for a minute. */
const clock = new FakeClock();
let api: Api;
before(async () => {
  api = await startApi({ workers: false, clock });
  await fund(api, api.team, 100_000);
});
after(() => api.stop());

const store = () => api.deps.stores.sandbox;
const ref = (id: string) => ({ team_id: api.team.id, id });
const row = async (id: string) => must(await findTransfer(store().db, ref(id)), 'it was created');
const resolve = (id: string, as: 'succeeded' | 'failed') =>
  resolveTransfer(api.deps, store(), ref(id), { as, evidence: 'statement line 7', author: 'awa' }, WORKER);

async function created(): Promise<string> {
  const body = { amount: 1_000, currency: 'XAF', channel: 'cm.mtn', recipient: '650000003' };
  const answer = await api.call('POST', '/transfers', { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.transfer.id;
}

/** Created and handed to the provider. */
async function dispatched(): Promise<string> {
  const id = await created();
  clock.advance(5_000);
  await transferSweep(api.deps, store()).round();
  assert.deepEqual([(await row(id)).stage, (await row(id)).status], ['dispatched', 'processing']);
  return id;
}

test('a transfer that no provider has, is final or does not exist cannot be resolved manually', async () => {
  const id = await dispatched();
  await assert.rejects(resolve('po_test_nothing', 'failed'), /Not Found/);
  await resolve(id, 'succeeded');
  await assert.rejects(resolve(id, 'failed'), /succeeded and with no provider: there is nothing to resolve/);
  const before = await bucketsOf(store(), api.team);
  assert.deepEqual([before.in_transit, before.reserved], [0, 0]);
});

test('a manual resolution moves the money and is stored with its evidence', async () => {
  const before = await bucketsOf(store(), api.team);
  const [lost, done] = [await dispatched(), await dispatched()];
  await resolve(lost, 'failed');
  await resolve(done, 'succeeded');
  const { status, message, resolution } = await row(lost);
  assert.deepEqual([status, message], ['failed', 'resolved by hand: no money moved']);
  assert.deepEqual(resolution, { ...resolution, as: 'failed', evidence: 'statement line 7', author: 'awa' });
  assert.equal((await row(done)).status, 'succeeded');
  const { fee_minor } = await row(done);
  const now = await bucketsOf(store(), api.team);
  assert.equal(now.available, before.available - 1_000 - Number(fee_minor) / 100);
  assert.deepEqual([now.in_transit, now.reserved], [0, 0]);
});

/** Decides while a transaction that makes this change is about to be committed. @returns the fault */
async function resolveMeanwhile(id: string, as: 'succeeded' | 'failed', change: (tx: Tx) => Promise<unknown>): Promise<string> {
  let decided: Promise<string> = Promise.resolve('');
  await store().db.transaction(async (tx) => {
    await change(tx);
    decided = resolve(id, as).then(
      () => 'resolved',
      ({ message }: Error) => message,
    );
    await untilLocked(api.databases.sandbox);
  });
  return decided;
}

for (const as of ['succeeded', 'failed'] as const)
  test(`a transfer that its provider turns away while a person decides about it is not resolved as ${as}`, async () => {
    const id = await dispatched();
    const known = await row(id);
    const occurrence = { kind: 'unsent', decision: must(known.decision, 'it was sent'), wait_ms: 1_000 } as const;
    const context = { environment: 'sandbox', at: clock.now() } as const;
    const fault = await resolveMeanwhile(id, as, (tx) => applyTransfers(tx, context, [{ known, occurrence }]));
    assert.match(fault, as === 'succeeded' ? /with no provider: there is nothing to resolve/ : /has changed at this moment/);
    assert.deepEqual([(await row(id)).status, (await row(id)).resolution], ['processing', null]);
    await resolve(id, 'failed');
  });

test('a payout that is recorded as paid late while a person decides about it is not said to be in suspense', async () => {
  const id = await dispatched();
  await resolve(id, 'failed');
  const late = (tx: Tx) => recordPaidLate(tx, clock.now(), ref(id), { provider_ref: 'late' });
  assert.match(await resolveMeanwhile(id, 'succeeded', late), /failed and with no provider: there is nothing to resolve/);
});

test('test money is booked from a request of its own, outside live only', async () => {
  const journals = await store().db.all<{ source_id: string; subject_id: string }>(
    sql`select source_id, subject_id from journals where kind = 'sandbox.funded'`,
  );
  assert.equal(journals.length, 1);
  assert.match(journals[0]?.source_id ?? '', /^req_test_/);
  assert.equal(journals[0]?.subject_id, journals[0]?.source_id);
  const live = fundSandbox(api.deps, api.deps.stores.live, api.team.id, 'XAF', 100n, WORKER);
  await assert.rejects(live, /only the sandbox/);
});

test('a callback makes a transfer under way due at once, by its id or its provider’s key, and no other', async () => {
  const [id, other] = [await dispatched(), await dispatched()];
  const { provider_account, provider_key } = await row(id);
  const from = { team_id: api.team.id, account_id: provider_account as string, keyOf: (own: string) => own };
  const due = async (one: string) => (await row(one)).next_poll_at?.getTime() === clock.now();
  for (const subject of [
    { by: 'id' as const, value: id },
    { by: 'provider_key' as const, value: provider_key as string },
  ]) {
    clock.advance(10);
    await pollTransfer(store(), clock.now(), { ...from, account_id: 'another' }, subject);
    assert.equal(await due(id), false, 'the callback of another account');
    await pollTransfer(store(), clock.now(), from, subject);
    assert.deepEqual([await due(id), await due(other)], [true, false]);
  }
  await resolve(id, 'succeeded');
  await pollTransfer(store(), clock.now(), from, { by: 'id', value: id });
  assert.equal((await row(id)).next_poll_at, null, 'a final one is left alone');
});
