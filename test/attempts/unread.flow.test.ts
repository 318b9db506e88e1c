import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { findAttempt } from '../../src/core/attempts/store.ts';
import { applyAttemptCallback } from '../../src/core/charge/callback.ts';
import { applyCallback } from '../../src/core/charge/poll.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { applyStatementProof } from '../../src/core/charge/statement-proof.ts';
import { pollSweep, trancheSweep } from '../../src/core/charge/sweeps.ts';
import { must } from '../../src/kit/errors.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { Scripted } from '../setup/scripted.ts';

/** Callbacks about money that arrives, which what is said about the charge meanwhile does not answer. */
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
