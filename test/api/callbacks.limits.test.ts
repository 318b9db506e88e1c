import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

const PER_MINUTE = 1_200;
const AT_ONCE = 20;

const clock = new FakeClock();
let api: Api;
let shop: LiveShop;
before(async () => {
  api = await startApi({ workers: false, clock });
  shop = await openLiveShop(api, ['pawapay', 'mtn-momo']);
});
after(async () => {
  await shop?.stop();
  await api?.stop();
});

const announce = async (name: string): Promise<number> => {
  const address = `${api.url}/_callbacks/${shop.accounts[name]?.id}`;
  const answer = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  await answer.arrayBuffer();
  return answer.status;
};

test('429 past 1,200 callbacks of an account in a minute; another account goes on, and this one a minute later', async () => {
  let sent = 0;
  const sender = async () => {
    while (sent < PER_MINUTE) {
      sent += 1;
      assert.notEqual(await announce('pawapay'), 429);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  assert.equal(await announce('pawapay'), 429);
  assert.notEqual(await announce('mtn-momo'), 429);
  clock.advance(60_000);
  assert.notEqual(await announce('pawapay'), 429);
});
