import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { foldDeltas } from '../../src/money/ledger/fold.ts';
import { Registry, withProviders } from '../setup/providers.ts';
import { applyTransfers, type TransferOccurrence } from '../../src/core/transfers/apply.ts';
import { must } from '../../src/kit/errors.ts';
import { getTransfer } from '../../src/core/transfers/service.ts';
import { claimDueTransfers } from '../../src/core/transfers/store.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { assertBooks, type Bank, bank, bucketsOf, eventsOf, forgetOpenTransfers, fund, journalsOf, transfer } from './support.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { many } from '../setup/many.ts';

/** A worker that was slow for a moment leaves rows unsent, which are due again when their leases end. */
const LEASE_MS = 60_000;
const clock = new FakeClock();
let api: Api;
let merchant: Merchant;
let paying: Bank;

before(async () => {
  api = await startApi({ workers: false, clock });
});
after(() => api.stop());
beforeEach(async () => {
  await forgetOpenTransfers(store());
  merchant = await api.newMerchant();
  paying = bank('one');
});

const store = () => api.deps.stores.sandbox;

interface Made {
  id: string;
  status: string;
  reason: string | null;
}

async function make(amount: number, key: string | null = null): Promise<Made> {
  return (await transfer(api, merchant.team, store(), { amount }, key)).body.transfer as Made;
}

function worker(...banks: Bank[]): () => Promise<number> {
  return transferSweep({ ...api.deps, ...withProviders(new Registry({ sandbox: banks, live: [] })) }, store()).round;
}

function ofStatus(made: Made[], status: string): Made[] {
  return made.filter((one) => one.status === status);
}

test('100 concurrent payouts with money for 37: 37 are sent, 63 fail, and the balance is never negative', async () => {
  for (let time = 0; time < 3; time++) {
    merchant = await api.newMerchant();
    // 37 times 1,010 and 1,009 more, which is one too few for another.
    await fund(api, merchant.team, 37 * 1_010 + 1_009);
    let watching = true;
    const watch = (async () => {
      while (watching) await assertBooks(store(), merchant.team);
    })();
    const made = await many(100, () => make(1_000));
    watching = false;
    await watch;
    assert.equal(ofStatus(made, 'processing').length, 37);
    assert.deepEqual(new Set(ofStatus(made, 'failed').map(({ reason }) => reason)), new Set(['insufficient_balance']));
    assert.equal((await bucketsOf(store(), merchant.team)).available, 1_009);
    await assertBooks(store(), merchant.team);
    const round = worker(paying);
    for (let n = 0; n < 4; n++) {
      await many(3, round);
      clock.advance(LEASE_MS);
    }
    const { available, reserved, in_transit, fees } = await bucketsOf(store(), merchant.team);
    assert.deepEqual([available, reserved, in_transit, fees], [1_009, 0, 0, 370]);
    await assertBooks(store(), merchant.team);
  }
});

test('concurrent payouts of different sizes, with incoming and returned money and folding of deltas', async () => {
  await fund(api, merchant.team, 20_000);
  const round = worker(paying);
  paying.onSubmit = ({ amount_minor, provider_key }) => {
    if (amount_minor % 300n === 0n) return { kind: 'failed', reason: 'invalid_recipient', message: 'no' };
    return { kind: 'succeeded', provider_ref: provider_key, amount_minor, currency: 'XAF' };
  };
  const [made] = await Promise.all([
    many(100, (n) => make(100 + ((n * 137) % 900))),
    many(10, () => fund(api, merchant.team, 1_000)),
    many(20, async () => {
      await round();
      await foldDeltas(store().db, 1_000);
      await assertBooks(store(), merchant.team);
    }),
  ]);
  for (let n = 0; n < 4; n++) {
    while ((await round()) > 0);
    clock.advance(LEASE_MS);
  }
  const paid = await store().db.maybe<{ total: bigint }>(sql`
    select coalesce(sum(amount_minor + fee_minor), 0)::bigint as total from transfers
    where team_id = ${merchant.team.id} and status = 'succeeded'`);
  const { available, reserved, in_transit } = await bucketsOf(store(), merchant.team);
  assert.deepEqual([available, reserved, in_transit], [30_000 - Number(paid?.total ?? 0n) / 100, 0, 0]);
  assert.ok(ofStatus(made, 'processing').length > 10);
  await assertBooks(store(), merchant.team);
});

test('30 requests with one Idempotency-Key create one transfer', async () => {
  await fund(api, merchant.team, 100_000);
  const made = await many(30, () => make(1_000, 'same'));
  assert.equal(new Set(made.map(({ id }) => id)).size, 1);
  assert.equal((await bucketsOf(store(), merchant.team)).reserved, 1_010);
});

test('8 workers with 80 transfers submit each once and post each once', async () => {
  await fund(api, merchant.team, 200_000);
  const made = await many(80, () => make(1_000));
  const workers = Array.from({ length: 8 }, () => worker(paying));
  for (let n = 0; n < 3; n++) {
    await Promise.all(workers.map((round) => round()));
    clock.advance(LEASE_MS);
  }
  assert.deepEqual([paying.calls.filter((call) => call === 'submit').length, paying.taken.size], [80, 80]);
  for (const { id } of made) {
    assert.deepEqual(await journalsOf(store(), merchant.team, id), [
      'transfer.reserved',
      'transfer.dispatched',
      'transfer.succeeded',
    ]);
    assert.deepEqual(await eventsOf(store(), merchant.team, id), ['transfer.created', 'transfer.succeeded']);
  }
  await assertBooks(store(), merchant.team);
});

test('of several workers with the same transfer exactly one submits it', async () => {
  await fund(api, merchant.team, 10_000);
  const { id } = await make(1_000);
  const known = await getTransfer(store(), merchant.team.id, id);
  const decision = known.decision as NonNullable<typeof known.decision>;
  const context = { environment: 'sandbox', at: clock.now() } as const;
  const intents = await many(10, (n) =>
    store().db.transaction((tx) => {
      return applyTransfers(tx, context, [
        { known, occurrence: { kind: 'sending', provider_account: `bank ${n}`, provider_key: id, decision, lease_ms: 1_000 } },
      ]);
    }),
  );
  assert.equal(intents.filter((applied) => applied.get(id)?.changed).length, 1);
  assert.deepEqual(await journalsOf(store(), merchant.team, id), ['transfer.reserved', 'transfer.dispatched']);
  await assertBooks(store(), merchant.team);
});

test('a worker whose claim has passed to another does not submit a key that is used up', async () => {
  await fund(api, merchant.team, 10_000);
  const { id } = await make(1_000);
  paying.onSubmit = () => ({ kind: 'unavailable', message: 'down' });
  await worker(paying)();
  clock.advance(60_000);
  const [slow] = await claimDueTransfers(store().db, new Date(clock.now()), 60_000, 1, []);
  paying.onSubmit = () => undefined;
  paying.onRead = () => ({ kind: 'unfunded', message: 'the float is empty' });
  for (let round = 0; round < 2; round++) {
    clock.advance(120_000);
    await worker(paying)();
  }
  const now = await getTransfer(store(), merchant.team.id, id);
  assert.deepEqual([now.dispatched_at, now.decision?.spent], [null, 1]);
  const known = must(slow, 'it was due');
  const decision = must(known.decision, 'a transfer has one');
  const occurrence = { kind: 'sending', provider_account: 'one', provider_key: id, decision, lease_ms: 1_000 } as const;
  const context = { environment: 'sandbox', at: clock.now() } as const;
  const applied = await store().db.transaction((tx) => applyTransfers(tx, context, [{ known, occurrence }]));
  assert.equal(applied.get(id)?.changed, false);
});

test('of several contradicting outcomes at once exactly one is applied', async () => {
  await fund(api, merchant.team, 100_000);
  const answers: TransferOccurrence[] = [
    { kind: 'succeeded', provider_ref: 'r' },
    { kind: 'failed', reason: null, message: 'no' },
    { kind: 'cancelled', message: 'given up' },
    { kind: 'succeeded', provider_ref: 'r' },
    { kind: 'waiting', provider_ref: null, note: null, wait_ms: 1_000 },
  ];
  for (let time = 0; time < 10; time++) {
    const { id } = await make(1_000);
    await worker(paying)();
    const known = await getTransfer(store(), merchant.team.id, id);
    const context = { environment: 'sandbox', at: clock.now() } as const;
    await Promise.all(
      answers.map((occurrence) => store().db.transaction((tx) => applyTransfers(tx, context, [{ known, occurrence }]))),
    );
    const { status } = await getTransfer(store(), merchant.team.id, id);
    assert.notEqual(status, 'processing');
    assert.deepEqual(await eventsOf(store(), merchant.team, id), ['transfer.created', `transfer.${status}`]);
    assert.equal((await journalsOf(store(), merchant.team, id)).length, 3);
    await assertBooks(store(), merchant.team);
  }
});
