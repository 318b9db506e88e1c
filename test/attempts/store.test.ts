import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { attemptsOf, lockAttempts } from '../../src/core/attempts/store.ts';
import { sql } from '../../src/kit/sql.ts';
import { openTwins, type Twins } from '../tenants/twins.ts';

let twins: Twins;
before(async () => {
  twins = await openTwins();
});
after(() => twins.close());

test('the attempts of payments are read oldest first, wherever their rows are stored', async () => {
  const { result } = await twins.trial(async (tx, { payment, partial, attempt }) => {
    // A changed row is stored behind the others.
    await tx.run(sql`update attempts set message = 'changed' where id = ${attempt.id}`);
    await tx.run(sql`update attempts set payment_id = ${partial.id} where payment_id not in (${partial.id}, ${payment.id})`);
    await tx.run(sql`set local enable_indexscan = off`);
    const refs = [partial, payment];
    return [await attemptsOf(tx, refs), await lockAttempts(tx, refs)].map((rows) => rows.map(({ id }) => id));
  });
  for (const ids of result as string[][]) {
    assert.ok(ids.length >= 3);
    assert.deepEqual(ids, ids.toSorted());
  }
});
