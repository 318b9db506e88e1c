import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fixture, OPTIONS, paymentId, type Row } from './fixture.ts';

let fixture: Fixture;
before(async () => {
  fixture = await Fixture.open();
});
after(() => fixture.close());

test('the page before an empty one ends with the last row of a search, and so back to the first', async () => {
  const team = 51n;
  const start = Date.now() - 900_000;
  const rows = Array.from({ length: 2 * OPTIONS.segment_rows + 7 }, (_, i): Row => {
    const at = start + i * 10;
    return {
      ...{ id: paymentId(at), reference: null, description: null, name: `Awa ${i}`, email: null, phone: null, status: 'pending' },
      ...{ amount_minor: 100, customer_id: null, key_id: 'k', created_at: new Date(at).toISOString() },
    };
  });
  await fixture.insert(team, rows);
  await fixture.build(team);
  const list = (cursor: string) => fixture.list(team, { search: 'awa', per_page: 25, cursor });
  const forth = [await list('')];
  while (forth.at(-1)?.more) forth.push(await list(forth.at(-1)?.next ?? ''));
  const beyond = await list(forth.at(-1)?.next ?? '');
  assert.deepEqual([beyond.ids, beyond.more], [[], false]);
  const back: string[][] = [];
  for (let cursor = beyond.previous; cursor; ) {
    const page = await list(cursor);
    back.unshift(page.ids);
    cursor = page.previous;
  }
  const newestFirst = rows.map(({ id }) => id).reverse();
  assert.deepEqual(
    forth.flatMap(({ ids }) => ids),
    newestFirst,
  );
  assert.deepEqual(back.flat(), newestFirst);
});
