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
    for (const call of calls) await assert.rejects(call, { name: 'TypeError', message: /^account is not an id: / });
  }
  assert.equal(sent.length, 0);
  await pirogue.balance.retrieve({}, { account: undefined });
  await pirogue.balance.retrieve({}, { account: 'acct_test_1' });
  assert.deepEqual(
    sent.map((headers) => headers.get('x-sync')),
    [null, 'acct_test_1'],
  );
});
