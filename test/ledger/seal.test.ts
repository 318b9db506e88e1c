import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { pgCode, sql } from '../../src/kit/sql.ts';
import { JOURNALS } from '../../src/money/ledger/seal.ts';
import { verifyLedger } from '../../src/money/ledger/verify.ts';
import { sealNext } from '../../src/platform/chain/store.ts';
import { book, type Books, closed, nextSource, openBooks, PAYMENT } from './books.ts';

let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());
beforeEach(() => books.owner.run(sql`truncate journals, postings, balances, balance_deltas, ledger_seals, ledger_group_seals`));

const pay = (source_id = nextSource()) => books.app.transaction((tx) => book(tx, PAYMENT, { source_id }));
const seal = (batch = 100, wait_ms = 0) => sealNext(books.app, JOURNALS, batch, wait_ms);

interface Seal {
  after_tx: string;
  up_to_tx: string;
  journals: number;
  previous: string;
  hash: string;
}

function seals(): Promise<Seal[]> {
  return books.app.all<Seal>(sql`
    select after_tx::text, up_to_tx::text, journals, encode(previous, 'hex') as previous, encode(hash, 'hex') as hash from ledger_group_seals order by team_group, n`);
}

/** Sources under one seal, in the order of booking. */
async function sealedBy({ after_tx, up_to_tx }: Seal): Promise<string[]> {
  const rows = await books.app.all<{ source_id: string }>(sql`
    select source_id from journals where tx >= ${after_tx}::xid8 and tx < ${up_to_tx}::xid8 order by tx, id`);
  return rows.map(({ source_id }) => source_id);
}

async function differences(): Promise<string[]> {
  const found: string[] = [];
  await verifyLedger(books.owner, ({ check, what }) => found.push(`${check} ${what}`));
  return found;
}

test('seals closed transactions, oldest first, each once', async () => {
  const sources = [nextSource(), nextSource(), nextSource()];
  for (const source of sources) await pay(source);
  await closed(books.app);
  assert.deepEqual([await seal(2), await seal(2), await seal(2)], [2, 1, 0]);
  const [first, second, ...rest] = await seals();
  assert.ok(first && second && rest.length === 0);
  assert.deepEqual([...(await sealedBy(first)), ...(await sealedBy(second))], sources);
  assert.equal(first.after_tx, '0');
  assert.equal(first.previous, createHash('sha256').update('').digest('hex'));
  assert.deepEqual([second.after_tx, second.previous], [first.up_to_tx, first.hash]);
  assert.deepEqual(await differences(), []);
});

test('the hash can be reproduced independently: sha256 of the previous hash and one JSON array for each line', async () => {
  const { source_id } = await pay();
  await closed(books.app);
  await seal();
  const [made] = await seals();
  const [journal] = await books.app.all<{ id: bigint; tx: string; ms: bigint }>(sql`
    select id, tx::text, (extract(epoch from created_at) * 1000)::bigint as ms from journals`);
  const head = `["${journal?.tx}", 1, ${journal?.id}, "payment.succeeded", "${source_id}", "${source_id}", ${journal?.ms}`;
  const text = `${head}, 1, "XAF", "clearing", "pending", 25000]\n${head}, 2, "XAF", "pending", "fee_income", 500]\n`;
  const previous = Buffer.from(made?.previous as string, 'hex');
  assert.equal(made?.hash, createHash('sha256').update(previous).update(text).digest('hex'));
});

test('an open transaction delays sealing and loses no line', async () => {
  const early = await pay();
  const late = nextSource();
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let begun = () => {};
  const booked = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const open = books.app.transaction(async (tx) => {
    await book(tx, PAYMENT, { source_id: late });
    begun();
    await finished;
  });
  await booked;
  const after = [await pay(), await pay()];
  await closed(books.app, [early.source_id]);
  assert.equal(await seal(), 1, 'only what was booked before the open one began');
  assert.equal(await seal(), 0);
  const [first] = await seals();
  assert.deepEqual(await sealedBy(first as Seal), [early.source_id]);
  finish();
  await open;
  await closed(books.app);
  assert.equal(await seal(), 3);
  const [, second] = await seals();
  assert.deepEqual(await sealedBy(second as Seal), [late, ...after.map(({ source_id }) => source_id)]);
  assert.deepEqual(await differences(), []);
});

test('a transaction that was rolled back leaves no gap', async () => {
  await assert.rejects(
    books.app.transaction(async (tx) => {
      await book(tx, PAYMENT);
      throw new Error('given up');
    }),
  );
  await pay();
  await closed(books.app);
  assert.equal(await seal(), 1);
  assert.deepEqual(await differences(), []);
});

test('a transaction is never split between two seals', async () => {
  await books.app.transaction(async (tx) => {
    for (let i = 0; i < 5; i++) await book(tx, PAYMENT);
  });
  await pay();
  await closed(books.app);
  assert.deepEqual([await seal(2), await seal(2)], [5, 1]);
  assert.deepEqual(await differences(), []);
});

test('concurrent processes make one chain', async () => {
  const paying = Promise.all(Array.from({ length: 100 }, () => pay()));
  let sealed = 0;
  for (let round = 0; round < 15; round++) {
    const counts = await Promise.all(Array.from({ length: 6 }, () => seal(7)));
    sealed += counts.reduce((sum, count) => sum + count, 0);
  }
  await paying;
  await closed(books.app);
  for (let more = await seal(); more > 0; more = await seal()) sealed += more;
  assert.equal(sealed, 100);
  assert.equal(
    (await seals()).reduce((sum, { journals }) => sum + journals, 0),
    100,
  );
  assert.deepEqual(await differences(), []);
});

test('sealing waits for lines of a minimum age, so that a quiet day makes few seals', async () => {
  await pay();
  await closed(books.app);
  assert.equal(await seal(100, 60_000), 0);
  assert.equal(await seal(100, 0), 1);
});

test('the service can add seals and journals, but change none', async () => {
  await pay();
  await closed(books.app);
  await seal();
  const forbidden = [
    sql`update ledger_group_seals set hash = ''`,
    sql`delete from ledger_group_seals`,
    sql`truncate ledger_group_seals`,
    sql`update journals set kind = 'x'`,
    sql`delete from journals`,
    sql`update postings set amount_minor = 1`,
    sql`delete from postings`,
  ];
  for (const statement of forbidden) {
    await assert.rejects(books.app.run(statement), (error) => pgCode(error) === '42501', statement.text);
  }
});
