import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { statedAmounts } from '../../src/core/payments/statement-amounts-store.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { book, type Books, openBooks } from '../ledger/books.ts';

let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());

test('what statements have shown of attempts is read from the journals of their own team that booked it', async () => {
  await books.owner.transaction(async (tx) => {
    const kind = 'reconciliation.late';
    const line = (amount: bigint): [Account, Account, bigint][] => [['clearing', 'hold', amount]];
    await book(tx, line(1n), { kind, source_id: 'att_1' });
    await book(tx, line(2n), { kind, source_id: 'att_2', currency: 'XOF' });
    await book(tx, line(4n), { kind, source_id: 'att_1', team_id: 2n });
    await book(tx, line(8n), { kind, source_id: 'att_3' });
    await book(tx, line(16n), { kind: 'payment.succeeded', source_id: 'att_1' });
    // Postings of another team with the same numbers of journals.
    await tx.run(sql`
      insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
      select 3, id, 9, 'XAF', 'clearing', 'hold', 32 from journals`);
    const stated = async (...refs: [bigint, string][]) =>
      (
        await statedAmounts(
          tx,
          refs.map(([team_id, attempt_id]) => ({ team_id, attempt_id })),
        )
      )
        .map(({ source_id, amount_minor, currency }) => `${source_id} ${amount_minor} ${currency}`)
        .sort();
    assert.deepEqual(await stated([1n, 'att_1']), ['att_1 1 XAF']);
    assert.deepEqual(await stated([1n, 'att_1'], [1n, 'att_2']), ['att_1 1 XAF', 'att_2 2 XOF']);
    assert.deepEqual(await stated([2n, 'att_1'], [1n, 'att_2']), ['att_1 4 XAF', 'att_2 2 XOF']);
    assert.deepEqual(await stated([3n, 'att_1']), []);
    assert.deepEqual(await stated([1n, 'att_4']), []);
    assert.deepEqual(await stated(), []);
  });
});
