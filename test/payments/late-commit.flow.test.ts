import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { connectClient } from '../../src/platform/db/client.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';

const MINUTE_MS = 60_000;

const clock = new FakeClock();
const api = await startApi({ clock, workers: false });
after(() => api.stop());

const total = async (path: string): Promise<number> => (await api.call('GET', `${path}?per_page=1`)).body.meta.total;

/** Inserts a copy of a row under a new id, in a transaction that stays open. @returns what commits it */
async function insertedLate(table: string, id: string, copy: string): Promise<() => Promise<void>> {
  const client = await connectClient(api.databases.sandbox);
  await client.query(`create temp table copied as select * from ${table} where id = '${id}'`);
  await client.query(`update copied set id = '${copy}'`);
  await client.query('begin');
  await client.query(`insert into ${table} select * from copied`);
  return async () => {
    await client.query('commit');
    await client.end();
  };
}

const order = { amount: 100, currency: 'XAF', phone: '1' };
const seller = { name: 'Awa', email: 'awa@seller.example' };

for (const { name, path, table, prefix, make } of [
  {
    ...{ name: 'payment', path: '/payments', table: 'payments', prefix: 'trx' as const },
    make: async (): Promise<string> => (await api.call('POST', '/payments', { body: order })).body.transaction.id,
  },
  {
    ...{ name: 'subaccount', path: '/accounts', table: 'accounts', prefix: 'acct' as const },
    make: async (): Promise<string> => (await api.call('POST', '/accounts', { body: seller })).body.account.id,
  },
] as const) {
  // A commit may wait for a standby, however long that is away.
  test(`a ${name} whose transaction takes an hour to commit is in the total after that`, async () => {
    await make();
    const commit = await insertedLate(table, await make(), newId(prefix, 'sandbox', clock.now()));
    assert.equal(await total(path), 2);
    // The list is asked for meanwhile, so that the settled part of its total is counted again and again.
    for (let n = 0; n < 6; n++) {
      clock.advance(10 * MINUTE_MS);
      assert.equal(await total(path), 2);
    }
    await commit();
    // Transactions of other tests on the same server can delay it: until they have ended, theirs may be such a late one too.
    await until(
      () => {
        clock.advance(2 * MINUTE_MS);
        return total(path);
      },
      (now) => now === 3,
    );
    clock.advance(60 * MINUTE_MS);
    assert.equal(await total(path), 3);
  });
}
