import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';

let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

test('a search of digits finds them in every field, and phone numbers in any format', async () => {
  const key = (await api.newMerchant()).sandbox.secret;
  const create = async (body: object): Promise<string> => {
    const made = await api.call('POST', '/customers', { key, body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body.customer.id;
  };
  const agent = await create({ name: 'Agent 007', email: 'a@shop.example' });
  const season = await create({ name: 'Choir', company_name: 'Season 2024-25', email: 'b@shop.example' });
  const tester = await create({ name: 'Tester', phone: '+237650000009' });
  const dakar = await create({ name: 'Awa', phone: '+221771234567' });
  const found = async (search: string) => {
    const { body } = await api.call('GET', `/customers?${new URLSearchParams({ search })}`, { key });
    assert.equal(body.meta.total, body.items.length, search);
    return body.items.map(({ id }: { id: string }) => id);
  };
  const searches: [string, string][] = [
    ['007', agent],
    ['2024-25', season],
    ['000009', tester],
    ['00221', dakar],
    ['77 123', dakar],
    ['00 221 77 123 45 67', dakar],
    ['771234567', dakar],
  ];
  // An id may have a few of the digits too.
  for (const [search, id] of searches) assert.ok((await found(search)).includes(id), search);
  assert.deepEqual(await found('2024-26'), []);
});
