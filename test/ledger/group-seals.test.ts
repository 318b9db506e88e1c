import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Sql, sql } from '../../src/kit/sql.ts';
import { JOURNALS } from '../../src/money/ledger/seal.ts';
import { verifyLedger } from '../../src/money/ledger/verify.ts';
import { type Chain, countUnsealed, sealNext } from '../../src/platform/chain/store.ts';
import { APP_ROLE, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { book, type Books, closed, openBooks, PAYMENT } from './books.ts';

/** The chain of all teams, as the previous release seals it. */
const OF_ALL_TEAMS: Chain = { ...JOURNALS, group_seals: null };

let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());
beforeEach(() =>
  books.owner.run(sql`truncate journals, postings, balances, balance_deltas, ledger_seals, ledger_group_seals restart identity`),
);

async function pay(...teams: bigint[]): Promise<void> {
  for (const team_id of teams) await books.app.transaction((tx) => book(tx, PAYMENT, { team_id }));
  await closed(books.app);
}

const seal = (chain = JOURNALS, batch = 100) => sealNext(books.app, chain, batch, 0);

async function verified() {
  const found: string[] = [];
  const end = await verifyLedger(books.owner, ({ check, what }) => found.push(`${check} ${what.split(':')[0]}`));
  return { ...end, found };
}

/** Seals by group: `[team_group, n, journals]`. */
async function seals(): Promise<[number, bigint, number][]> {
  const rows = await books.owner.all<{ team_group: number; n: bigint; journals: number }>(sql`
    select team_group, n, journals from ledger_group_seals order by team_group, n`);
  return rows.map(({ team_group, n, journals }) => [team_group, n, journals]);
}

test('each group of teams has a chain of its own, and one statement seals them all', async () => {
  await pay(1n, 2n, 17n, 16n);
  const statements: Sql[] = [];
  const log = createLog({ level: 'silent', format: 'json' });
  const watch = (statement: Sql) => {
    statements.push(statement);
    return null;
  };
  const pool = openPool({ url: books.databases.sandbox, size: 1, log, role: APP_ROLE, watch });
  assert.equal(await sealNext(pool.seeing('all_teams'), JOURNALS, 100, 0), 4);
  await pool.close();
  assert.equal(statements.length, 1);
  // Teams 1 and 17 are of one group.
  assert.deepEqual(await seals(), [
    [0, 1n, 1],
    [1, 1n, 2],
    [2, 1n, 1],
  ]);
  await pay(2n);
  assert.equal(await countUnsealed(books.owner, JOURNALS), 1);
  assert.equal(await seal(), 1);
  assert.equal(await countUnsealed(books.owner, JOURNALS), 0);
  assert.deepEqual((await seals()).at(-1), [2, 2n, 1]);
  const { found, seals: count, last_seals } = await verified();
  assert.deepEqual([found, count, last_seals.length], [[], 4, 3]);
});

test('a busy group does not delay the seals of others', async () => {
  await pay(1n, 1n, 1n, 2n);
  assert.equal(await seal(JOURNALS, 2), 3);
  assert.deepEqual(await seals(), [
    [1, 1n, 2],
    [2, 1n, 1],
  ]);
});

test('a change in one group breaks the chain of that group alone', async () => {
  await pay(1n, 2n);
  await seal();
  await books.owner.run(sql`update postings set amount_minor = amount_minor + 1 where team_id = 2`);
  const { found } = await verified();
  assert.deepEqual(
    found.filter((fault) => fault.includes('seal')),
    ['seal_broken seal 2/1'],
  );
});

test('a row that is moved among sealed ones is found, also where its group had none', async () => {
  await pay(1n, 2n, 2n);
  await seal();
  await pay(3n);
  await seal();
  await books.owner.run(sql`update journals set tx = (select min(tx) from journals where team_id = 2) where team_id = 3`);
  assert.deepEqual((await verified()).found, ['seal_broken seal 3/1']);
});

test('groups continue the chain of all teams, which stays verifiable', async () => {
  await pay(1n, 2n, 3n);
  assert.equal(await seal(OF_ALL_TEAMS, 2), 2);
  assert.equal(await seal(OF_ALL_TEAMS, 2), 1);
  await pay(2n, 3n);
  assert.equal(await seal(), 2, 'only what the chain of all teams does not cover');
  const { found, seals: count, last_seals } = await verified();
  assert.deepEqual([found, count], [[], 4]);
  assert.deepEqual(
    last_seals.map(({ team_group }) => team_group),
    [null, 2, 3],
  );
});

test('during a rolling upgrade both releases seal, and a group that comes later begins at the newest seal of all teams', async () => {
  await pay(1n);
  await seal();
  await pay(1n, 2n);
  assert.equal(await seal(OF_ALL_TEAMS), 3, 'the previous release seals all that its own chain lacks');
  await pay(2n);
  assert.equal(await seal(), 2, 'group 1 continues its own chain, group 2 begins');
  assert.equal(await seal(OF_ALL_TEAMS), 1);
  assert.deepEqual((await verified()).found, []);
});

const REMOVED: readonly (readonly [string, string, string[]])[] = [
  ['the last seal of all teams', 'delete from ledger_seals where id = 2', ['chain_broken seal 2/1']],
  ['all seals of all teams', 'delete from ledger_seals', ['chain_broken seal 2/1']],
  ['the first seal of a group', 'delete from ledger_group_seals where n = 1', ['chain_broken seal 2/2']],
  [
    'the hash of a seal of all teams',
    `update ledger_seals set hash = sha256('x') where id = 2`,
    ['seal_broken seal 2', 'chain_broken seal 2/1'],
  ],
];
for (const [what, change, faults] of REMOVED) {
  test(`verification finds that ${what} was changed or removed`, async () => {
    await pay(1n, 2n);
    for (let i = 0; i < 2; i++) await seal(OF_ALL_TEAMS, 1);
    for (let i = 0; i < 2; i++) {
      await pay(2n);
      await seal();
    }
    assert.deepEqual((await verified()).found, []);
    await books.owner.run({ text: change, values: [] });
    assert.deepEqual((await verified()).found, faults);
  });
}
