import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import {
  ConnectionError,
  PaymentDeclinedError,
  Pirogue,
  type PirogueOptions,
  ProviderError,
  RateLimitError,
  SecretLostError,
  ServerError,
  TimeoutError,
} from '../../sdk/src/index.ts';
import { mayRetry, waitAfter } from '../../sdk/src/retry.ts';
import { startApi } from '../setup/api.ts';
import { openDispute } from '../../src/core/disputes/service.ts';
import { startWeather } from './weather.ts';

const api = await startApi();
const weather = await startWeather(api.url);
after(async () => {
  await weather.close();
  await api.stop();
});

let merchant = await api.newMerchant();
beforeEach(async () => {
  merchant = await api.newMerchant();
  weather.next();
});

const client = (options: Partial<PirogueOptions> = {}) =>
  new Pirogue(merchant.sandbox.secret, { baseUrl: weather.url, ...options });
const ORDER = { amount: 25_000, currency: 'XAF', phone: '+237650000000', reference: 'order-1' } as const;
const made = () => client().payments.list().toArray();
const keysSent = () => new Set(weather.seen.map(({ headers }) => headers['idempotency-key']));

test('a request whose response was lost is retried with the same key and creates exactly one payment', async () => {
  weather.next('lose_answer', 'cut_answer', 'lose_request');
  const { transaction } = await client().payments.create(ORDER);
  assert.equal(weather.seen.length, 4);
  assert.equal(keysSent().size, 1);
  assert.match([...keysSent()][0] as string, /^[0-9a-f]{32}$/);
  assert.deepEqual(
    (await made()).map(({ id }) => id),
    [transaction.id],
  );
});

test('two calls have two keys and create two payments', async () => {
  weather.next();
  await client().payments.create(ORDER);
  await client().payments.create(ORDER);
  assert.equal(keysSent().size, 2);
  assert.equal((await made()).length, 2);
});

test('the key given by the caller is sent unchanged, also on retries', async () => {
  weather.next('lose_answer');
  const first = await client().payments.create(ORDER, { idempotencyKey: 'order-1-first-try' });
  const second = await client().payments.create(ORDER, { idempotencyKey: 'order-1-first-try' });
  assert.deepEqual([...keysSent()], ['order-1-first-try']);
  assert.equal(second.transaction.id, first.transaction.id);
  assert.equal(second.authorization_url, first.authorization_url);
});

test('when every try fails, the error contains the key for a later retry', async () => {
  weather.next('lose_answer', 'lose_answer');
  const error = await client({ retries: 1 })
    .payments.create(ORDER)
    .catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ConnectionError);
  assert.ok(!(error instanceof TimeoutError));
  assert.deepEqual([error.attempts, error.requestId, error.name], [2, null, 'ConnectionError']);
  const { transaction } = await client().payments.create(ORDER, { idempotencyKey: error.idempotencyKey ?? '' });
  assert.deepEqual(
    (await made()).map(({ id }) => id),
    [transaction.id],
  );
});

test('a refused connection is a ConnectionError with its cause', async () => {
  const nobody = new Pirogue(merchant.sandbox.secret, { baseUrl: 'http://127.0.0.1:1', retries: 0 });
  await assert.rejects(nobody.balance.retrieve(), (error: Error) => {
    assert.ok(error instanceof ConnectionError);
    assert.match(error.message, /^GET http:\/\/127\.0\.0\.1:1\/balance: .+/);
    assert.ok(!JSON.stringify(error).includes(merchant.sandbox.secret), 'the key is not in it');
    return true;
  });
});

test('an operation without an idempotency key is not retried when its response was lost', async () => {
  const account = await client().accounts.create({ name: 'Stall', email: 'stall@shop.example' });
  weather.next('lose_answer');
  await assert.rejects(client().accounts.deactivate(account.id), ConnectionError);
  assert.equal(weather.seen.length, 1);
  assert.equal(weather.seen[0]?.headers['idempotency-key'], undefined);
});

test('429: the request is retried with the same key', async () => {
  weather.next({ status: 429, headers: { 'retry-after': '1' }, body: '{"code":429,"retry_after":1}' });
  await client().payments.create(ORDER);
  assert.equal(keysSent().size, 1);
  assert.equal((await made()).length, 1);
});

test('429 with a delay beyond the deadline: RateLimitError at once', async () => {
  weather.next({ status: 429, headers: { 'retry-after': '60' }, body: '{"code":429,"type":"team","retry_after":60}' });
  await assert.rejects(client({ deadlineMs: 5_000 }).payments.create(ORDER), (error: unknown) => {
    assert.ok(error instanceof RateLimitError);
    assert.deepEqual([error.status, error.type, error.retry_after, error.attempts], [429, 'team', 60, 1]);
    return true;
  });
});

test('5xx is retried, and becomes a ServerError when it persists; 501 is not retried', async () => {
  weather.next({ status: 500 }, { status: 503, body: '<html>' });
  await client().payments.create(ORDER);
  assert.equal(weather.seen.length, 3);
  weather.next({ status: 502 }, { status: 502 });
  await assert.rejects(client({ retries: 1 }).payments.create(ORDER), (error) => error instanceof ProviderError);
  weather.next({ status: 501 });
  await assert.rejects(client().identity.resolve({ channel: 'cm.mtn' }), (error) => error instanceof ServerError);
  assert.equal(weather.seen.length, 1);
});

test('no other 4xx is retried', async () => {
  for (const status of [400, 401, 402, 403, 404, 405, 406, 409, 422]) {
    weather.next({ status }, { status });
    await assert.rejects(client().payments.create(ORDER), { status });
    assert.equal(weather.seen.length, 1, String(status));
  }
});

test('a cancellation whose answer was lost is reported as the cancellation it was', async () => {
  const { transaction } = await client().payments.create(ORDER);
  weather.next('lose_answer');
  assert.equal((await client().payments.cancel(transaction.id)).status, 'cancelled');
  weather.next();
  await assert.rejects(client().payments.cancel(transaction.id), { status: 400 }, 'a first try that is rejected stays rejected');
});

test('a cancellation that never arrived is rejected when the payment has ended otherwise', async () => {
  const { transaction } = await client().payments.create(ORDER);
  const charge = { channel: 'cm.mtn', data: { phone: '650000001' } };
  await assert.rejects(client().payments.charge(transaction.id, charge), PaymentDeclinedError);
  weather.next('lose_request');
  await assert.rejects(client().payments.cancel(transaction.id), { status: 400, uncertain: true });
});

test('a deletion whose answer was lost is reported as done', async () => {
  const beneficiary = await client().beneficiaries.create({ name: 'Awa', channel: 'cm.mtn', phone: '+237650000000' });
  weather.next('lose_answer');
  assert.equal((await client().beneficiaries.delete(beneficiary.id)).id, beneficiary.id);
  const endpoint = await client().webhooks.create({ url: 'https://shop.example/hook' });
  weather.next('cut_answer');
  assert.equal((await client().webhooks.delete(endpoint.id)).id, endpoint.id);
  weather.next();
  await assert.rejects(client().webhooks.delete(endpoint.id), { status: 404 });
});

test('a decline whose 402 was lost is a PaymentDeclinedError with its reason', async () => {
  const { transaction } = await client().payments.create(ORDER);
  weather.next('lose_answer');
  const charge = client().payments.charge(transaction.id, { channel: 'cm.mtn', data: { phone: '650000001' } });
  await assert.rejects(charge, (error: unknown) => {
    assert.ok(error instanceof PaymentDeclinedError);
    assert.deepEqual([error.status, error.error_code, error.payer_message], [402, 'insufficient_funds', '']);
    return true;
  });
});

test('a dispute whose acceptance was committed behind a 5xx is accepted', async () => {
  const { transaction } = await client().payments.create(ORDER);
  await client().payments.charge(transaction.id, { channel: 'cm.mtn', data: { phone: '650000000' } });
  await succeeded(transaction.id);
  const dispute = await openDispute(api.deps, api.deps.stores.sandbox, {
    ...{ team_id: merchant.team.id, payment_id: transaction.id, reason: 'fraudulent' },
  });
  weather.next({ pass: 500 });
  assert.equal((await client().disputes.accept(dispute.id)).status, 'lost');
  weather.next();
  await assert.rejects(client().disputes.accept(dispute.id), { status: 400 });
});

test('evidence that was committed behind a 5xx is submitted', async () => {
  const { transaction } = await client().payments.create(ORDER);
  await client().payments.charge(transaction.id, { channel: 'cm.mtn', data: { phone: '650000000' } });
  await succeeded(transaction.id);
  const dispute = await openDispute(api.deps, api.deps.stores.sandbox, {
    ...{ team_id: merchant.team.id, payment_id: transaction.id, reason: 'fraudulent' },
  });
  const evidence = { receipt: 'https://shop.example/receipts/1', delivered_at: '2026-11-01' };
  weather.next({ pass: 500 });
  assert.equal((await client().disputes.submitEvidence(dispute.id, { evidence })).status, 'under_review');
  weather.next({ pass: 500 });
  await assert.rejects(client().disputes.submitEvidence(dispute.id, { evidence: { receipt: 'another' } }), { status: 400 });
});

async function succeeded(id: string): Promise<void> {
  while ((await client().payments.retrieve(id)).status !== 'succeeded') await new Promise((resolve) => setTimeout(resolve, 50));
}

test('a registered endpoint whose secret was lost with the answer is an error that says so', async () => {
  weather.next('lose_answer');
  const made = client().webhooks.create({ url: 'https://shop.example/hook' });
  const error = await made.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof SecretLostError);
  assert.match(error.message, /rotate/);
  assert.match((await client().webhooks.rotateSecret(error.webhookId)).secret ?? '', /^whsec_/);
});

test('a redirect is not followed: the key is sent to no other host', async () => {
  weather.next({ status: 302, headers: { location: `${weather.url}/elsewhere` } });
  await assert.rejects(client().balance.retrieve(), { status: 302 });
  assert.equal(weather.seen.length, 1);
});

/** A `fetch` that ends with a deadline only what hangs: a busy machine takes longer to send a request, and to answer it. */
const patient: typeof fetch = async (input, init = {}) => {
  const [before, controller] = [weather.hanging, new AbortController()];
  let answered = false;
  const giveUp = async () => {
    while (!answered && weather.hanging === before) await new Promise((resolve) => setTimeout(resolve, 5));
    if (!answered) controller.abort();
  };
  init.signal?.addEventListener('abort', () => void giveUp());
  return fetch(input, { ...init, signal: controller.signal }).finally(() => {
    answered = true;
  });
};

const hasty = (options: Partial<PirogueOptions> = {}) => client({ fetch: patient, ...options });

test('a timeout is retried, then reported as TimeoutError', async () => {
  weather.next('hang');
  await hasty({ timeoutMs: 2_000 }).payments.create(ORDER);
  assert.equal(keysSent().size, 1);
  weather.next('hang', 'hang');
  await assert.rejects(hasty({ timeoutMs: 100, retries: 1 }).payments.create(ORDER), TimeoutError);
  assert.equal(weather.seen.length, 2);
  weather.next('hang');
  await assert.rejects(hasty().payments.create(ORDER, { deadlineMs: 100 }), { name: 'TimeoutError', attempts: 1 });
  weather.next('hang', { pass: 500 }, { status: 501 });
  const once = { retries: 0 };
  await assert.rejects(hasty({ timeoutMs: 100, ...once }).payments.create(ORDER), { name: 'TimeoutError', uncertain: true });
  await assert.rejects(client(once).payments.create(ORDER), { status: 500, uncertain: true }, 'it may have been carried out');
  await assert.rejects(client(once).payments.create(ORDER), { status: 501, uncertain: false });
});

test('the signal of the caller aborts a call, also while it waits for a retry', async () => {
  weather.next('hang');
  const reason = new Error('the payer left');
  await assert.rejects(hasty().payments.create(ORDER, { signal: abortedIn(50, reason) }), reason);
  weather.next({ status: 429, headers: { 'retry-after': '60' } });
  await assert.rejects(hasty().payments.create(ORDER, { signal: abortedIn(50, reason) }), reason);
  weather.next();
  await assert.rejects(client().payments.create(ORDER, { signal: AbortSignal.abort(reason) }), reason);
  assert.equal(weather.seen.length, 0);
});

function abortedIn(ms: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), ms);
  return controller.signal;
}

test('delays: Retry-After if present, otherwise exponential, with jitter over half', () => {
  const answer = (status: number, headers = {}) => ({ kind: 'answer', status, headers: new Headers(headers), body: {} }) as const;
  const lost = { kind: 'lost', timedOut: false, cause: null } as const;
  assert.deepEqual(
    [1, 2, 3, 10].map((tries) => waitAfter(lost, tries, () => 1)),
    [500, 1_000, 2_000, 8_000],
  );
  assert.equal(
    waitAfter(lost, 1, () => 0),
    250,
  );
  assert.equal(
    waitAfter(answer(429, { 'retry-after': '7' }), 3, () => 0),
    7_000,
  );
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
  assert.ok(waitAfter(answer(503, { 'retry-after': inAnHour }), 1, () => 0) > 3_500_000);
  assert.equal(mayRetry(lost, false), false);
  assert.equal(mayRetry(answer(500), false), true);
});
