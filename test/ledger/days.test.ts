import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { countDays, countFurther, readChanges, settledBelow } from '../../src/money/ledger/days.ts';
import { addUpDays, book, type Books, openBooks } from './books.ts';

const TEAM = 1n;

let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());
beforeEach(async () => {
  await books.owner.run(sql`truncate journals, postings, balance_days, subaccount_balance_days, balance_day_counts`);
});

const ofTeam = () => ({ ...books.pool, ...books.pool.seeing(TEAM) });

function sale(tx: Tx, amount_minor: bigint) {
  return book(tx, [['clearing', 'pending', amount_minor]]);
}

/** Hundredths that have come to be pending, as a statement adds them up. */
async function stated(): Promise<bigint> {
  const days = { from: '2020-01-01', before: '2100-01-01' };
  const changes = await readChanges(ofTeam(), { team_id: TEAM, subaccount: null, currency: 'XAF' }, days);
  return (changes ?? []).reduce((sum, { account, amount_minor }) => (account === 'pending' ? sum + amount_minor : sum), 0n);
}

/** Hundredths in the sums by day. */
async function summed(): Promise<bigint> {
  const row = await books.owner.maybe<{ amount: bigint }>(
    sql`select coalesce(sum(amount_minor), 0)::bigint as amount from balance_days where account = 'pending'`,
  );
  return row?.amount ?? 0n;
}

test('a journal whose commit takes hours is in the sums once, although later ones were committed before', async () => {
  const db = ofTeam();
  const written = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const slow = db.transaction(async (tx) => {
    await sale(tx, 1n);
    written.resolve();
    // As a commit that waits for a standby: nobody sees the journal yet.
    await answered.promise;
  });
  await written.promise;
  await db.transaction((tx) => sale(tx, 20n));
  await books.owner.run(sql`update journals set created_at = created_at - interval '3 hours'`);
  for (let round = 0; round < 3; round++) assert.equal(await countFurther(db, TEAM), 0);
  assert.equal(await stated(), 20n, 'what is not added up is read from the journals');
  answered.resolve();
  await slow;
  assert.equal(await stated(), 21n);
  await addUpDays(db, TEAM);
  assert.equal(await summed(), 21n);
  assert.equal(await stated(), 21n);
});

test('a transaction with a greater number and a smaller journal than those that have ended is waited for', async () => {
  const db = ofTeam();
  const begun = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const early = db.transaction(async (tx) => {
    await tx.run(sql`select pg_current_xact_id()`);
    begun.resolve();
    await written.promise;
    await sale(tx, 20n);
  });
  await begun.promise;
  const slow = db.transaction(async (tx) => {
    await sale(tx, 1n);
    written.resolve();
    await answered.promise;
  });
  await early;
  for (let round = 0; round < 4; round++) assert.equal(await countDays(db, TEAM), 0);
  answered.resolve();
  await slow;
  await addUpDays(db, TEAM);
  assert.equal(await summed(), 21n);
});

test('a transaction that begins after the mark is not waited for, and its journal follows', async () => {
  const db = ofTeam();
  await db.transaction((tx) => sale(tx, 3n));
  await countDays(db, TEAM);
  const mark = await settledBelow(db, TEAM);
  assert.equal(mark, 0n, 'the first round only sets a mark');
  await db.transaction(async (tx) => {
    await sale(tx, 40n);
    // The mark is older than this transaction, so that the first journal is added up beside it.
    for (let counted = 0; counted === 0; ) {
      counted = await countDays(db, TEAM);
      // Transactions of other tests can delay it, and the pool ends one in which nothing happens.
      await tx.run(sql`select 1`);
    }
    assert.equal(await summed(), 3n);
  });
  await addUpDays(db, TEAM);
  assert.equal(await summed(), 43n);
  const [newest] = await books.owner.all<{ id: bigint }>(sql`select max(id) as id from journals`);
  assert.equal(await settledBelow(db, TEAM), (newest?.id ?? 0n) + 1n);
});
