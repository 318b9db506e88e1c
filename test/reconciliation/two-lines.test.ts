import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { Ledgers, line } from './fixture.ts';

let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
});
after(() => books.drop());

test('an operation in two lines, one with its key and failed, one without and paid, is paid', async () => {
  const [payout, collected] = [await books.transfer('processing', 'dispatched'), await books.attempt('open', { ref: 'R2' })];
  await books.db.run(sql`update transfers set provider_ref = 'R1' where id = ${payout.id}`);
  const lines = [
    ...[line('payout', payout.key, { ref: '', status: 'failed' }), line('payout', '', { ref: 'R1' })],
    ...[line('collect', '', { ref: 'R2' }), line('collect', collected.key, { ref: '', status: 'failed' })],
  ];
  const { breaks } = await books.reconcile(lines, { apply: true });
  assert.deepEqual(
    breaks.map(({ kind, there_status, state }) => [kind, there_status, state]),
    [
      ['unknown', 'succeeded', 'closed'],
      ['unknown', 'succeeded', 'closed'],
    ],
  );
  const { status } = await books.one<{ status: string }>(sql`select status from transfers where id = ${payout.id}`);
  assert.equal(status, 'succeeded');
});
