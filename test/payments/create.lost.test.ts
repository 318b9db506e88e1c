import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PaymentCreator } from '../../src/core/payments/create.ts';
import { DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import { type Db, type Sql, sql } from '../../src/kit/sql.ts';
import type { WholeStore } from '../../src/platform/db/stores.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());
const { db } = api.deps.stores.sandbox;

/** A store that commits its first statement and loses the answer. */
function losingFirst(store: WholeStore): WholeStore {
  let lost = false;
  const losing = (through: Db): Db => ({
    ...through,
    all: async <Row>(statement: Sql): Promise<Row[]> => {
      const rows = await through.all<Row>(statement);
      if (lost) return rows;
      lost = true;
      throw new DatabaseUnavailable(new Error('Connection terminated unexpectedly'));
    },
  });
  return { ...store, db: losing(store.db), of: (team_id) => ({ ...store.of(team_id), db: losing(store.of(team_id).db) }) };
}

for (const payer of [{ email: 'ama@shop.example' }, { phone: '+237650000000' }])
  test(`payments that were created together in a statement without an answer are answered 201, with ${Object.keys(payer)}`, async () => {
    const reference = `lost by ${Object.keys(payer)}`;
    const usual = api.deps.creators.sandbox;
    api.deps.creators.sandbox = new PaymentCreator(losingFirst(api.deps.stores.sandbox), true);
    const body = { amount: 25000, currency: 'XAF', reference, ...payer };
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => api.call('POST', '/payments', { key: api.keys.sandbox.secret, body })),
    );
    api.deps.creators.sandbox = usual;
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201],
    );
    const rows = await db.all<{ id: string; events: bigint }>(
      sql`select id, (select count(*) from events where resource_id = p.id) as events from payments p where reference = ${reference} order by id`,
    );
    const shown = answers.map(({ body: { transaction } }) => transaction.id as string);
    assert.deepEqual(
      rows,
      shown.sort().map((id) => ({ id, events: 1n })),
    );
  });
