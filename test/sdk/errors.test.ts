import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { after, test } from 'node:test';
import * as sdk from '../../sdk/src/index.ts';
import { FakeClock, startApi } from '../setup/api.ts';

const { Pirogue } = sdk;
const api = await startApi({ workers: false });
after(() => api.stop());

const pirogue = new Pirogue(api.keys.sandbox.secret, { baseUrl: api.url, retries: 0 });
const withKey = (key: string) => new Pirogue(key, { baseUrl: `${api.url}/`, retries: 0 });
const ORDER = { amount: 25_000, currency: 'XAF', phone: '+237650000000' } as const;

/** @returns what the call threw, which must be of the class */
async function thrown<T extends Error>(Class: abstract new (...args: never[]) => T, call: Promise<unknown>): Promise<T> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Class, `${Class.name} was expected, not ${inspect(error)}`);
  assert.equal(error.name, Class.name);
  return error;
}

test('401 AuthenticationError for an unknown key, with the request id', async () => {
  const error = await thrown(sdk.AuthenticationError, withKey('sk_test.nobody').balance.retrieve({}, { requestId: 'mine-1' }));
  assert.deepEqual([error.status, error.requestId, error.attempts], [401, 'mine-1', 1]);
  assert.match(error.message, /^401 .*\(request mine-1\)$/);
});

test('402 PaymentDeclinedError has error_code and payer_message', async () => {
  const { transaction } = await pirogue.payments.create(ORDER);
  const charge = pirogue.payments.charge(transaction.id, { channel: 'cm.mtn', data: { phone: '650000001' } });
  const error = await thrown(sdk.PaymentDeclinedError, charge);
  assert.equal(error.error_code, 'insufficient_funds');
  assert.ok(error.payer_message.length > 10);
  assert.equal(error.idempotencyKey?.length, 32);
  const live = await thrown(sdk.PaymentDeclinedError, withKey(api.keys.live.secret).payments.create(ORDER));
  assert.equal(live.error_code, 'merchant_not_verified');
});

test('422 ValidationError lists all rejected fields by path', async () => {
  const wrong = { amount: 0, currency: 'XXX', customer: { email: 'nobody' } } as never;
  const error = await thrown(sdk.ValidationError, pirogue.payments.create(wrong));
  assert.deepEqual(Object.keys(error.errors).sort(), ['amount', 'currency', 'customer.email']);
  const card = { channel: 'cm.card', data: { card_number: '4242424242424242' } } as never;
  const { transaction } = await pirogue.payments.create(ORDER);
  const refused = await thrown(sdk.ValidationError, pirogue.payments.charge(transaction.id, card));
  assert.equal(refused.error_code, 'raw_card_data_not_accepted');
});

test('422 IdempotencyError for a key used with another payload, and for one that looks like a card number', async () => {
  await pirogue.payments.create(ORDER, { idempotencyKey: 'taken' });
  const other = pirogue.payments.create({ ...ORDER, amount: 1 }, { idempotencyKey: 'taken' });
  const error = await thrown(sdk.IdempotencyError, other);
  assert.ok(error instanceof sdk.ValidationError);
  await thrown(sdk.IdempotencyError, pirogue.payments.create(ORDER, { idempotencyKey: '4242424242424242' }));
});

test('409 ConflictError for a duplicate reference, where the team requires unique references', async () => {
  const { sandbox, team } = await api.newMerchant();
  await api.setTeam(team, { unique_references: true });
  const client = withKey(sandbox.secret);
  await client.payments.create({ ...ORDER, reference: 'one' });
  const error = await thrown(sdk.ConflictError, client.payments.create({ ...ORDER, reference: 'one' }));
  assert.deepEqual(Object.keys(error.errors), ['reference']);
});

test('400, 403, 404 and 406 have their own classes', async () => {
  const { transaction } = await pirogue.payments.create(ORDER);
  await pirogue.payments.cancel(transaction.id);
  const again = await thrown(sdk.BadRequestError, pirogue.payments.cancel(transaction.id));
  assert.equal(again.error_code, 'payment_not_cancellable');
  await thrown(sdk.BadRequestError, pirogue.balance.retrieve({}, { version: '1999-01-01' }));
  const restricted = await api.newKey(api.team, 'sandbox', 'restricted', { scopes: ['payment.read'] });
  const scope = await thrown(sdk.PermissionError, withKey(restricted.key).balance.retrieve());
  assert.equal(scope.error_code, 'scope_missing');
  const missing = await thrown(sdk.NotFoundError, pirogue.payments.retrieve('trx_test_nothing'));
  assert.match(missing.message, /^404 Payment Not Found \(request /);
  await thrown(sdk.PrivateKeyRequiredError, withKey(api.keys.sandbox.public).balance.retrieve());
});

test('429 RateLimitError has the exceeded limit and the delay', async () => {
  const limited = await startApi({ workers: false, clock: new FakeClock(), env: { RATE_LIMITS: 'on' } });
  try {
    const client = new Pirogue(limited.keys.sandbox.secret, { baseUrl: limited.url, retries: 0 });
    const calls = Array.from({ length: 40 }, () =>
      client.payments.create(ORDER).then(
        () => null,
        (error: unknown) => error,
      ),
    );
    const refused = (await Promise.all(calls)).filter((error) => error !== null);
    assert.equal(refused.length, 10);
    for (const error of refused) {
      assert.ok(error instanceof sdk.RateLimitError);
      assert.equal(error.type, 'endpoint');
      assert.ok(error.retry_after > 0 && error.retry_after <= 60);
    }
  } finally {
    await limited.stop();
  }
});

test('an error has the hint of the service, or null', async () => {
  const bearer = await thrown(sdk.PrivateKeyRequiredError, withKey(api.keys.sandbox.public).balance.retrieve());
  assert.match(bearer.hint ?? '', /^This operation needs a secret \(sk_test\.…\)/);
  assert.match(inspect(bearer), /hint: 'This operation needs/);
  assert.equal((await thrown(sdk.NotFoundError, pirogue.payments.retrieve(`trx_test_${'0'.repeat(26)}`))).hint, null);
});

test('warnings are reported to onWarnings and returned by payments.create; its errors do not make a call fail', async () => {
  const reported: unknown[] = [];
  const onWarnings: NonNullable<sdk.PirogueOptions['onWarnings']> = (warnings, { operation, requestId }) => {
    reported.push([warnings.map(({ field }) => field), operation, requestId]);
    throw new Error('a mistake of the caller');
  };
  const client = new Pirogue(api.keys.sandbox.secret, { baseUrl: api.url, onWarnings });
  const callback_url = 'https://shop.example';
  const { warnings } = await client.payments.create({ ...ORDER, callback_url } as never, { requestId: 'warned-1' });
  assert.deepEqual(warnings?.[0]?.message, 'is not a field of this operation and was ignored: did you mean callback?');
  await client.customers.create({ email: 'awa@example.com', naem: 'Awa' } as never, { requestId: 'warned-2' });
  assert.equal((await client.payments.create(ORDER)).warnings, undefined);
  assert.deepEqual(reported, [
    [['callback_url'], 'createPayment', 'warned-1'],
    [['naem'], 'createCustomer', 'warned-2'],
  ]);
});

test('an invalid call is rejected before anything is sent', async () => {
  assert.throws(() => withKey(''), TypeError);
  assert.throws(() => withKey('sk_test.with\nnewline'), TypeError);
  assert.throws(() => new Pirogue('sk_test.x', { baseUrl: 'pay.example' }), /baseUrl/);
  for (const options of [undefined, {}, { baseUrl: '' }] as never[]) {
    assert.throws(() => new Pirogue('sk_test.x', options), { name: 'TypeError', message: /^baseUrl is required/ });
  }
  assert.throws(() => new Pirogue('sk_test.x', { baseUrl: api.url, retries: -1 }), /retries/);
  assert.throws(() => new Pirogue('sk_test.x', { baseUrl: api.url, timeoutMs: Number.NaN }), /timeoutMs/);
  // A timer of more than 2^31 ms goes off at once.
  assert.throws(() => new Pirogue('sk_test.x', { baseUrl: api.url, deadlineMs: Number.POSITIVE_INFINITY }), /deadlineMs/);
  for (const id of ['', '.', '..', undefined as never]) await assert.rejects(pirogue.payments.retrieve(id), TypeError);
  await assert.rejects(pirogue.payments.retrieve('../balance'), sdk.NotFoundError);
});

test('neither the client nor an error exposes the key', async () => {
  const error = await thrown(sdk.NotFoundError, pirogue.payments.retrieve('trx_test_nothing'));
  const shown = inspect([pirogue, error], { depth: 9, showHidden: true }) + JSON.stringify([pirogue, error]);
  assert.ok(!shown.includes(api.keys.sandbox.secret));
});

test('a secret key in a browser is rejected, a public key is accepted', () => {
  const page = globalThis as { document?: object };
  page.document = {};
  try {
    assert.throws(() => withKey(api.keys.sandbox.secret), /browser/);
    withKey(api.keys.sandbox.public);
  } finally {
    delete page.document;
  }
});
