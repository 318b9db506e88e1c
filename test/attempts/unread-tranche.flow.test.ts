import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findAttempt } from '../../src/core/attempts/store.ts';
import { applyAttemptCallback } from '../../src/core/charge/callback.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { applyStatementProof } from '../../src/core/charge/statement-proof.ts';
import { pollSweep, trancheSweep } from '../../src/core/charge/sweeps.ts';
import { must } from '../../src/kit/errors.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { Scripted } from '../setup/scripted.ts';

/** A tranche that a person or a document ends as failed leaves the next step to the payer, also when it is read once more after that. */
const clock = new FakeClock();
const provider = new Scripted();
let api: Api;
let merchant: Merchant;

before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [provider] }) });
  merchant = await api.newMerchant({ verification_level: 3 });
});
after(() => api.stop());

const FAILED = { kind: 'failed', reason: 'payer_declined', message: 'declined' } as const;
const UNREADABLE = { kind: 'unreadable', message: 'an empty page' } as const;
const EVIDENCE = { author: 'ops', evidence: 'their statement' };

const store = () => api.deps.stores.live;
const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { key: merchant.live.secret, ...(body ? { body } : {}) });
const shown = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction;
const ref = () => ({ team_id: merchant.team.id, id: provider.last.attempt_id });
const charge = (id: string) => call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: '650600000' } });

async function work(): Promise<void> {
  clock.advance(60_000);
  await pollSweep(api.deps, store()).round();
  await trancheSweep(api.deps, store()).round();
}

/** A payment of which one tranche is paid, and another is with its provider. */
async function inTranches(): Promise<string> {
  provider.reset();
  clock.advance(86_400_000);
  const { id } = (await call('POST', '/payments', { amount: 600_000, currency: 'XAF', phone: '1' })).body.transaction;
  assert.equal((await charge(id)).status, 202);
  provider.paid(provider.last);
  await work();
  assert.deepEqual([(await shown(id)).status, provider.submitted.length], ['partial', 2]);
  return id;
}

const ENDS = {
  'a person': () => resolveAttempt(api.deps, store(), ref(), { as: 'failed', ...EVIDENCE }, WORKER),
  'a statement': () => applyStatementProof(api.deps, store(), ref(), FAILED, EVIDENCE, WORKER),
};

function callBack() {
  const from = { team_id: merchant.team.id, account_id: provider.name };
  return applyAttemptCallback(api.deps, store(), from, { by: 'provider_key', value: provider.last.provider_key }, null);
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
      for (let round = 0; round < 3; round++) await work();
      const ended = must(await findAttempt(store().db, merchant.team.id, provider.last.attempt_id), 'it was charged');
      assert.deepEqual([ended.status, ended.next_poll_at, provider.submitted.length], ['failed', null, 2]);
      assert.equal((await charge(id)).status, 202, 'the payer goes on');
    });
  }
