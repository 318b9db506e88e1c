import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { erasureSweep } from '../../src/edge/erasure/sweeps.ts';
import { sql } from '../../src/kit/sql.ts';
import { FakeClock, startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());
const key = (await api.newMerchant()).sandbox.secret;
const { db } = api.deps.stores.sandbox;

/** A payment of a customer of its own. */
async function createPayment(name: string, email: string) {
  const body = { amount: 25_000, currency: 'XAF', name, email };
  const { id } = (await api.call('POST', '/payments', { key, body })).body.transaction as { id: string };
  const { customer } = (await api.call('GET', `/payments/${id}`, { key })).body.transaction as { customer: string };
  return { id, customer };
}

const erase = async (customer: string) => assert.equal((await api.call('DELETE', `/customers/${customer}`, { key })).status, 200);

test('an erasure that cannot be repeated does not keep others from being repeated', async () => {
  const all = [];
  for (const n of [1, 2, 3, 4]) all.push(await createPayment('Lately Racing', `late${n}@round.example`));
  for (const { customer } of all) await erase(customer);
  const clock = new FakeClock();
  const logged: unknown[] = [];
  const log = { ...api.deps.log, error: (fields: unknown) => logged.push(fields) };
  const sweep = erasureSweep({ ...api.deps, clock, log }, api.deps.stores.sandbox);
  await db.run(sql`update payments set description = 'for Lately', name = 'Lately Racing' where name like 'Deleted User %'`);
  const damaged = [all[0], all[2]].map((one) => one?.customer);
  await db.run(sql`update events set body = ${Buffer.from('{')} where resource_id = any(${damaged})`);
  clock.advance(31_000);
  while ((await sweep.round()) > 0);
  const described = await Promise.all(
    all.map(
      async ({ id }) =>
        (await db.maybe<{ description: string }>(sql`select description from payments where id = ${id}`))?.description,
    ),
  );
  assert.deepEqual(described, ['for Lately', 'for [erased]', 'for Lately', 'for [erased]']);
  assert.equal(logged.length, 2);
});
