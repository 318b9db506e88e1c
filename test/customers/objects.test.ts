import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { createLog } from '../../src/kit/log.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { type Api, startApi } from '../setup/api.ts';

/** What of a customer has to be an object, because the API returns it as one. */
let api: Api;
let owner: ReturnType<typeof openPool>;
before(async () => {
  api = await startApi({ workers: false });
  owner = openPool({ url: api.databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
});
after(async () => {
  await owner.close();
  await api.stop();
});

test('no customer has text where an object belongs, whatever wrote it', async () => {
  const { body } = await api.call('POST', '/customers', { body: { email: 'objects@shop.example', metadata: { tier: 'gold' } } });
  const { id } = body.customer;
  for (const change of [
    sql`update customers set metadata = '"vip"' where id = ${id}`,
    sql`update customers set address = '[]' where id = ${id}`,
    sql`update customers set billing = '7' where id = ${id}`,
  ])
    await assert.rejects(owner.run(change), { constraint: 'customers_objects' });
  const emptied = sql`update customers set metadata = null, address = '{}' where id = ${id}`;
  await owner.run(emptied);
  const read = await api.call('GET', `/customers/${id}`);
  assert.deepEqual([read.status, read.body.customer.metadata, read.body.customer.address], [200, null, {}]);
});

test('text in a row of before the constraint is absent, and the next change removes it', async () => {
  const { body } = await api.call('POST', '/customers', { body: { email: 'older@shop.example', name: 'Older' } });
  const { id } = body.customer;
  const [{ definition }] = (await owner.all<{ definition: string }>(
    sql`select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'customers_objects'`,
  )) as [{ definition: string }];
  await owner.run(sql`alter table customers drop constraint customers_objects`);
  await owner.run(sql`update customers set metadata = '"vip"', address = '"Rue 1"' where id = ${id}`);
  await owner.run({ text: `alter table customers add constraint customers_objects ${definition}`, values: [] });
  const shown = async (path: string, method: 'GET' | 'POST' = 'GET') => {
    const { status, body: answer } = await api.call(method, path);
    const { metadata, address } = answer.customer ?? answer.items.find((one: { id: string }) => one.id === id);
    return [status, metadata, address];
  };
  assert.deepEqual(await shown(`/customers/${id}`), [200, null, null]);
  assert.deepEqual(await shown('/customers'), [200, null, null]);
  assert.deepEqual(await shown('/customers?search=older'), [200, null, null]);
  assert.deepEqual(await shown(`/customers/${id}/block`, 'POST'), [200, null, null]);
  assert.deepEqual(await owner.all(sql`select metadata, address from customers where id = ${id}`), [
    { metadata: null, address: null },
  ]);
});
