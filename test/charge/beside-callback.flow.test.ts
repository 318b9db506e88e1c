import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findAttempt, pollDoubted } from '../../src/core/attempts/store.ts';
import { lockPayments } from '../../src/core/payments/store.ts';
import { must } from '../../src/kit/errors.ts';
import { type Answer, type Api, FakeClock, startApi } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { Registry } from '../setup/providers.ts';
import { ACCEPTED, Scripted } from '../setup/scripted.ts';

/** A provider that needs no step before money can move: nothing is checked between the intent and the submission. */
const provider = new Scripted();
Object.defineProperty(provider, 'prepare', { value: undefined });
const clock = new FakeClock();
let api: Api;
before(async () => {
  const providers = new Registry({ sandbox: [], live: [provider] });
  api = await startApi({ workers: false, clock, providers });
});
after(() => api.stop());

test('a callback that is being committed while the next charge waits for the payment lets no other be sent', async () => {
  const merchant = await api.newMerchant({ verification_level: 3 });
  const call = (path: string, body: object) => api.call('POST', path, { key: merchant.live.secret, body });
  const { id } = (await call('/payments', { amount: 1_000, currency: 'XAF', phone: '1' })).body.transaction;
  const charge = () => call(`/payments/${id}`, { channel: 'cm.mtn', data: { phone: '650000000' } });
  provider.submission = { kind: 'unavailable', message: 'closed' };
  assert.equal((await charge()).status, 502);
  provider.submission = ACCEPTED;
  const store = api.deps.stores.live;
  const { attempt_id } = provider.last;
  const turnedAway = must(await findAttempt(store.db, merchant.team.id, attempt_id), 'it was charged');
  let next: Promise<Answer> | undefined;
  await store.db.transaction(async (tx) => {
    await lockPayments(tx, [{ team_id: merchant.team.id, id }]);
    await pollDoubted(tx, turnedAway, new Date(clock.now()), new Date(0));
    next = charge();
    await untilLocked(api.databases.live);
  });
  assert.deepEqual([(await next)?.status, provider.submitted.length], [400, 1]);
});
