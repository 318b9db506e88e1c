import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { Ledgers, line } from './fixture.ts';

let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
});
after(() => books.drop());

const APPLY = { apply: true };
const KEYLESS = line('collect', '', { ref: 'F-1' });

/** A line that an earlier run set aside and that is identified by now, and two to set aside. */
async function prepare(): Promise<string[]> {
  await books.clear();
  await books.reconcile([KEYLESS], APPLY);
  await books.attempt('succeeded', { ref: 'F-1' });
  const { key } = await books.attempt('succeeded');
  return [line('collect', 'stray'), line('collect', key, { amount: '1200' }), KEYLESS];
}

class Killed extends Error {}

/** A store whose process is killed after so many transactions and statements outside of them. What a transaction writes is all or nothing. */
function dyingAfter(steps: number): Store {
  let left = steps;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    if (left === 0) throw new Killed();
    left -= 1;
    return work();
  };
  const { db } = books.store;
  return {
    environment: 'live',
    db: {
      all: <Row>(statement: Sql) => step(() => db.all<Row>(statement)),
      maybe: <Row>(statement: Sql) => step(() => db.maybe<Row>(statement)),
      run: (statement) => step(() => db.run(statement)),
      transaction: <T>(work: (tx: Tx) => Promise<T>) => step(() => db.transaction(work)),
    },
  };
}

/** Journals without an entry of the audit trail in their transaction. */
const unaudited = () =>
  books.db.all(sql`
    select j.kind from journals j
    where j.kind like 'reconciliation.%'
      and not exists (select from audit_entries e where e.tx = j.tx and e.action = 'reconciliation.apply')`);

test('wherever a run is killed, the next one completes it: no difference, and no money without an audit entry', async () => {
  const wanted = [
    'reconciliation.amount:XAF 20000 XAF clearing > hold',
    'reconciliation.settled:reconciliation.unexpected:collect 100000 XAF hold > clearing',
    'reconciliation.unexpected:collect 100000 XAF clearing > hold',
    'reconciliation.unexpected:collect 100000 XAF clearing > hold',
  ];
  let steps = 0;
  for (let killed = true; killed; steps++) {
    const lines = await prepare();
    killed = await books.reconcile(lines, APPLY, dyingAfter(steps)).then(
      () => false,
      (error) => {
        if (error instanceof Killed) return true;
        throw error;
      },
    );
    assert.deepEqual([await books.differences(), await unaudited()], [[], []], `killed after ${steps} steps`);
    await books.reconcile(lines, APPLY);
    assert.deepEqual([await books.differences(), await unaudited()], [[], []], `completed after ${steps} steps`);
    assert.deepEqual((await books.booked()).sort(), wanted);
  }
  // The comparison, a page of each of two kinds, the identified line and the end are transactions.
  assert.ok(steps > 5, `${steps} steps`);
});
