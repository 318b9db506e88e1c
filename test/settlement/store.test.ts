import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fixed, type Sql, type Tx } from '../../src/kit/sql.ts';
import * as store from '../../src/money/settlement/store.ts';
import { type Books, openBooks } from '../ledger/books.ts';
import { takenBack } from '../ledger/rows.ts';

/** The statements about retained money, on items that differ from the wanted one in one thing. */
let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());

const AT = new Date('2030-01-01T00:00:00Z');
const later = (ms: number) => new Date(AT.getTime() + ms);
const text = (statement: string): Sql => ({ text: statement, values: [] });
const ITEM: store.SettlementItem = {
  ...{ team_id: 1n, payment_id: 'trx_1', account_id: '', currency: 'XAF', share_minor: 1_000n, amount_minor: 900n },
  ...{ release_at: AT, released_at: null },
};
type Changes = Partial<store.SettlementItem>;

/** Runs the work on these items, also with wrong ones, and takes it back. */
function trial(items: Changes[], work: (tx: Tx) => Promise<void>): Promise<void> {
  return takenBack(books, async (tx) => {
    await tx.run(text('alter table settlement_items drop constraint settlement_items_within_share'));
    await store.insertItems(
      tx,
      items.map((changes) => ({ ...ITEM, ...changes })),
    );
    await work(tx);
  });
}

const nameOf = ({ team_id, payment_id, account_id }: Pick<store.SettlementItem, 'team_id' | 'payment_id' | 'account_id'>) =>
  `${team_id} ${payment_id} ${account_id}`;

async function changedItems(tx: Tx, column: string, unchanged: string): Promise<string[]> {
  const rows = await tx.all<store.SettlementItem>(
    text(
      `select team_id, payment_id, account_id from settlement_items where ${column} is distinct from ${unchanged} order by 1, 2, 3`,
    ),
  );
  return rows.map(nameOf);
}

/** One item beside others that are not its own. */
const NEIGHBOURS: Changes[] = [{}, { account_id: 'acct_1' }, { payment_id: 'trx_2' }, { team_id: 2n }];

test('items are read as they were inserted, in the order of their accounts', async () => {
  const whole = {
    account_id: 'acct_1',
    currency: 'XOF',
    share_minor: 7n,
    amount_minor: 3n,
    release_at: later(5),
    released_at: later(6),
  };
  const items = [{ account_id: 'acct_2' }, whole, {}, { payment_id: 'trx_2' }, { team_id: 2n }];
  await trial(items, async (tx) => {
    await store.insertItems(tx, []);
    const wanted = [ITEM, { ...ITEM, ...whole }, { ...ITEM, account_id: 'acct_2' }].map((row) => ({ ...row, drawn_minor: null }));
    assert.deepEqual(await store.lockItems(tx, 1n, 'trx_1'), wanted);
  });
});

test('a change concerns the named items; of those that are released only what was drawn', async () => {
  await trial([...NEIGHBOURS, { account_id: 'acct_2', released_at: AT }], async (tx) => {
    const parties = ['', 'acct_2', 'acct_3'];
    const change = (waiting_minor: bigint, drawn_minor: bigint) =>
      store.changeItems(
        tx,
        1n,
        'trx_1',
        parties.map((account_id) => ({ account_id, waiting_minor, drawn_minor })),
      );
    const drawn = async () => (await store.lockItems(tx, 1n, 'trx_1')).map((row) => `${row.account_id} ${row.drawn_minor}`);
    await change(-100n, 300n);
    await store.changeItems(tx, 1n, 'trx_1', []);
    assert.deepEqual(await changedItems(tx, 'amount_minor', '900'), ['1 trx_1 ']);
    assert.equal((await store.lockItems(tx, 1n, 'trx_1'))[0]?.amount_minor, 800n);
    assert.deepEqual(await changedItems(tx, 'coalesce(drawn_minor, 0)', '0'), ['1 trx_1 ', '1 trx_1 acct_2']);
    await change(0n, -100n);
    assert.deepEqual(
      (await drawn()).filter((row) => !row.endsWith('null')),
      [' 200', 'acct_2 200'],
    );
    await change(0n, -201n);
    assert.deepEqual(
      (await drawn()).filter((row) => !row.endsWith('null')),
      [],
      'it does not fall below nothing',
    );
  });
});

const DUE: [what: string, item: Changes, isDue: boolean][] = [
  ['at its time', {}, true],
  ['a moment before', { release_at: later(1) }, false],
  ['released', { released_at: AT }, false],
  ['with all of its share pending', { amount_minor: 1_000n }, true],
  ['with more pending than its share', { amount_minor: 1_001n }, false],
];
const LOCK = fixed('select team_id, id from wanted');
for (const [what, item, isDue] of DUE) {
  test(`an item ${what} is ${isDue ? '' : 'not '}due`, async () => {
    await trial([item], async (tx) => {
      const refs = [{ team_id: 1n, payment_id: 'trx_1' }];
      assert.deepEqual(await store.duePayments(tx, AT, 9), isDue ? refs : []);
      assert.deepEqual(await store.lockDueItems(tx, refs, AT, LOCK), isDue ? [{ ...ITEM, ...item }] : []);
    });
  });
}

test('payments are due once each, the oldest first when there are too many, in the order of locks', async () => {
  const items: Changes[] = [
    { payment_id: 'trx_3', release_at: later(-1) },
    { payment_id: 'trx_2', release_at: later(-3) },
    { payment_id: 'trx_2', account_id: 'acct_1', release_at: later(-3) },
    { payment_id: 'trx_1', release_at: later(-2) },
    { team_id: 2n, payment_id: 'trx_1', release_at: later(-4) },
  ];
  const many = [19, 12, 18, 13, 17, 15].map((n): Changes => ({ payment_id: `trx_${n}`, release_at: later(-9 - n) }));
  await trial(many, async (tx) => {
    const found = (await store.duePayments(tx, AT, 9)).map(({ payment_id }) => payment_id);
    assert.deepEqual(found, ['trx_12', 'trx_13', 'trx_15', 'trx_17', 'trx_18', 'trx_19']);
  });
  await trial(items, async (tx) => {
    const due = async (limit: number) =>
      (await store.duePayments(tx, AT, limit)).map((one) => `${one.team_id} ${one.payment_id}`);
    assert.deepEqual(await due(9), ['1 trx_1', '1 trx_2', '1 trx_3', '2 trx_1']);
    assert.deepEqual(await due(1), ['2 trx_1']);
    assert.deepEqual(await due(4), ['1 trx_1', '1 trx_2', '2 trx_1']);
  });
});

test('due items are those of the payments that could be locked, in the order of locks', async () => {
  const items: Changes[] = [
    { payment_id: 'trx_2', account_id: 'acct_1' },
    { payment_id: 'trx_2' },
    { team_id: 2n, payment_id: 'trx_1' },
    { payment_id: 'trx_1', account_id: 'acct_1' },
    { payment_id: 'trx_1' },
    { payment_id: 'trx_3' },
    { team_id: 2n, payment_id: 'trx_2' },
  ];
  await trial(items, async (tx) => {
    const refs = [
      { team_id: 2n, payment_id: 'trx_1' },
      { team_id: 1n, payment_id: 'trx_2' },
      { team_id: 1n, payment_id: 'trx_1' },
    ];
    const all = ['1 trx_1 ', '1 trx_1 acct_1', '1 trx_2 ', '1 trx_2 acct_1', '2 trx_1 '];
    assert.deepEqual((await store.lockDueItems(tx, refs, AT, LOCK)).map(nameOf), all);
    const some = fixed(`select team_id, id from wanted where id = 'trx_1' and team_id = 1`);
    assert.deepEqual((await store.lockDueItems(tx, refs, AT, some)).map(nameOf), all.slice(0, 2));
  });
});

test('a release keeps what it released, its time and its batch, of the named items', async () => {
  await trial(NEIGHBOURS, async (tx) => {
    await store.markReleased(tx, [ITEM], later(5), 'batch_1');
    const rows = await tx.all(
      text(`
      select team_id, payment_id, account_id, amount_minor, released_minor, released_at, released_by from settlement_items
      where released_by is not null or released_at is not null or amount_minor <> 900`),
    );
    const released = { amount_minor: 0n, released_minor: 900n, released_at: later(5), released_by: 'batch_1' };
    assert.deepEqual(rows, [{ team_id: 1n, payment_id: 'trx_1', account_id: '', ...released }]);
  });
});

test('the batches of a payment are listed once each, in their order', async () => {
  const items = ['', 'acct_1', 'acct_2', 'acct_3'].map((account_id) => ({ account_id }));
  await trial([...items, { payment_id: 'trx_2' }, { team_id: 2n }], async (tx) => {
    const mark = (changes: Changes, batch: string) => store.markReleased(tx, [{ ...ITEM, ...changes }], AT, batch);
    await mark({}, 'batch_2');
    await mark({ account_id: 'acct_1' }, 'batch_1');
    await mark({ account_id: 'acct_2' }, 'batch_2');
    await mark({ payment_id: 'trx_2' }, 'batch_3');
    await mark({ team_id: 2n }, 'batch_4');
    assert.deepEqual(await store.releasesOf(tx, 1n, 'trx_1'), ['batch_1', 'batch_2']);
    for (const n of [9, 3, 7, 5, 8, 6]) {
      await store.insertItems(tx, [{ ...ITEM, account_id: `acct_${n}0` }]);
      await mark({ account_id: `acct_${n}0` }, `batch_${n}`);
    }
    const all = [1, 2, 3, 5, 6, 7, 8, 9].map((n) => `batch_${n}`);
    assert.deepEqual(await store.releasesOf(tx, 1n, 'trx_1'), all);
    assert.deepEqual(await store.releasesOf(tx, 1n, 'trx_3'), []);
  });
});

test('a shift of time moves releases of the team that are still to come, and counts those that become due', async () => {
  const items: Changes[] = [
    { release_at: later(1_000) },
    { account_id: 'acct_1', release_at: later(1_001) },
    { account_id: 'acct_2', released_at: AT },
    { team_id: 2n },
  ];
  await trial(items, async (tx) => {
    assert.deepEqual(await store.shiftReleases(tx, { team_id: 1n, by_ms: 1_000, now: AT }), { moved: 2, due: 1 });
    const rows = await tx.all<{ release_at: Date }>(text('select release_at from settlement_items order by team_id, account_id'));
    assert.deepEqual(
      rows.map(({ release_at }) => release_at),
      [AT, later(1), AT, AT],
    );
  });
});

test('items that are read for a change are locked until it is committed', async () => {
  await books.owner.transaction((tx) => store.insertItems(tx, [ITEM]));
  const refs = [{ team_id: 1n, payment_id: 'trx_1' }];
  const works = [(tx: Tx) => store.lockItems(tx, 1n, 'trx_1'), (tx: Tx) => store.lockDueItems(tx, refs, AT, LOCK)];
  for (const work of works) {
    await books.owner.transaction(async (tx) => {
      assert.equal((await work(tx)).length, 1);
      assert.deepEqual(await books.owner.all(text('select 1 from settlement_items for update skip locked')), []);
    });
  }
  await books.owner.run(text('delete from settlement_items'));
});
