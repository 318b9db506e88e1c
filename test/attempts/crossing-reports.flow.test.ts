import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must } from '../../src/kit/errors.ts';
import { findPayment } from '../../src/core/payments/store.ts';
import { pageStateOf, progressOf } from '../../src/edge/checkout/page-state.ts';
import { findAttempt } from '../../src/core/attempts/store.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { makeToken } from '../../src/core/payments/token.ts';
import { applyAttemptCallback } from '../../src/core/charge/callback.ts';
import { applyCallback } from '../../src/core/charge/poll.ts';
import { reportOfReading } from '../../src/core/charge/reports.ts';
import { pollSweep } from '../../src/core/charge/sweeps.ts';
import { apply } from '../../src/core/payments/apply.ts';
import { Payer } from '../checkout/payer.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { Registry } from '../setup/providers.ts';
import { ACCEPTED, Scripted } from '../setup/scripted.ts';

/** A report that is applied after the attempt it is about has changed. */
const clock = new FakeClock();
const provider = new Scripted();
/** The second choice for one channel. */
const other = Object.assign(new Scripted('other'), { collects: (channel: string) => channel === 'cm.orange' });
let api: Api;
let merchant: Merchant;

before(async () => {
  api = await startApi({
    clock,
    workers: false,
    providers: new Registry({ sandbox: [provider, other], live: [provider, other] }),
  });
  merchant = await api.newMerchant({ verification_level: 3 });
});
after(() => api.stop());
afterEach(() => provider.reset());

const store = () => api.deps.stores.live;
const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { key: merchant.live.secret, ...(body ? { body } : {}) });
const shown = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction;
let phone = 650_200_000;
async function charged(amount = 1_000): Promise<string> {
  clock.advance(1);
  const { id } = (await call('POST', '/payments', { amount, currency: 'XAF', phone: '1' })).body.transaction;
  await call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: String(++phone) } });
  return id;
}
const attempt = async () => must(await findAttempt(store().db, merchant.team.id, provider.last.attempt_id), 'it was charged');

/** A callback that nobody signed, as the provider sends it; it may tell the name it gave the attempt. */
const hint = (told?: string) =>
  applyAttemptCallback(
    api.deps,
    store(),
    { team_id: merchant.team.id, account_id: provider.name },
    {
      ...{ by: 'provider_key', value: provider.last.provider_key },
      ...(told ? { reported: { by: 'provider_ref', value: told } } : {}),
    } as never,
    null,
  );

test('a callback that comes while the attempt is polled makes it be asked again at once', async () => {
  await charged();
  provider.readings.set(provider.last.attempt_id, { kind: 'pending', poll_after_ms: 100_000 });
  provider.onRead = async () => void (await hint());
  clock.advance(2_000);
  await pollSweep(api.deps, store()).round();
  assert.equal((await attempt()).next_poll_at?.getTime(), clock.now());
  provider.onRead = async () => {};
  await pollSweep(api.deps, store()).round();
  assert.equal(provider.asked.length, 2);
  assert.equal((await attempt()).next_poll_at?.getTime(), clock.now() + 100_000, 'and then by the plan');
});

test('a callback that arrives before the response to the charge makes the attempt due for a poll at once', async () => {
  provider.onSubmit = async () => void (await hint());
  await charged();
  assert.equal((await attempt()).next_poll_at?.getTime(), clock.now());
});

const FAILED = { kind: 'failed', reason: 'payer_declined', message: 'declined' } as const;

/** A callback that comes while an answer of failure is on its way may be about a success after it, and the provider does not repeat it. */
async function paidAfterFailure(id: string) {
  provider.onRead = provider.onSubmit = async () => {};
  assert.equal((await shown(id)).status, 'failed');
  provider.paid(provider.last);
  await pollSweep(api.deps, store()).round();
  assert.equal((await shown(id)).amount_captured, 1_000);
  assert.equal((await attempt()).next_poll_at, null);
}

/** A poll reads that the last attempt failed; a callback about it comes before that is applied. */
async function failWithNews(): Promise<void> {
  const { attempt_id } = provider.last;
  provider.readings.set(attempt_id, FAILED);
  provider.onRead = async (asked) => {
    if (asked.attempt_id !== attempt_id) return;
    provider.onRead = async () => {};
    await hint();
  };
  clock.advance(2_000);
  await pollSweep(api.deps, store()).round();
}

test('a callback that comes while a failure is read makes the ended attempt be read once more', async () => {
  const id = await charged();
  await failWithNews();
  await paidAfterFailure(id);
});

test('the page of a payment whose failure is read once more waits for that, and follows it', async () => {
  const id = await charged();
  await failWithNews();
  const shop = { environment: 'live', team_id: merchant.team.id, payment_id: id } as const;
  const payer = new Payer(`${api.url}/pay/${makeToken(api.deps.secrets, shop)}`);
  const page = async () => [/data-follow/.test((await payer.get()).body), (await payer.get('/status')).body.step];
  assert.deepEqual(await page(), [true, 'checked']);
  assert.equal((await payer.json({ channel: 'cm.mtn', phone: String(phone) })).status, 400, 'no other charge meanwhile');
  await pollSweep(api.deps, store()).round();
  assert.deepEqual(await page(), [false, 'none']);
});

test('another browser, too, follows a payment whose failure is read once more, and is not asked to take it over', async () => {
  clock.advance(1);
  const { transaction, authorization_url } = (await call('POST', '/payments', { amount: 1_000, currency: 'XAF', phone: '1' }))
    .body;
  const charge = { channel: 'cm.mtn', phone: String(++phone) };
  assert.equal((await new Payer(authorization_url).json(charge)).status, 202);
  await failWithNews();
  const other = new Payer(authorization_url);
  const { body } = await other.get();
  assert.deepEqual([/data-follow/.test(body), /<form/.test(body)], [true, false]);
  await pollSweep(api.deps, store()).round();
  assert.equal((await shown(transaction.id)).status, 'failed');
  assert.doesNotMatch((await other.get()).body, /data-follow/);
});

test('a page does not wait for an attempt that is polled long after it was closed', async () => {
  const id = await charged();
  await failWithNews();
  clock.advance(10_000);
  const seen = { payment: must(await findPayment(store().db, merchant.team.id, id), 'it exists'), attempts: [await attempt()] };
  assert.deepEqual(pageStateOf(seen, clock.now()), { kind: 'final', status: 'failed' });
  assert.equal(progressOf(seen, false, clock.now()).step, 'none', 'a waiting page sees the change');
});

test('a callback that comes before a refusal is answered makes the refused attempt be read once more', async () => {
  provider.submission = { kind: 'refused', reason: 'payer_declined', message: 'declined' };
  provider.onSubmit = async () => void (await hint());
  await paidAfterFailure(await charged());
});

const CLOSED = { kind: 'unavailable', message: 'closed' } as const;
const PENDING = { kind: 'pending', poll_after_ms: 1_000 } as const;
const UNREADABLE = { kind: 'unreadable', message: 'an empty page' } as const;

/** Creates a payment whose provider answers that it is unavailable. */
async function turnedAway(meanwhile = async () => {}, channel = 'cm.mtn') {
  provider.submission = CLOSED;
  provider.onSubmit = meanwhile;
  clock.advance(1);
  const { id } = (await call('POST', '/payments', { amount: 1_000, currency: 'XAF', phone: '1' })).body.transaction;
  const body = { channel, data: { phone: String(++phone) } };
  const answer = await call('POST', `/payments/${id}`, body);
  provider.submission = ACCEPTED;
  provider.onSubmit = async () => {};
  const again = () => call('POST', `/payments/${id}`, body);
  return { id, again, answer };
}

for (const when of ['before', 'after'] as const) {
  const news = async () => {
    const calledBack = async () => void (await hint());
    const { id, again, answer } = await turnedAway(when === 'before' ? calledBack : undefined);
    assert.equal(answer.status, when === 'before' ? 400 : 502);
    return { id, again, calledBack: when === 'after' ? calledBack : async () => {} };
  };

  test(`a callback ${when} "unavailable" is stored has the charge polled until its provider tells; no other is sent meanwhile`, async () => {
    const { id, again, calledBack } = await news();
    for (const reading of [{ kind: 'not_found' } as const, UNREADABLE, PENDING]) {
      provider.readings.set(provider.last.attempt_id, reading);
      await calledBack();
      clock.advance(60_000);
      await pollSweep(api.deps, store()).round();
      assert.match((await again()).body.message, /already under way|is processing/);
      assert.equal((await call('DELETE', `/payments/${id}`)).status, 400);
    }
    provider.paid(provider.last);
    clock.advance(60_000);
    await pollSweep(api.deps, store()).round();
    const { status, channel, fee, amount_captured } = await shown(id);
    assert.deepEqual([status, channel, fee, amount_captured], ['succeeded', 'cm.mtn', 20, 1_000]);
  });

  test(`a callback ${when} "unavailable" about a charge that its provider does not have leaves the payment to the next charge`, async () => {
    const { again, calledBack } = await news();
    await calledBack();
    clock.advance(3_600_000);
    await pollSweep(api.deps, store()).round();
    assert.equal((await attempt()).next_poll_at, null);
    assert.equal((await again()).status, 202);
  });

  test(`a callback ${when} "unavailable" of a provider that nobody can read blocks the payment for seven days`, async () => {
    const { calledBack } = await news();
    provider.readings.set(provider.last.attempt_id, UNREADABLE);
    await calledBack();
    const polled = async (days: number) => {
      clock.advance(days * 86_400_000);
      await pollSweep(api.deps, store()).round();
      return (await attempt()).next_poll_at !== null;
    };
    assert.deepEqual([await polled(6), await polled(2)], [true, false]);
  });
}

test('while a provider is read that has called back about a charge it turned away, no other charge is sent', async () => {
  const { again } = await turnedAway();
  const sent = provider.submitted.length;
  let meanwhile: number | undefined;
  provider.onRead = async () => {
    meanwhile = (await again()).status;
  };
  provider.readings.set(provider.last.attempt_id, FAILED);
  await hint();
  assert.deepEqual([meanwhile, provider.submitted.length], [400, sent]);
  provider.onRead = async () => {};
  assert.equal((await again()).status, 202);
});

test('a person can decide that a charge did not happen which a provider that cannot be read has called back about', async () => {
  const { id, again } = await turnedAway();
  provider.readings.set(provider.last.attempt_id, UNREADABLE);
  await hint();
  const link = await findPayment(store().db, merchant.team.id, id);
  const seen = { payment: must(link, 'it exists'), attempts: [await attempt()] };
  assert.equal(pageStateOf(seen, clock.now()).kind, 'under_way');
  const ref = { team_id: merchant.team.id, id: provider.last.attempt_id };
  await resolveAttempt(api.deps, store(), ref, { as: 'failed', evidence: 'their statement', author: 'ops' }, WORKER);
  assert.equal((await again()).status, 202);
});

test('a charge that a person has decided, and that its provider does not know, is not polled for ever after a callback', async () => {
  await charged();
  const ref = { team_id: merchant.team.id, id: provider.last.attempt_id };
  await resolveAttempt(api.deps, store(), ref, { as: 'failed', evidence: 'their statement', author: 'ops' }, WORKER);
  clock.advance(3_600_000);
  await hint();
  assert.equal((await attempt()).next_poll_at, null);
});

test('another provider is tried after one that is unavailable, and not after one that has called back', async () => {
  const news = await turnedAway(async () => void (await hint()), 'cm.orange');
  assert.deepEqual([news.answer.status, other.submitted.length], [400, 0]);
  assert.deepEqual([(await turnedAway(undefined, 'cm.orange')).answer.status, other.submitted.length], [202, 1]);
});

test('an attempt that a worker reads as pending while its failure is reported is read once more at once, not by the plan', async () => {
  await charged();
  const open = await attempt();
  provider.readings.set(open.id, { kind: 'pending', poll_after_ms: 300_000 });
  clock.advance(2_000);
  await pollSweep(api.deps, store()).round();
  provider.readings.set(open.id, FAILED);
  await applyCallback(api.deps, store(), open, FAILED);
  assert.deepEqual([(await attempt()).status, (await attempt()).next_poll_at?.getTime()], ['failed', clock.now()]);
  await pollSweep(api.deps, store()).round();
  assert.equal((await attempt()).next_poll_at, null);
});

for (const [what, reading, days] of [
  ['does not know', { kind: 'not_found' }, 0],
  ['calls pending', { kind: 'pending', poll_after_ms: 1_000 }, 7],
] as const) {
  test(`an attempt that ended while a callback came, and that its provider ${what}, is not read for ever`, async () => {
    await charged();
    await failWithNews();
    provider.readings.set(provider.last.attempt_id, reading);
    const polled = async (ms: number) => {
      clock.advance(ms);
      for (let i = 0; i < 2; i++) await pollSweep(api.deps, store()).round();
      return (await attempt()).next_poll_at !== null;
    };
    await polled(1_000);
    if (days > 0) assert.equal(await polled((days - 1) * 86_400_000), true);
    assert.equal(await polled(2 * 86_400_000), false);
  });
}

test('an attempt that ends without news about it is not read again', async () => {
  const id = await charged();
  provider.readings.set(provider.last.attempt_id, FAILED);
  clock.advance(2_000);
  await pollSweep(api.deps, store()).round();
  assert.deepEqual([(await shown(id)).status, (await attempt()).next_poll_at], ['failed', null]);
});

test('a callback that finds the attempt open while its end is being committed makes it be read after that', async () => {
  const id = await charged();
  const open = await attempt();
  const context = { environment: 'live' as const, at: clock.now(), listeners: api.deps.listeners };
  const place = { config: api.deps.config, environment: 'live' as const };
  const { capabilities } = must(await api.deps.providers.byAccount('live', merchant.team.id, provider.name), 'it can be used');
  const poll = { capabilities, polled_at: clock.now(), due: open.next_poll_at };
  let told: Promise<unknown> = Promise.resolve();
  await store().db.transaction(async (tx) => {
    await apply(tx, context, [reportOfReading(place, open, FAILED, poll)]);
    provider.paid(provider.last);
    told = hint();
    await untilLocked(api.databases.live);
  });
  await told;
  assert.equal((await shown(id)).amount_captured, 1_000);
});

test('a provider reference from a callback is stored, also when it arrives during a poll or a submission', async () => {
  provider.submission = { kind: 'unknown', message: 'timeout' };
  provider.onSubmit = async () => void (await hint('told-1'));
  await charged();
  assert.equal((await attempt()).provider_ref, 'told-1');
  provider.onSubmit = async () => {};
  await charged();
  provider.readings.set(provider.last.attempt_id, { kind: 'unreadable', message: '?' });
  provider.onRead = async () => void (await hint('told-2'));
  clock.advance(3_000);
  await pollSweep(api.deps, store()).round();
  assert.equal((await attempt()).provider_ref, 'told-2');
});

test('a provider reference from a callback is stored for an attempt that has failed too: late money is read by it', async () => {
  provider.submission = { kind: 'unknown', message: 'timeout' };
  const id = await charged();
  const about = { by: 'provider_key', value: provider.last.provider_key } as const;
  const declined = { kind: 'failed', reason: 'payer_declined', message: 'declined' } as const;
  await applyAttemptCallback(api.deps, store(), { team_id: merchant.team.id, account_id: provider.name }, about, declined);
  assert.equal((await shown(id)).status, 'failed');
  provider.paid(provider.last);
  await hint('told-late');
  assert.equal(provider.asked.at(-1)?.provider_ref, 'told-late');
  assert.equal((await shown(id)).amount_captured, 1_000);
});

test('what others write of attempts while a report of them is applied is never written over, 20 times', async () => {
  for (let i = 0; i < 20; i++) {
    provider.submission = { kind: 'unknown', message: 'timeout' };
    await charged();
    provider.readings.set(provider.last.attempt_id, { kind: 'unreadable', message: '?' });
    clock.advance(3_000);
    await Promise.all([pollSweep(api.deps, store()).round(), hint(`at-once-${i}`)]);
    assert.equal((await attempt()).provider_ref, `at-once-${i}`);
  }
});

for (const [what, amount, total] of [
  ['a payment in tranches', 900_000, 450_000],
  ['a payment', 1_000, 1_000],
] as const) {
  for (const by of ['provider', 'person'] as const) {
    test(`${what} whose "unavailable" provider took the money after all has the fee and the channel of that charge: by a ${by}`, async () => {
      provider.submission = { kind: 'unavailable', message: 'closed' };
      const id = await charged(amount);
      assert.deepEqual([(await shown(id)).status, (await shown(id)).channel], ['pending', null]);
      if (by === 'provider') {
        provider.paid(provider.last);
        await hint();
      } else {
        const ref = { team_id: merchant.team.id, id: provider.last.attempt_id };
        await resolveAttempt(api.deps, store(), ref, { as: 'succeeded', evidence: 'statement', author: 'ops' }, WORKER);
      }
      const { status, channel, fee, amount_captured } = await shown(id);
      assert.deepEqual([channel, fee, amount_captured], ['cm.mtn', amount / 50, total]);
      assert.equal(status, amount === total ? 'succeeded' : 'partial');
    });
  }
}
