import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findAttempt } from '../../src/core/attempts/store.ts';
import { cancelAttempt } from '../../src/core/charge/poll.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Cancellation, Reading } from '../../src/providers/adapters/contract.ts';
import { type Api, startApi } from '../setup/api.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { signedIn } from '../console/people.ts';
import { newPayment, Payer } from './payer.ts';

/** What the provider with a cancellation answers; the test sets it. */
let answer: { cancel: Cancellation; read: Reading };
const cancelled: string[] = [];
const PENDING: Reading = { kind: 'pending', poll_after_ms: 3_600_000 };

/** Collects from wave with a page of its own that can be closed, and from the others with a prompt that cannot. */
const page: TestProvider = {
  name: 'page',
  collects: (channel) => channel.endsWith('.wave'),
  submit: async () => {
    const next = { kind: 'redirect', url: 'https://pay.wave.com/c/x' } as const;
    return { kind: 'accepted', provider_ref: 'w', next, poll_after_ms: 3_600_000 };
  },
  read: async () => answer.read,
  cancel: async ({ provider_key }) => {
    cancelled.push(provider_key);
    return answer.cancel;
  },
};
const prompt: TestProvider = {
  name: 'prompt',
  collects: (channel) => !channel.endsWith('.wave') && channel !== 'bf.orange',
  submit: async () => ({ kind: 'accepted', provider_ref: 'p', next: { kind: 'confirm' }, poll_after_ms: 3_600_000 }),
  read: async () => PENDING,
};

/** Asks for a code before it sends anything. */
const continued: string[] = [];
const coded: TestProvider = {
  name: 'coded',
  collects: (channel) => channel === 'bf.orange',
  capabilities: {
    ...{ idempotency: 'conflicts', readable_by: 'ours', polls: { first_ms: 3_600_000, factor: 1, max_ms: 3_600_000 } },
    ...{ not_found_grace_ms: 900_000, code_first: true },
  },
  submit: async () => {
    return { kind: 'accepted', provider_ref: null, next: { kind: 'otp' }, poll_after_ms: 3_600_000, code_first: true };
  },
  continue: async ({ attempt_id }) => {
    continued.push(attempt_id);
    return { kind: 'unknown', message: 'no answer' };
  },
  read: async () => PENDING,
};

let api: Api;
before(async () => {
  api = await startApi({ providers: new Registry({ sandbox: [page, coded, prompt], live: [] }) });
});
after(() => api.stop());

const WAVE = { currency: 'XOF', phone: '+221770000000' };

/** A payment that its payer has begun on the page. */
async function begun(changes: object, channel: string, phone: string) {
  const { url, id } = await newPayment(api, changes);
  const payer = new Payer(url);
  await payer.get();
  assert.equal((await payer.submit({ channel, phone })).status, 303);
  return { payer, url, id, shown: (await payer.get()).body as string };
}

const statusOf = async (id: string) => (await api.call('GET', `/payments/${id}`)).body.transaction.status;

test('a payer cancels where the provider closes its page: the payment is cancelled, and the audit trail names the payer', async () => {
  const { payer, id, shown } = await begun(WAVE, 'sn.wave', '770000000');
  assert.match(shown, /action="[^"]*\/cancel"/);
  answer = { cancel: { kind: 'cancelled' }, read: { kind: 'expired' } };
  const asked = await payer.submit({}, '/cancel');
  assert.equal(asked.status, 303);
  assert.equal(await statusOf(id), 'cancelled');
  assert.match((await payer.get()).body, /Payment cancelled[\s\S]*Nothing was charged/);
  const entries = await api.deps.stores.sandbox.db.all<{ actor: string }>(
    sql`select actor from audit_entries where resource_id = ${id} and action = 'payment.cancel'`,
  );
  assert.deepEqual(
    entries.map(({ actor }) => actor),
    ['payer'],
  );
});

test('the answer in JSON has the payment as it is after the cancellation', async () => {
  const { payer, id } = await begun(WAVE, 'sn.wave', '770000000');
  answer = { cancel: { kind: 'cancelled' }, read: { kind: 'expired' } };
  const { status, body } = await payer.json({}, '/cancel');
  assert.deepEqual(
    [status, body.message, body.transaction.id, body.transaction.status],
    [200, 'Cancellation requested', id, 'cancelled'],
  );
});

test('a payer who has paid before the cancellation has paid', async () => {
  const { payer, id } = await begun(WAVE, 'sn.wave', '770000000');
  answer = {
    cancel: { kind: 'too_late', message: 'complete' },
    read: { kind: 'succeeded', provider_ref: 'w', amount_minor: 2_500_000n, currency: 'XOF' },
  };
  const asked = await payer.submit({}, '/cancel');
  assert.equal(await statusOf(id), 'succeeded');
  assert.doesNotMatch(asked.headers.get('location') ?? '', /note/, 'another charge that is open by now was not cancelled');
});

test('a cancellation that the provider has not confirmed ends nothing, and no second charge can begin', async () => {
  const { payer, id } = await begun(WAVE, 'sn.wave', '770000000');
  for (const cancel of [{ kind: 'cancelled' }, { kind: 'unknown', message: 'no answer' }] as Cancellation[]) {
    answer = { cancel, read: PENDING };
    assert.match((await payer.submit({}, '/cancel')).headers.get('location') ?? '', /\?note=asked$/);
    assert.equal(await statusOf(id), 'processing', cancel.kind);
  }
  assert.match((await payer.get('?note=asked')).body, /has been asked to cancel and has not confirmed it yet/);
  await payer.submit({ channel: 'sn.orange', phone: '770000000' });
  const [{ count } = { count: 0 }] = await api.deps.stores.sandbox.db.all<{ count: number }>(
    sql`select count(*)::integer as count from attempts where payment_id = ${id}`,
  );
  assert.equal(count, 1);
});

test('a person who cancels after a payer could not is shown the reason, not that it was cancelled', async () => {
  const finance = await signedIn(api, 'finance');
  const payments = `/console/${api.team.id}/sandbox/payments`;
  const read: Reading = { kind: 'succeeded', provider_ref: 'w', amount_minor: 2_500_000n, currency: 'XOF' };
  for (const [status, outcome] of [
    ['succeeded', { cancel: { kind: 'too_late', message: 'complete' }, read }],
    ['processing', { cancel: { kind: 'unknown', message: 'no answer' }, read: PENDING }],
  ] as [string, typeof answer][]) {
    const { payer, id } = await begun(WAVE, 'sn.wave', '770000000');
    answer = outcome;
    await payer.submit({}, '/cancel');
    assert.equal(await statusOf(id), status);
    const refused = await finance.submit(payments, `${payments}/${id}/cancel`);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /class="alert bad"[^>]*>The payment is (?:succeeded|processing) and cannot be cancelled/);
  }
});

test('a person who cancels after the payer has cancelled is shown the cancelled payment', async () => {
  const finance = await signedIn(api, 'finance');
  const payments = `/console/${api.team.id}/sandbox/payments`;
  const { payer, id } = await begun(WAVE, 'sn.wave', '770000000');
  answer = { cancel: { kind: 'cancelled' }, read: { kind: 'expired' } };
  await payer.submit({}, '/cancel');
  assert.equal(await statusOf(id), 'cancelled');
  const { status, to } = await finance.submit(payments, `${payments}/${id}/cancel`);
  assert.deepEqual([status, to], [303, `${payments}/${id}?done=cancel`]);
});

test('a prompt that no provider can take back has words instead of a button, and a submit changes nothing', async () => {
  const { payer, url, id, shown } = await begun({}, 'cm.mtn', '650000000');
  assert.doesNotMatch(shown, /\/cancel"/);
  assert.match(shown, /Wrong number\?[\s\S]*\+237\s6\s50\s00\s00\s00[\s\S]*It ends by itself within 5 minutes/);
  assert.match(shown, /Cancel this payment[\s\S]*stopped only there[\s\S]*returned automatically/);
  assert.match(shown, /<a class="dial" href="tel:\*126%23">\*126#<\/a>/);
  const before = cancelled.length;
  const { status, headers } = await payer.submit({}, '/cancel');
  assert.deepEqual([status, headers.get('location')], [303, new URL(url).pathname], 'nobody was asked');
  assert.equal((await payer.json({}, '/cancel')).status, 400);
  assert.deepEqual([cancelled.length, await statusOf(id)], [before, 'processing']);
});

const BURKINA = { currency: 'XOF', phone: '+22670000000' };
const attemptOf = async (id: string) => {
  const shown = (await api.call('GET', `/payments/${id}`)).body.transaction;
  return must(await findAttempt(api.deps.stores.sandbox.db, api.team.id, shown.attempts[0].id), 'it was charged');
};

test('a charge that waits for its code before anything is sent can be cancelled; its code is not sent afterwards', async () => {
  const { payer, id, shown } = await begun(BURKINA, 'bf.orange', '70000000');
  assert.match(shown, /action="[^"]*\/cancel"/);
  const { status, headers } = await payer.submit({}, '/cancel');
  assert.deepEqual([status, /note/.test(headers.get('location') ?? ''), await statusOf(id)], [303, false, 'cancelled']);
  assert.equal((await payer.json({ otp: '1234' }, '/otp')).status, 400);
  const { status: ended, next_poll_at } = await attemptOf(id);
  assert.deepEqual([ended, next_poll_at, continued], ['cancelled', null, []]);
});

test('a charge whose code may have been sent cannot be cancelled, not even when it was read before that', async () => {
  const { payer, id } = await begun(BURKINA, 'bf.orange', '70000001');
  const before = await attemptOf(id);
  assert.equal((await payer.json({ otp: '1234' }, '/otp')).status, 202);
  assert.deepEqual([continued, (await payer.json({}, '/cancel')).status], [[before.id], 400]);
  const store = api.deps.stores.sandbox.of(api.team.id);
  assert.equal(await cancelAttempt(api.deps, store, before), undefined, 'nobody was asked');
  assert.deepEqual([await statusOf(id), (await attemptOf(id)).status], ['processing', 'open']);
});

test('nobody else cancels: not another browser, not a form without its token, not another site', async () => {
  const { payer, url, id } = await begun(WAVE, 'sn.wave', '770000000');
  answer = { cancel: { kind: 'cancelled' }, read: { kind: 'expired' } };
  const before = cancelled.length;
  const other = new Payer(url);
  assert.doesNotMatch((await other.get()).body, /\/cancel"/);
  assert.equal((await other.submit({}, '/cancel')).status, 403);
  assert.equal((await other.json({}, '/cancel')).status, 403);
  assert.equal((await payer.submit({ form_token: 'x' }, '/cancel')).status, 403);
  assert.equal((await payer.submit({}, '/cancel', { 'sec-fetch-site': 'cross-site' })).status, 403);
  assert.deepEqual([cancelled.length, await statusOf(id)], [before, 'processing']);
});

test('without a script the open answers do not reload', async () => {
  const { payer, shown } = await begun({}, 'cm.mtn', '650000000');
  assert.match(shown, /http-equiv="refresh"[\s\S]*\?note=ask"/);
  const open = (await payer.get('?note=ask')).body;
  assert.doesNotMatch(open, /http-equiv="refresh"/);
  assert.equal(open.match(/<details class="ask" open>/g)?.length, 2);
});
