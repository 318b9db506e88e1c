import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, FakeClock, startApi } from '../setup/api.ts';

let api: Api;
const clock = new FakeClock();
before(async () => {
  api = await startApi({ workers: false, clock });
});
after(() => api.stop());

let made = 0;
async function create(): Promise<string> {
  made += 1;
  const { status, body } = await api.call('POST', '/customers', { body: { name: 'Awa', email: `awa${made}@shop.example` } });
  assert.equal(status, 201, JSON.stringify(body));
  return body.customer.id;
}

async function erase(id: string | undefined): Promise<void> {
  const { status, body } = await api.call('DELETE', `/customers/${id}`);
  assert.equal(status, 200, JSON.stringify(body));
}

const total = async (query = '') => (await api.call('GET', `/customers?per_page=5${query}`)).body.meta.total;

test('the total of customers is exact while some are created and others erased, over hours', async () => {
  const ids: string[] = [];
  for (let hour = 0; hour < 6; hour++) {
    for (let i = 0; i < 5; i++) ids.push(await create());
    await erase(ids.shift());
    if (hour % 2 === 1) await erase(ids.pop());
    assert.deepEqual(
      [await total(), await total('&page=2'), await total('&blocked=false')],
      [ids.length, ids.length, ids.length],
    );
    clock.advance(hour % 2 === 0 ? 3_600_000 : 200_000);
    assert.equal(await total(), ids.length);
  }
});
