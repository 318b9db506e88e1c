import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { mtnMomo } from '../../src/providers/adapters/mtn-momo/index.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { mtnMomoSimulator } from '../../simulators/mtn-momo/index.ts';
import { tools } from './fixture.ts';
import { UNPRINTABLE } from './hostile.ts';
import { collection, stubbed } from './mtn-momo-stub.ts';
import { answered, payoutFor, refundFor } from './wire-stub.ts';

const HOUR = 3_600_000;

/** An account in front of a simulator, and a count of the tokens it has asked for. */
async function twinned(credentials: Record<string, string> = {}) {
  const simulator = await startSimulator(mtnMomoSimulator);
  const account = { id: 'pa_test', environment: 'live', credentials: { ...simulator.credentials, ...credentials } } as const;
  const minted = (product = 'collection') => simulator.requests.filter(({ path }) => path === `/${product}/token/`).length;
  return { simulator, provider: mtnMomo.connect(account, tools), minted, [Symbol.asyncDispose]: () => simulator.stop() };
}

/** Answers token requests by a script of lifetimes (seconds) or statuses, and everything else with 202. */
function minting(script: unknown[], now: () => number) {
  const minted: string[] = [];
  const { provider, calls } = stubbed(
    ({ url }) => {
      if (!url.endsWith('/token/')) return answered(202, '');
      minted.push(url);
      const next = script[minted.length - 1] ?? 'refused';
      if (next === 'refused') return answered(401, { error: 'login_failed' });
      return answered(200, { access_token: `token-${minted.length}`, token_type: 'access_token', expires_in: next });
    },
    { now, tokens: false },
  );
  const bearer = () => calls.filter(({ url }) => !url.endsWith('/token/')).at(-1)?.headers?.authorization;
  return { provider, minted, bearer };
}

suite('tokens of MTN MoMo', () => {
  test('50 concurrent calls request one token, and each product has its own', async () => {
    await using account = await twinned();
    const { provider, minted } = account;
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) => provider.submit(collection(provider, { provider_key: provider.keyOf(`att_${n}`) }))),
    );
    assert.deepEqual([...new Set(outcomes.map(({ kind }) => kind))], ['accepted']);
    assert.equal(minted(), 1);
    assert.equal(minted('disbursement'), 0);
    await provider.payouts?.submit(payoutFor(provider));
    await provider.refunds?.submit(refundFor(provider));
    assert.deepEqual([minted(), minted('disbursement')], [1, 1]);
  });

  test('a token whose lifetime is no number is not used, and nothing is sent', async () => {
    for (const lifetime of [UNPRINTABLE, [UNPRINTABLE], null, 'long', true]) {
      const { provider, minted, bearer } = minting([lifetime], () => 0);
      assert.equal((await provider.submit(collection(provider))).kind, 'unavailable');
      assert.deepEqual([minted.length, bearer()], [1, undefined]);
    }
  });

  test('a token is renewed five minutes before its expiry, a short-lived one halfway', async () => {
    let now = 0;
    const { provider, minted, bearer } = minting([3600, 60, 3600], () => now);
    await provider.submit(collection(provider));
    now = HOUR - 300_001;
    await provider.submit(collection(provider));
    assert.deepEqual([minted.length, bearer()], [1, 'Bearer token-1']);
    now = HOUR - 300_000;
    await provider.submit(collection(provider));
    assert.deepEqual([minted.length, bearer()], [2, 'Bearer token-2']);
    now += 30_000;
    await provider.submit(collection(provider));
    assert.deepEqual([minted.length, bearer()], [3, 'Bearer token-3']);
  });

  test('a failed renewal leaves the old token in use until its expiry, then nothing is sent', async () => {
    let now = 0;
    const { provider, bearer } = minting([3600], () => now);
    await provider.submit(collection(provider));
    now = HOUR - 1;
    assert.equal((await provider.submit(collection(provider))).kind, 'accepted');
    assert.equal(bearer(), 'Bearer token-1');
    now = HOUR;
    assert.equal((await provider.submit(collection(provider))).kind, 'unavailable');
    assert.equal((await provider.read(collection(provider))).kind, 'unreadable');
  });

  test('a token that MTN rejects is renewed once for all waiting calls, which are then repeated', async () => {
    await using account = await twinned();
    const { provider, simulator, minted } = account;
    await provider.balance?.();
    const keys = Array.from({ length: 20 }, (_, n) => provider.keyOf(`att_${n}`));
    for (const name of keys) simulator.faults.script({ fault: 'token_expired', name });
    const outcomes = await Promise.all(keys.map((provider_key) => provider.submit(collection(provider, { provider_key }))));
    assert.deepEqual([...new Set(outcomes.map(({ kind }) => kind))], ['accepted']);
    assert.equal(minted(), 2);
    for (const key of keys) assert.equal(simulator.book.created(key).length, 1);
  });

  test('a call that is rejected with a renewed token too is not sent a third time', async () => {
    const { provider, calls } = stubbed(() => answered(401, { statusCode: 401, message: 'Access denied' }));
    const said = await provider.submit(collection(provider));
    assert.deepEqual(said, { kind: 'unavailable', message: 'HTTP 401 Access denied' });
    assert.equal(calls.length, 2);
  });

  for (const [what, credentials] of [
    ['key', { api_key: 'wrong' }],
    ['user', { api_user: 'wrong' }],
    ['subscription key', { collection_subscription_key: 'wrong' }],
  ] as const) {
    test(`a wrong ${what} creates nothing, and the next call requests a token again`, async () => {
      await using account = await twinned(credentials);
      const { provider, simulator, minted } = account;
      for (const times of [1, 2]) {
        assert.equal((await provider.submit(collection(provider))).kind, 'unavailable');
        assert.equal(minted(), times);
      }
      assert.deepEqual(created(simulator), []);
    });
  }

  test('the disbursement product may have an API user of its own', async () => {
    await using account = await twinned({ api_user: 'wrong', ...ownUser() });
    const { provider } = account;
    assert.equal((await provider.payouts?.submit(payoutFor(provider)))?.kind, 'pending');
    assert.equal((await provider.submit(collection(provider))).kind, 'unavailable');
  });

  for (const [what, body] of [
    ['no token', { token_type: 'access_token', expires_in: 3600 }],
    ['a token that would break out of its header', { access_token: 'a\r\nx: y', expires_in: 3600 }],
    ['no lifetime', { access_token: 'token' }],
    ['a page', '<html></html>'],
  ] as const) {
    test(`a response with ${what} is not a token, and is not repeated in the message`, async () => {
      const { provider } = stubbed(() => answered(200, body), { tokens: false });
      const said = await provider.submit(collection(provider));
      assert.deepEqual(said, { kind: 'unavailable', message: 'no collection token: HTTP 200' });
    });
  }
});

function ownUser() {
  const { api_user = '', api_key = '' } = mtnMomoSimulator.credentials('');
  return { disbursement_api_user: api_user, disbursement_api_key: api_key };
}

function created({ book }: Simulator): string[] {
  return book.entries().map(({ key }) => key);
}
