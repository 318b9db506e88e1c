import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Pirogue } from '../../sdk/src/index.ts';

/** Headers of the requests that were sent. */
const sent: Headers[] = [];
beforeEach(() => void sent.splice(0));

async function answer(_: unknown, init: RequestInit = {}): Promise<Response> {
  sent.push(new Headers(init.headers));
  return Response.json({ transfer: {}, balance: {}, items: [], meta: {} });
}

const pirogue = new Pirogue('sk_test.x', { baseUrl: 'http://127.0.0.1:1', fetch: answer });
const ORDER = { amount: 25_000, currency: 'XAF' } as const;
const PAYOUT = { ...ORDER, channel: 'cm.mtn', recipient: '650000000' } as const;

test('a call for an empty account is rejected before anything is sent: without X-Sync it would be for the team', async () => {
  for (const account of ['', null as never]) {
    const calls = [
      () => pirogue.payments.create(ORDER, { account }),
      () => pirogue.transfers.create(PAYOUT, { account } as never),
      () => pirogue.balance.retrieve({}, { account }),
      () => pirogue.balance.history({}, { account }).page(),
    ];
    for (const call of calls) await assert.rejects(call, { name: 'TypeError', message: /^account must be / });
  }
  assert.equal(sent.length, 0);
  await pirogue.balance.retrieve({}, { account: undefined });
  await pirogue.balance.retrieve({}, { account: 'acct_test_1' });
  assert.deepEqual(
    sent.map((headers) => headers.get('x-sync')),
    [null, 'acct_test_1'],
  );
});

const UNSENDABLE = ['', ' key', 'a\nb', 'ключ', 'clé', 'x'.repeat(256), null as never];

test('a key, a version or an account that is not visible ASCII is a TypeError, and nothing is sent', async () => {
  for (const value of UNSENDABLE) {
    const options = [{ idempotencyKey: value }, { version: value }, { account: value }];
    for (const one of options) {
      const [name] = Object.keys(one);
      const expected = { name: 'TypeError', message: new RegExp(`^${name} must be 1 to 255 visible ASCII characters`) };
      await assert.rejects(async () => pirogue.payments.create(ORDER, one), expected, JSON.stringify(one));
    }
    const version = () => new Pirogue('sk_test.x', { baseUrl: 'http://127.0.0.1:1', version: value });
    assert.throws(version, { name: 'TypeError', message: /^version must be/ });
  }
  assert.equal(sent.length, 0);
  await pirogue.payments.create(ORDER, { idempotencyKey: '~'.repeat(255) });
  assert.equal(sent[0]?.get('idempotency-key')?.length, 255);
});

test('a request id that no header can carry is a TypeError, and nothing is sent', async () => {
  for (const requestId of ['ключ', 'a\nb', 'a\u0001b']) {
    const call = async () => pirogue.payments.create(ORDER, { requestId });
    await assert.rejects(call, { name: 'TypeError', message: /^requestId has a character that no header can carry/ });
  }
  assert.equal(sent.length, 0);
  for (const requestId of [undefined, '', 'Été 12']) await pirogue.payments.create(ORDER, { requestId });
  assert.deepEqual(
    sent.map((headers) => headers.get('x-request-id')),
    [null, null, 'Été 12'],
  );
});
