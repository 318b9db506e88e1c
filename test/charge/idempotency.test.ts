import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { requestHash } from '../../src/tenants/api/idempotency.ts';
import { assignKeys, releaseKey, storeResponses } from '../../src/tenants/api/idempotency-store.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Answer, FakeClock, startApi } from '../setup/api.ts';

const clock = new FakeClock();
const api = await startApi({ workers: false, clock });
after(() => api.stop());

const { db } = api.deps.stores.sandbox;
const MTN = { channel: 'cm.mtn', data: { phone: '650000000' } };
const DECLINED = { channel: 'cm.mtn', data: { phone: '650000001' } };

async function pending(): Promise<string> {
  return (await api.call('POST', '/payments', { body: { amount: 1000, currency: 'XAF', phone: '1' } })).body.transaction.id;
}

const charge = (id: string, key: string, body: object = MTN): Promise<Answer> =>
  api.call('POST', `/payments/${id}`, { body, headers: { 'idempotency-key': key } });

const attemptsOf = async (id: string) => (await api.call('GET', `/payments/${id}`)).body.transaction.attempts;

test('202 for a repeated request: the same status and body, marked as replayed, and no second attempt', async () => {
  const id = await pending();
  const first = await charge(id, 'again');
  assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [202, null]);
  const second = await charge(id, 'again');
  assert.deepEqual([second.status, second.body], [202, first.body]);
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  assert.equal((await attemptsOf(id)).length, 1);
});

test('422 for the same key with another body or another payment', async () => {
  const [id, other] = [await pending(), await pending()];
  await charge(id, 'other');
  for (const answer of [await charge(id, 'other', { channel: 'cm.card' }), await charge(other, 'other')]) {
    assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['idempotency_key']]);
  }
  assert.deepEqual(await attemptsOf(other), []);
});

test('422 after 24 hours, and no second attempt', async () => {
  const id = await pending();
  await charge(id, 'old');
  clock.advance(24 * 3_600_000 + 1_000);
  assert.equal((await charge(id, 'old')).status, 422);
  assert.equal((await attemptsOf(id)).length, 1);
});

test('a decline does not consume the key: the payment is failed, and the key can charge another payment', async () => {
  const [id, other] = [await pending(), await pending()];
  assert.equal((await charge(id, 'declined', DECLINED)).status, 402);
  assert.equal((await charge(id, 'declined', DECLINED)).status, 400);
  assert.equal((await charge(other, 'declined')).status, 202);
});

test('a 422 does not consume the key', async () => {
  const id = await pending();
  assert.equal((await charge(id, 'bad', { channel: 'cm.mtn', data: { phone: '65' } })).status, 422);
  assert.equal((await charge(id, 'bad')).status, 202);
});

for (const at_once of [2, 20]) {
  test(`202 for all of ${at_once} concurrent requests with one key: one attempt, the same response for all`, async () => {
    const id = await pending();
    const answers = await Promise.all(Array.from({ length: at_once }, () => charge(id, `at-once-${at_once}`)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(at_once).fill(202),
    );
    const told = new Set(answers.map(({ body }) => body.transaction.attempts[0].id));
    assert.deepEqual([told.size, (await attemptsOf(id)).length], [1, 1]);
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, at_once - 1);
  });
}

/** Leaves the key as a process leaves it that dies after the provider's answer was applied and before it was told. */
async function forgetAnswer(id: string, key: string, body: object): Promise<void> {
  const request_hash = requestHash({ params: { id }, sync: null, body, caller: { kind: 'secret' } });
  const [attempt] = await attemptsOf(id);
  await db.run(sql`
    insert into idempotency_keys (team_id, route, key, request_hash, resource_id, created_at)
    values (${api.team.id}, 'POST /payments/{id}', ${key}, ${request_hash}, ${attempt.id}, ${new Date(clock.now())})
    on conflict do nothing`);
  await db.run(sql`delete from idempotency_answers where key = ${key}`);
}

test('202 after a crash before the response was stored: it is rebuilt from the attempt, and there is no second attempt', async () => {
  const id = await pending();
  const first = await charge(id, 'crashed');
  await forgetAnswer(id, 'crashed', MTN);
  const second = await charge(id, 'crashed');
  assert.deepEqual([second.status, second.body.action, second.body.transaction.id], [202, first.body.action, id]);
  assert.equal((await attemptsOf(id)).length, 1);
});

test('after a crash that follows a decline, the same key never returns that the payment is in progress', async () => {
  const id = await pending();
  await charge(id, 'crashed-decline', DECLINED);
  await forgetAnswer(id, 'crashed-decline', DECLINED);
  const { status, body } = await charge(id, 'crashed-decline', DECLINED);
  assert.ok(status === 402 || status === 400, `${status} ${body.message} for a payment that is ${body.transaction?.status}`);
});

test('a decline whose process died does not consume the key: the repeated request gets it once, and the key charges another payment', async () => {
  const [id, other, third] = [await pending(), await pending(), await pending()];
  await charge(id, 'died-declined', DECLINED);
  await forgetAnswer(id, 'died-declined', DECLINED);
  assert.equal((await charge(id, 'died-declined', DECLINED)).status, 402);
  assert.equal((await charge(other, 'died-declined')).status, 202);
  await charge(id, 'died-declined-2', DECLINED);
  await forgetAnswer(id, 'died-declined-2', DECLINED);
  assert.equal((await charge(third, 'died-declined-2')).status, 202, 'another request gets no error of the first');
});

test('a request that nothing came of, and whose process died, does not consume the key: a day later a corrected one charges, and is replayed', async () => {
  const id = await pending();
  await charge(id, 'came-to-nothing');
  await forgetAnswer(id, 'came-to-nothing', MTN);
  await db.run(
    sql`update attempts set status = 'unavailable', next_poll_at = null where team_id = ${api.team.id} and payment_id = ${id}`,
  );
  await db.run(
    sql`update payments set status = 'pending', expires_at = expires_at + interval '9 days' where team_id = ${api.team.id} and id = ${id}`,
  );
  clock.advance(25 * 3_600_000);
  const corrected = { channel: 'cm.orange', data: { phone: '690000000' } };
  assert.equal((await charge(id, 'came-to-nothing', corrected)).status, 202);
  clock.advance(23 * 3_600_000);
  const again = await charge(id, 'came-to-nothing', corrected);
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [202, 'true']);
  assert.equal((await charge(id, 'came-to-nothing')).status, 422);
});

test('422 a day after a 202 whose charge failed later: the stored response is gone, and the key stays consumed', async () => {
  const [id, other] = [await pending(), await pending()];
  assert.equal((await charge(id, 'failed-later')).status, 202);
  await db.run(sql`update attempts set status = 'failed', reason = 'wrong_pin', action = null, next_poll_at = null, closed_at = now()
    where team_id = ${api.team.id} and payment_id = ${id}`);
  await db.run(sql`update payments set status = 'failed' where team_id = ${api.team.id} and id = ${id}`);
  await db.run(sql`delete from idempotency_answers where key = 'failed-later'`);
  clock.advance(25 * 3_600_000);
  for (const one of [id, other, id]) assert.equal((await charge(one, 'failed-later')).status, 422);
});

test('422 after the payer of a 202 that failed later was erased: the stored response is gone, and the key stays consumed', async () => {
  const [id, other] = [await pending(), await pending()];
  assert.equal((await charge(id, 'payer-erased')).status, 202);
  await db.run(sql`update attempts set status = 'failed', reason = 'wrong_pin', action = null, next_poll_at = null, closed_at = now()
    where team_id = ${api.team.id} and payment_id = ${id}`);
  // Tranches are missing, so that it could be charged again.
  await db.run(sql`update payments set status = 'partial' where team_id = ${api.team.id} and id = ${id}`);
  const { customer } = (await api.call('GET', `/payments/${id}`)).body.transaction;
  assert.equal((await api.call('DELETE', `/customers/${customer}`)).status, 200);
  for (const [one, message] of [
    [id, /data was erased/],
    [other, /different payload/],
    [id, /data was erased/],
  ] as const) {
    const { status, body } = await charge(one, 'payer-erased');
    assert.deepEqual([status, body.error_code], [422, 'idempotency_key_reused']);
    assert.match(body.errors.idempotency_key[0], message);
  }
  for (const one of [id, other]) assert.equal((await attemptsOf(one)).length, one === id ? 1 : 0);
});

test('422 for another request with the key of one that may still be trying providers', async () => {
  const id = await pending();
  await charge(id, 'trying');
  await forgetAnswer(id, 'trying', MTN);
  await db.run(
    sql`update attempts set status = 'unavailable', next_poll_at = null where team_id = ${api.team.id} and payment_id = ${id}`,
  );
  await db.run(sql`update payments set status = 'pending' where team_id = ${api.team.id} and id = ${id}`);
  assert.equal((await charge(id, 'trying', { channel: 'cm.orange', data: { phone: '690000000' } })).status, 422);
  assert.equal((await charge(id, 'trying')).status, 202);
});

test('202 after a crash with an unavailable provider: the next request with the key charges at once', async () => {
  const id = await pending();
  await charge(id, 'left-alone');
  await forgetAnswer(id, 'left-alone', MTN);
  const [left] = await attemptsOf(id);
  await db.run(
    sql`update attempts set status = 'unavailable', next_poll_at = null where team_id = ${api.team.id} and id = ${left.id}`,
  );
  await db.run(sql`update payments set status = 'pending' where team_id = ${api.team.id} and id = ${id}`);
  const answers = await Promise.all([1, 2, 3].map(() => charge(id, 'left-alone')));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [202, 202, 202],
  );
  assert.deepEqual((await attemptsOf(id)).map(({ status }: { status: string }) => status).sort(), ['open', 'unavailable']);
});

test('422 a public key gets no answer that a secret key got; its own is replayed to every key, without what it may not see', async () => {
  const as = (key: string, id: string, name: string) =>
    api.call('POST', `/payments/${id}`, { key, body: MTN, headers: { 'idempotency-key': name } });
  const { secret, public: open } = api.keys.sandbox;
  const [id, other] = [await pending(), await pending()];
  assert.equal((await as(secret, id, 'of-the-server')).status, 202);
  assert.equal((await as(open, other, 'of-the-page')).status, 202);
  const { status, body } = await as(open, id, 'of-the-server');
  assert.deepEqual([status, body.error_code, body.transaction], [422, 'idempotency_key_reused', undefined]);
  for (const key of [open, secret]) {
    const again = await as(key, other, 'of-the-page');
    assert.deepEqual([again.headers.get('idempotent-replayed'), again.body.transaction.attempts], ['true', undefined]);
  }
});

test('422 for a public key that repeats the key and body of a secret key’s payment: its hosted page is not returned; the reverse is a replay', async () => {
  const make = (key: string, name = 'order-1') =>
    api.call('POST', '/payments', {
      key,
      body: { amount: 1000, currency: 'XAF', phone: '+237650000000' },
      headers: { 'idempotency-key': name },
    });
  assert.equal((await make(api.keys.sandbox.secret)).status, 201);
  const { status, body } = await make(api.keys.sandbox.public);
  assert.deepEqual([status, body.error_code, body.authorization_url], [422, 'idempotency_key_reused', undefined]);
  const [first, again] = [await make(api.keys.sandbox.public, 'order-2'), await make(api.keys.sandbox.secret, 'order-2')];
  assert.deepEqual([again.status, again.body], [201, first.body], 'a payment that a page made is that of the server, too');
});

test('a key that another request holds is not taken over, even before that request has a response', async () => {
  const slot = {
    team_id: api.team.id,
    route: 'POST /payments/{id}',
    key: 'held',
    request_hash: Buffer.alloc(32),
    created_at: new Date(),
  };
  const take = (resource_id: string, own: string[]) =>
    db.transaction(async (tx) => [...(await assignKeys(tx, [{ ...slot, resource_id, own }]))]);
  assert.deepEqual(await take('att_first', []), ['att_first']);
  assert.deepEqual(await take('att_second', []), []);
  assert.deepEqual(await take('att_second', ['att_other']), []);
  assert.deepEqual(await take('att_second', ['att_first']), ['att_second'], 'the holder passes it to its next attempt');
});

test('a key is released neither by a request that does not hold it, nor once it has a response', async () => {
  const ref = { team_id: api.team.id, route: 'POST /payments/{id}', key: 'kept' };
  const slot = { ...ref, request_hash: Buffer.alloc(32), created_at: new Date(clock.now()) };
  await db.transaction((tx) => assignKeys(tx, [{ ...slot, resource_id: 'att_holder', own: [] }]));
  assert.equal(await releaseKey(db, ref, ['att_other']), false);
  await storeResponses(db, [{ ...ref, answer: '{}' }]);
  assert.equal(await releaseKey(db, ref, ['att_holder']), false);
  await db.run(sql`delete from idempotency_answers where key = ${ref.key}`);
  assert.equal(await releaseKey(db, ref, ['att_holder']), true);
});
