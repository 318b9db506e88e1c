import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { findAttempt, markStep } from '../../src/core/attempts/store.ts';
import { applyAttemptCallback } from '../../src/core/charge/callback.ts';
import { applyCallback } from '../../src/core/charge/poll.ts';
import { reportOfReading } from '../../src/core/charge/reports.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { applyStatementProof } from '../../src/core/charge/statement-proof.ts';
import { pollSweep, trancheSweep } from '../../src/core/charge/sweeps.ts';
import { apply } from '../../src/core/payments/apply.ts';
import { must } from '../../src/kit/errors.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import type { Reading } from '../../src/providers/adapters/contract.ts';
import { NO_PROVIDER } from '../../src/providers/adapters/polling.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { Registry } from '../setup/providers.ts';
import { Scripted } from '../setup/scripted.ts';

/** What a person or a statement says of a charge does not answer what is reported of it meanwhile: callbacks about money, and money itself. */
const clock = new FakeClock();
const provider = new Scripted();
let api: Api;
let merchant: Merchant;

before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [provider] }) });
  merchant = await api.newMerchant({ verification_level: 3 });
});
after(() => api.stop());
afterEach(() => provider.reset());

const FAILED = { kind: 'failed', reason: 'payer_declined', message: 'declined' } as const;
const PENDING = { kind: 'pending', poll_after_ms: 1_000 } as const;
const UNREADABLE = { kind: 'unreadable', message: 'an empty page' } as const;
const EVIDENCE = { author: 'ops', evidence: 'their statement' };

const store = () => api.deps.stores.live;
const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { key: merchant.live.secret, ...(body ? { body } : {}) });
const shown = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction;
const attempt = async () => must(await findAttempt(store().db, merchant.team.id, provider.last.attempt_id), 'it was charged');
const ref = () => ({ team_id: merchant.team.id, id: provider.last.attempt_id });
const charge = (id: string, payer: string) => call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: payer } });
let phone = 650_500_000;

async function poll(): Promise<void> {
  clock.advance(60_000);
  await pollSweep(api.deps, store()).round();
}

async function charged(): Promise<string> {
  clock.advance(1);
  const { id } = (await call('POST', '/payments', { amount: 1_000, currency: 'XAF', phone: '1' })).body.transaction;
  assert.equal((await charge(id, String(++phone))).status, 202);
  return id;
}

/** A callback that nobody signed: the provider is read. */
function callBack() {
  const from = { team_id: merchant.team.id, account_id: provider.name };
  return applyAttemptCallback(api.deps, store(), from, { by: 'provider_key', value: provider.last.provider_key }, null);
}

const ENDS = {
  'a person': () => resolveAttempt(api.deps, store(), ref(), { as: 'failed', ...EVIDENCE }, WORKER),
  'a statement': () => applyStatementProof(api.deps, store(), ref(), FAILED, EVIDENCE, WORKER),
};

for (const [who, end] of Object.entries(ENDS)) {
  test(`a callback that nobody has read yet is read although ${who} ends the charge as failed`, async () => {
    const id = await charged();
    await callBack();
    provider.paid(provider.last);
    await end();
    assert.deepEqual([(await shown(id)).status, (await attempt()).status], ['failed', 'failed']);
    await poll();
    assert.deepEqual([(await attempt()).status, (await shown(id)).amount_captured], ['succeeded', 1_000]);
  });

  test(`a charge that ${who} ends as failed, and that is not due, is not read again`, async () => {
    await charged();
    await end();
    assert.deepEqual([(await attempt()).status, (await attempt()).next_poll_at], ['failed', null]);
  });
}

/** Applies what a provider says of the last charge. */
async function report(tx: Tx, reading: Reading): Promise<void> {
  const poll = { capabilities: NO_PROVIDER, polled_at: clock.now(), due: null };
  const place = { config: api.deps.config, environment: 'live' } as const;
  const context = { environment: 'live', at: clock.now(), listeners: api.deps.listeners } as const;
  await apply(tx, context, [reportOfReading(place, await attempt(), reading, poll)]);
}

const paid = (amount_minor: bigint): Reading => ({ kind: 'succeeded', provider_ref: 'late', amount_minor, currency: 'XAF' });

const MEANWHILE: [what: string, change: (tx: Tx) => Promise<unknown>, fault: RegExp, after: { status: string; held: bigint }][] =
  [
    [
      'another amount arrives',
      (tx) => report(tx, paid(90_000n)),
      /has changed at this moment/,
      { status: 'unknown', held: 90_000n },
    ],
    ['it succeeds', (tx) => report(tx, paid(100_000n)), /decided already: succeeded/, { status: 'succeeded', held: 0n }],
    ['its provider ends it', (tx) => report(tx, FAILED), /decided already: failed/, { status: 'failed', held: 0n }],
    [
      'the payer sends a code',
      async (tx) => markStep(tx, await attempt(), new Date(clock.now()), new Date(clock.now() + 60_000)),
      /being handed over/,
      { status: 'open', held: 0n },
    ],
  ];

for (const [who, end] of Object.entries(ENDS))
  for (const [what, change, fault, after] of MEANWHILE) {
    test(`${who} does not end a charge when ${what} while the lock is awaited`, async () => {
      merchant = await api.newMerchant({ verification_level: 3 });
      const id = await charged();
      let rejected: Promise<void> = Promise.resolve();
      await store().db.transaction(async (tx) => {
        await change(tx);
        rejected = assert.rejects(end(), fault);
        await untilLocked(api.databases.live);
      });
      await rejected;
      const held = (await readBalances(store().db, merchant.team.id, 'XAF')).get('hold') ?? 0n;
      assert.deepEqual({ status: (await attempt()).status, held }, after);
      const entries = await store().db.all(
        sql`select from audit_entries where action = 'payment.resolve' and resource_id = ${id}`,
      );
      assert.equal(entries.length, 0, 'no entry of what was not done');
    });
  }

test('a line of a statement is not reported as applied when another amount has been reported since the comparison', async () => {
  await charged();
  const apply = (proof: Parameters<typeof applyStatementProof>[3]) =>
    assert.rejects(applyStatementProof(api.deps, store(), ref(), proof, EVIDENCE, WORKER), /has changed at this moment/);
  const hold = (amount_minor: bigint) => store().db.transaction((tx) => report(tx, paid(amount_minor)));
  await hold(90_000n);
  await apply(paid(80_000n) as never);
  await ENDS['a person']();
  await hold(70_000n);
  await apply(FAILED);
  assert.equal((await attempt()).mismatch?.amount_minor, '70000');
});

test('a person ends the reading of a charge that had ended before', async () => {
  await charged();
  await callBack();
  provider.readings.set(provider.last.attempt_id, UNREADABLE);
  await ENDS['a person']();
  await poll();
  assert.notEqual((await attempt()).next_poll_at, null);
  clock.advance(600_000);
  await ENDS['a person']();
  assert.equal((await attempt()).next_poll_at, null);
});

test('a failed charge that its provider calls back about, and calls pending when it is asked, is read until it is decided', async () => {
  const id = await charged();
  provider.readings.set(provider.last.attempt_id, FAILED);
  await poll();
  assert.deepEqual([(await shown(id)).status, (await attempt()).next_poll_at], ['failed', null]);
  provider.readings.set(provider.last.attempt_id, PENDING);
  await callBack();
  provider.paid(provider.last);
  await poll();
  assert.deepEqual([(await attempt()).status, (await shown(id)).amount_captured], ['succeeded', 1_000]);
});

test('a signed callback that calls a failed charge pending is older than the failure, and has nothing read', async () => {
  await charged();
  provider.readings.set(provider.last.attempt_id, FAILED);
  await poll();
  await applyCallback(api.deps, store(), await attempt(), PENDING);
  assert.equal((await attempt()).next_poll_at, null);
});

async function pollAndContinue(): Promise<void> {
  await poll();
  await trancheSweep(api.deps, store()).round();
}

/** A payment of which one tranche is paid, and another is with its provider. */
async function inTranches(): Promise<string> {
  clock.advance(86_400_000);
  const { id } = (await call('POST', '/payments', { amount: 600_000, currency: 'XAF', phone: '1' })).body.transaction;
  assert.equal((await charge(id, '650600000')).status, 202);
  provider.paid(provider.last);
  await pollAndContinue();
  assert.deepEqual([(await shown(id)).status, provider.submitted.length], ['partial', 2]);
  return id;
}

for (const [who, end] of Object.entries(ENDS))
  for (const news of ['before', 'after'] as const) {
    test(`a tranche that is called back about ${news} ${who} ends it prompts nobody once its provider calls it failed, too`, async () => {
      const id = await inTranches();
      if (news === 'before') await callBack();
      provider.readings.set(provider.last.attempt_id, news === 'before' ? FAILED : UNREADABLE);
      await end();
      if (news === 'after') await callBack();
      provider.readings.set(provider.last.attempt_id, FAILED);
      for (let round = 0; round < 3; round++) await pollAndContinue();
      const { status, next_poll_at } = await attempt();
      assert.deepEqual([status, next_poll_at, provider.submitted.length], ['failed', null, 2]);
      assert.equal((await charge(id, '650600000')).status, 202, 'the payer goes on');
    });
  }
