import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { post } from '../../src/money/ledger/post.ts';
import type { Payout, PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { Registry, withProviders } from '../setup/providers.ts';
import { applyTransfers, type TransferOccurrence } from '../../src/core/transfers/apply.ts';
import { getTransfer } from '../../src/core/transfers/service.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { assertBooks, type Bank, bank, bucketsOf, eventsOf, forgetOpenTransfers, fund, journalsOf, TO_PHONE } from './support.ts';

const MINUTE_MS = 60_000;

const clock = new FakeClock();
let api: Api;
let merchant: Merchant;
let one: Bank;
let two: Bank;

before(async () => {
  api = await startApi({ workers: false, clock });
});
after(() => api.stop());

beforeEach(async () => {
  await forgetOpenTransfers(store());
  merchant = await api.newMerchant();
  await fund(api, merchant.team, 10_000);
  [one, two] = [bank('one'), bank('two')];
});

const store = () => api.deps.stores.sandbox;

/** A worker of its own, with these providers. */
function worker(...sandbox: Bank[]): () => Promise<number> {
  return transferSweep({ ...api.deps, ...withProviders(new Registry({ sandbox, live: [] })) }, store()).round;
}

/** 1,000 XAF and a fee of 10. */
async function sent(): Promise<string> {
  const { status, body } = await api.call('POST', '/transfers', {
    key: merchant.sandbox.secret,
    body: { ...TO_PHONE, amount: 1_000 },
  });
  assert.deepEqual([status, body.transfer.status], [201, 'processing']);
  return body.transfer.id;
}

async function read(id: string) {
  return (await api.call('GET', `/transfers/${id}`, { key: merchant.sandbox.secret })).body.transfer;
}

async function rowOf(id: string) {
  return getTransfer(store(), merchant.team.id, id);
}

/** Runs rounds while the clock goes on by these steps. */
async function rounds(round: () => Promise<number>, ...waits_ms: number[]): Promise<void> {
  await round();
  for (const wait of waits_ms) {
    clock.advance(wait);
    await round();
  }
}

const WAY_OUT = ['transfer.reserved', 'transfer.dispatched'];

/** The same provider, which does or answers something else when it is handed a transfer. */
function handedOver(own: Bank, submit: (payout: Payout, usual: () => Promise<PayoutOutcome>) => Promise<PayoutOutcome>): Bank {
  const payouts = own.payouts as NonNullable<Bank['payouts']>;
  return { ...own, payouts: { ...payouts, submit: (payout) => submit(payout, () => payouts.submit(payout)) } };
}

async function once(happened: () => boolean): Promise<void> {
  while (!happened()) await sleep(5);
}

test('in.transit and the key under which the provider gets the payout are committed before it is called', async () => {
  const id = await sent();
  const seen: unknown[] = [];
  const peeking = handedOver(one, async (payout, usual) => {
    const { stage, provider_key } = await rowOf(id);
    seen.push(stage, await journalsOf(store(), merchant.team, id), payout.provider_key, provider_key);
    return usual();
  });
  await worker({ ...peeking, keyOf: (own) => `key of ${own}` })();
  assert.deepEqual(seen, ['dispatched', WAY_OUT, `key of ${id}`, `key of ${id}`]);
});

test('a provider that provably did not take the payout is followed by the next, with the same postings', async () => {
  const id = await sent();
  one.onSubmit = () => ({ kind: 'unavailable', message: 'connection refused' });
  const round = worker(one, two);
  await rounds(round, 0);
  assert.deepEqual([one.taken.size, two.taken.size, (await rowOf(id)).provider_account], [0, 1, 'two']);
  await rounds(round, 1_000);
  assert.equal((await read(id)).status, 'succeeded');
  assert.deepEqual(await journalsOf(store(), merchant.team, id), [...WAY_OUT, 'transfer.succeeded']);
  await assertBooks(store(), merchant.team);
});

test('when no provider is available the transfer waits and is retried', async () => {
  const id = await sent();
  for (const provider of [one, two]) provider.onSubmit = () => ({ kind: 'unavailable', message: 'circuit open' });
  const round = worker(one, two);
  await rounds(round, 0, 0);
  assert.deepEqual([one.calls, two.calls], [['submit'], ['submit']]);
  assert.equal((await read(id)).status, 'processing');
  await assertBooks(store(), merchant.team);
  one.onSubmit = () => undefined;
  await rounds(round, MINUTE_MS, 1_000);
  assert.equal((await read(id)).status, 'succeeded');
  assert.deepEqual([one.taken.size, two.taken.size], [1, 0]);
});

test('an unknown outcome is polled with growing intervals, and never sent again or to another provider', async () => {
  const id = await sent();
  one.onSubmit = (payout) => {
    one.taken.set(payout.provider_key, payout);
    return { kind: 'unknown', message: 'timeout' };
  };
  one.onRead = () => ({ kind: 'unavailable', message: 'maintenance' });
  const round = worker(one, two);
  const pauses: number[] = [];
  await round();
  for (let n = 0; n < 8; n++) {
    const next = (await rowOf(id)).next_poll_at as Date;
    pauses.push(next.getTime() - clock.now());
    clock.advance(pauses.at(-1) as number);
    await round();
  }
  assert.deepEqual(
    pauses.map((pause) => pause / 1_000),
    [4, 8, 16, 32, 64, 128, 256, 300],
  );
  assert.equal((await rowOf(id)).decision?.note, 'maintenance');
  assert.deepEqual([(await read(id)).status, (await read(id)).message], ['processing', null]);
  one.onRead = () => undefined;
  await rounds(round, 10 * MINUTE_MS);
  assert.equal((await read(id)).status, 'succeeded');
  assert.equal(one.calls.filter((call) => call === 'submit').length, 1);
  assert.deepEqual(two.calls, []);
});

test('an answer that says "not found" is as old as its question: applied after the grace, it proves nothing', async () => {
  const id = await sent();
  one.onSubmit = () => ({ kind: 'unknown', message: 'connection reset' });
  one.onRead = () => {
    clock.advance(11 * MINUTE_MS);
    return { kind: 'not_found' };
  };
  await rounds(worker(one, two), MINUTE_MS);
  assert.deepEqual(one.calls, ['submit', 'read']);
  assert.equal((await read(id)).status, 'processing');
});

test('a transfer unknown to the provider is sent again after the grace only, to it alone and with the same key', async () => {
  const id = await sent();
  one.onSubmit = () => ({ kind: 'unknown', message: 'connection reset' });
  const round = worker(one, two);
  await rounds(round, MINUTE_MS, MINUTE_MS, 7 * MINUTE_MS);
  assert.deepEqual(one.calls, ['submit', 'read', 'read', 'read']);
  one.onSubmit = () => undefined;
  await rounds(round, MINUTE_MS);
  assert.deepEqual(one.calls.slice(4), ['read', 'submit']);
  assert.deepEqual([...one.taken.keys()], [id]);
  await rounds(round, 1_000);
  assert.equal((await read(id)).status, 'succeeded');
  assert.deepEqual(await journalsOf(store(), merchant.team, id), [...WAY_OUT, 'transfer.succeeded']);
  assert.deepEqual(two.calls, []);
});

test('"unavailable" on a second submission proves nothing about the first: no other provider gets the transfer', async () => {
  const id = await sent();
  one.onSubmit = () => ({ kind: 'unknown', message: 'timeout' });
  const round = worker(one, two);
  await rounds(round, 11 * MINUTE_MS);
  assert.equal((await rowOf(id)).decision?.resent, true);
  one.onSubmit = () => ({ kind: 'unavailable', message: 'circuit open' });
  await rounds(round, 11 * MINUTE_MS, 11 * MINUTE_MS);
  assert.deepEqual([(await rowOf(id)).provider_account, two.calls], ['one', []]);
  one.onSubmit = () => undefined;
  await rounds(round, 11 * MINUTE_MS, MINUTE_MS);
  assert.equal((await read(id)).status, 'succeeded');
});

test('evidence with another amount or currency closes nothing', async () => {
  const id = await sent();
  const round = worker(one);
  await round();
  for (const other of [
    { amount_minor: 99_999n, currency: 'XAF' },
    { amount_minor: 100_000n, currency: 'XOF' },
  ]) {
    one.onRead = () => ({ kind: 'succeeded', provider_ref: 'r', ...other });
    await rounds(round, 5 * MINUTE_MS);
    assert.equal((await read(id)).status, 'processing');
    assert.match((await rowOf(id)).decision?.note ?? '', /another amount/);
  }
  one.onRead = () => undefined;
  await rounds(round, 5 * MINUTE_MS);
  assert.equal((await read(id)).status, 'succeeded');
});

test('a rejection in the response returns all money; without a contract reason the provider message is kept', async () => {
  const id = await sent();
  one.onSubmit = () => ({ kind: 'failed', reason: null, message: 'Limit of the wallet reached' });
  await worker(one)();
  const transfer = await read(id);
  assert.deepEqual([transfer.status, transfer.reason, transfer.message], ['failed', null, 'Limit of the wallet reached']);
  assert.equal((await bucketsOf(store(), merchant.team)).available, 10_000);
  await assertBooks(store(), merchant.team);
});

test('returned money repays what the platform advanced before it can be paid out', async () => {
  const id = await sent();
  await store().db.transaction((tx) =>
    post(tx, [
      {
        team_id: merchant.team.id,
        kind: 'test.advanced',
        source_id: id,
        subject_id: id,
        currency: 'XAF',
        postings: [{ debit: 'credit', credit: 'clearing', amount_minor: 900_000n }],
      },
    ]),
  );
  one.onSubmit = () => ({ kind: 'failed', reason: 'invalid_recipient', message: 'no such number' });
  await worker(one)();
  assert.equal((await bucketsOf(store(), merchant.team)).available, 1_000);
  await fund(api, merchant.team, 500);
  assert.equal((await bucketsOf(store(), merchant.team)).available, 1_500);
  await assertBooks(store(), merchant.team);
});

test('a response that arrives after the transfer was decided otherwise changes nothing', async () => {
  const id = await sent();
  const { promise: late, resolve: answer } = Promise.withResolvers<void>();
  const slow = handedOver(one, async (_, usual) => {
    await usual();
    await late;
    return { kind: 'failed', reason: null, message: 'too late' };
  });
  const first = worker(slow)();
  await once(() => one.taken.size > 0);
  clock.advance(MINUTE_MS);
  await worker(one)();
  assert.equal((await read(id)).status, 'succeeded');
  answer();
  await first;
  assert.equal((await read(id)).status, 'succeeded');
  assert.deepEqual(await eventsOf(store(), merchant.team, id), ['transfer.created', 'transfer.succeeded']);
  await assertBooks(store(), merchant.team);
});

test('"nothing was sent" is ignored once another worker has polled the transfer', async () => {
  const id = await sent();
  const { promise: late, resolve: answer } = Promise.withResolvers<void>();
  const slow = handedOver(one, async () => {
    one.calls.push('slow');
    await late;
    return { kind: 'unavailable', message: 'refused' };
  });
  const first = worker(slow, two)();
  await once(() => one.calls.length > 0);
  clock.advance(MINUTE_MS);
  await worker(one, two)();
  answer();
  await first;
  await rounds(worker(one, two), MINUTE_MS);
  assert.deepEqual([(await rowOf(id)).provider_account, two.calls], ['one', []]);
});

test('from an earlier submission only a success is applied', async () => {
  const id = await sent();
  one.onSubmit = () => ({ kind: 'unknown', message: 'timeout' });
  await worker(one)();
  const earlier = await rowOf(id);
  await rounds(worker(one), 11 * MINUTE_MS);
  assert.equal((await rowOf(id)).decision?.resent, true);
  const changedBy = async (occurrence: TransferOccurrence) => {
    const context = { environment: 'sandbox', at: clock.now() } as const;
    const applied = await store().db.transaction((tx) => applyTransfers(tx, context, [{ known: earlier, occurrence }]));
    return applied.get(id)?.changed;
  };
  assert.equal(await changedBy({ kind: 'failed', reason: null, message: 'duplicate' }), false);
  assert.equal(await changedBy({ kind: 'cancelled', message: 'given up' }), false);
  assert.equal((await rowOf(id)).status, 'processing');
  assert.equal(await changedBy({ kind: 'succeeded', provider_ref: 'r' }), true);
  assert.equal((await rowOf(id)).status, 'succeeded');
});

test('a transfer whose provider account is not loaded does not delay others', async () => {
  const stuck = await sent();
  await worker(one)();
  const fine = await sent();
  const round = worker(two);
  await rounds(round, 1_000, 1_000, MINUTE_MS);
  assert.equal((await read(fine)).status, 'succeeded');
  assert.equal((await read(stuck)).status, 'processing');
  await rounds(worker(one, two), MINUTE_MS, MINUTE_MS);
  assert.equal((await read(stuck)).status, 'succeeded');
});
