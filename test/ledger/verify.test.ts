import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/kit/sql.ts';
import type { Check, Difference } from '../../src/money/ledger/differences.ts';
import { foldDeltas } from '../../src/money/ledger/fold.ts';
import { JOURNALS } from '../../src/money/ledger/seal.ts';
import { type Verified, verifyLedger } from '../../src/money/ledger/verify.ts';
import { sealNext } from '../../src/platform/chain/store.ts';
import { book, type Books, closed, openBooks, PAYMENT } from './books.ts';

let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());
beforeEach(() =>
  books.owner.run(sql`truncate journals, postings, balances, balance_deltas, ledger_seals, ledger_group_seals restart identity`),
);

async function verify(): Promise<{ verified: Verified; found: Difference[] }> {
  const found: Difference[] = [];
  const verified = await verifyLedger(books.owner, (difference) => found.push(difference));
  return { verified, found };
}

/** A difference on one line. */
function shown({ check, team_id, what, expected, found }: Difference): string {
  return `${check} ${team_id} ${what}: ${expected}; ${found}`.replace(/att_test_\d+/, 'att');
}

/** Three payments, one of another team, some folded and some not, all sealed; then money available and reserved. */
async function fill(): Promise<void> {
  for (const team_id of [1n, 1n, 2n]) {
    await books.app.transaction((tx) => book(tx, PAYMENT, { team_id }));
    await foldDeltas(books.app, 3);
  }
  await books.app.transaction((tx) => book(tx, [['pending', 'available', 20_000n]], { kind: 'hold.released' }));
  await books.app.transaction((tx) => book(tx, [['available', 'reserved', 5_000n]], { kind: 'transfer.reserved' }));
  await books.app.transaction((tx) => book(tx, [['clearing', 'available:acct_1', 100n]], { currency: 'GHS' }));
  await closed(books.app);
  while ((await sealNext(books.app, JOURNALS, 2, 0)) > 0);
}

test('a correct ledger has no differences, and what was checked is counted', async () => {
  await fill();
  const { verified, found } = await verify();
  assert.deepEqual(found, []);
  const { last_seal, last_seals, ...counts } = verified;
  assert.deepEqual(counts, { teams: 2, journals: 6, lines: 9, seals: 4 });
  assert.match(last_seal as string, /^[0-9a-f]{64}$/);
  assert.deepEqual(
    last_seals.map(({ team_group }) => team_group),
    [1, 2],
  );
});

test('an empty ledger is correct', async () => {
  assert.deepEqual(await verify(), {
    verified: { teams: 0, journals: 0, lines: 0, seals: 0, last_seal: null, last_seals: [] },
    found: [],
  });
});

test('a correct ledger has no differences while payments are posted, folded and sealed', async () => {
  let running = true;
  const whileRunning = async (work: () => Promise<unknown>) => {
    while (running) await work();
  };
  const busy = [
    ...Array.from({ length: 6 }, (_, i) =>
      whileRunning(() =>
        books.app.transaction(async (tx) => {
          await book(tx, PAYMENT, { team_id: BigInt(1 + (i % 2)) });
          await book(tx, [['clearing', 'available', 100n]], { team_id: BigInt(1 + (i % 2)), kind: 'test.funded' });
          if (i === 0) await sleep(20);
        }),
      ),
    ),
    whileRunning(() => foldDeltas(books.app, 50)),
    whileRunning(() => sealNext(books.app, JOURNALS, 20, 0)),
  ];
  let looks = 0;
  for (const end = performance.now() + 2_000; performance.now() < end || looks < 2; looks++) {
    assert.deepEqual((await verify()).found, []);
  }
  running = false;
  await Promise.all(busy);
  assert.ok(looks > 1);
  assert.deepEqual((await verify()).found, []);
});

test('an open transaction is not a difference', async () => {
  await fill();
  await books.app.transaction(async (tx) => {
    await book(tx, PAYMENT);
    assert.deepEqual((await verify()).found, []);
    await books.app.transaction((other) => book(other, PAYMENT));
    assert.deepEqual((await verify()).found, []);
  });
});

describe('what the owner of the database changes is found', () => {
  const first = '(select min(id) from journals)';
  const changes: [string, string[], Check[]][] = [
    [
      'an amount',
      [`update postings set amount_minor = amount_minor + 1 where journal_id = ${first} and line = 1`],
      ['balance_drift', 'balance_drift', 'seal_broken'],
    ],
    [
      'an account',
      [`update postings set credit = 'hold' where journal_id = ${first} and line = 1`],
      ['balance_drift', 'balance_drift', 'seal_broken'],
    ],
    [
      'the currency of a line',
      [`update postings set currency = 'USD' where journal_id = ${first} and line = 2`],
      ['balance_drift', 'balance_drift', 'balance_drift', 'balance_drift', 'seal_broken'],
    ],
    [
      'a line removed',
      [`delete from postings where journal_id = ${first} and line = 2`],
      ['balance_drift', 'balance_drift', 'seal_broken'],
    ],
    [
      'a line added',
      [`insert into postings values (1, ${first}, 3, 'XAF', 'clearing', 'available', 1)`],
      ['balance_drift', 'balance_drift', 'seal_broken'],
    ],
    [
      'a journal removed with its lines',
      [`delete from postings where journal_id = ${first}`, `delete from journals where id = ${first}`],
      ['balance_drift', 'balance_drift', 'balance_drift', 'seal_broken'],
    ],
    [
      'a journal removed without its lines',
      [`delete from journals where id = ${first}`],
      ['line_without_journal', 'line_without_journal', 'balance_drift', 'balance_drift', 'balance_drift', 'seal_broken'],
    ],
    [
      'the lines of a journal removed',
      [`delete from postings where journal_id = ${first}`],
      ['journal_without_lines', 'balance_drift', 'balance_drift', 'balance_drift', 'seal_broken'],
    ],
    [
      'the moment of a journal',
      [`update journals set created_at = created_at - interval '1 second' where id = ${first}`],
      ['seal_broken'],
    ],
    ['the payment of a journal', [`update journals set subject_id = 'trx_other' where id = ${first}`], ['seal_broken']],
    ['the kind of a journal', [`update journals set kind = 'x' where id = ${first}`], ['seal_broken']],
    ['the source of a journal', [`update journals set source_id = 'x' where id = ${first}`], ['seal_broken']],
    [
      'the transaction of a journal',
      [`update journals set tx = (select max(tx) from journals) where id = ${first}`],
      ['seal_broken', 'seal_broken'],
    ],
    [
      'the team of a journal and its lines',
      [`update postings set team_id = 3 where journal_id = ${first}`, `update journals set team_id = 3 where id = ${first}`],
      ['balance_drift', 'balance_drift', 'balance_drift', 'balance_drift', 'balance_drift', 'balance_drift', 'seal_broken'],
    ],
    [
      'a balance',
      [`update balances set posted_minor = posted_minor + 7 where account = 'available' and team_id = 1`],
      ['balance_drift', 'currency_sum'],
    ],
    [
      'a balance of an account without lines',
      [`insert into balances values (9, 'XAF', 'available', true, 7)`],
      ['balance_drift', 'currency_sum'],
    ],
    [
      'a waiting delta',
      [`insert into balance_deltas (team_id, currency, account, amount_minor) values (1, 'XAF', 'pending', 7)`],
      ['balance_drift', 'currency_sum'],
    ],
    ['a seal', [`update ledger_group_seals set hash = sha256('x') where n = 2`], ['seal_broken', 'chain_broken']],
    ['a seal removed', ['delete from ledger_group_seals where n = 2'], ['chain_broken']],
    ['the first seal removed', ['delete from ledger_group_seals where n = 1'], ['chain_broken']],
    [
      'a seal made again after a change',
      [
        `update postings set amount_minor = amount_minor + 1 where journal_id = ${first} and line = 1`,
        'delete from ledger_group_seals where n = 1',
      ],
      ['balance_drift', 'balance_drift', 'chain_broken'],
    ],
  ];
  for (const [what, statements, checks] of changes) {
    test(what, async () => {
      await fill();
      for (const text of statements) await books.owner.run({ text, values: [] });
      const { found } = await verify();
      assert.deepEqual(
        found.map(({ check }) => check),
        checks,
        JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? String(value) : value), 1),
      );
    });
  }

  test('rows that violate dropped constraints are found', async () => {
    await fill();
    const text = `begin;
      alter table balances drop constraint balances_guard;
      alter table journals drop constraint journals_team_id_source_id_kind_key;
      alter table postings drop constraint postings_amount_minor_check;
      insert into journals (team_id, kind, source_id, subject_id) select team_id, kind, source_id, subject_id from journals where id = ${first};
      insert into postings select 1, (select max(id) from journals), 1, 'XAF', 'clearing', 'nowhere', -5;
      update balances set guarded = false, posted_minor = -5 where account = 'available' and team_id = 1;
      commit`;
    const undo = `begin;
      truncate journals, postings, balances;
      alter table balances add constraint balances_guard check (not guarded or posted_minor >= 0);
      alter table journals add constraint journals_team_id_source_id_kind_key unique (team_id, source_id, kind);
      alter table postings add constraint postings_amount_minor_check check (amount_minor > 0);
      commit`;
    await books.owner.run({ text, values: [] });
    // While any transaction on the server is older, the new journal is taken for one that comes later.
    await closed(books.app);
    const { found } = await verify();
    await books.owner.run({ text: undo, values: [] });
    assert.deepEqual(found.map(shown).sort(), [
      'balance_drift 1 XAF available: 150.00; -0.05',
      'balance_drift 1 XAF clearing: -499.95; -500.00',
      'balance_drift 1 XAF nowhere: -0.05; 0.00',
      'below_zero 1 XAF available: zero or more; -0.05',
      'booked_twice 1 journal 7 (payment.succeeded of att): one journal; journal 1 too',
      'currency_sum 1 XAF: 0.00; -150.05',
      'impossible_line 1 XAF nowhere: an account of the chart; lines of another',
      'impossible_line 1 journal 7, line 1: a positive amount between two accounts; -5 hundredths from clearing to nowhere',
      'not_guarded 1 XAF available: a guarded row; none',
    ]);
  });

  test('a ledger from another server, whose transaction counter is ahead, is found', async () => {
    await fill();
    await books.owner.run(
      sql`update ledger_group_seals set up_to_tx = '999999999999' where n = (select max(n) from ledger_group_seals)`,
    );
    const { found } = await verify();
    assert.deepEqual(
      found.map(({ check, team_id }) => [check, team_id]),
      [['counter_behind', null]],
      'it concerns no team alone',
    );
  });
});

test('a difference reports the place, the expected and the actual value', async () => {
  await fill();
  await books.owner.run(sql`update balances set posted_minor = posted_minor + 7 where account = 'available' and team_id = 1`);
  const { found } = await verify();
  assert.deepEqual(found[0], { check: 'balance_drift', team_id: 1n, what: 'XAF available', expected: '150.00', found: '150.07' });
});

test('a ledger longer than one batch is read completely, even without statistics', async () => {
  await books.app.transaction((tx) => book(tx, PAYMENT, { team_id: 2n }));
  await foldDeltas(books.app, 10);
  await books.owner.run(sql`analyze journals, postings`);
  await books.owner.run(sql`
    with made as (
      insert into journals (team_id, kind, source_id, subject_id) select 1, 'payment.succeeded', 'att_' || i, 'trx_' || i from generate_series(1, 45000) i
      returning id
    ) insert into postings select 1, id, 1, 'XAF', 'clearing', 'pending', 1 from made`);
  await books.owner.run(
    sql`insert into balances values (1, 'XAF', 'clearing', false, -45000), (1, 'XAF', 'pending', false, 45000)`,
  );
  const { verified, found } = await verify();
  assert.deepEqual(found, []);
  assert.deepEqual([verified.journals, verified.lines], [45_001, 45_002]);
});
