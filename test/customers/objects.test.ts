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
