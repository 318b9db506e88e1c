import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql, type Tx } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { owedByTeam, repayCredit } from '../../src/money/settlement/credit.ts';
import { draw, returnDrawn } from '../../src/money/settlement/draw.ts';
import { releaseItems } from '../../src/money/settlement/release.ts';
import * as store from '../../src/money/settlement/store.ts';
import { type Books, openBooks } from '../ledger/books.ts';
import { takenBack } from '../ledger/rows.ts';
import { AT, drawn, give, insertPayment, item, items, journals, sumOf } from './support.ts';

/** Whose money it is: what is released, drawn, returned and repaid, for each party, row by row. Every trial is taken back. */
let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());

const trial = (work: (tx: Tx) => Promise<void>) => takenBack(books, work);

const ONE = { team_id: 1n, currency: 'XAF', account_id: '', source_id: 's1', subject_id: 'x1' };

test('an advance is repaid from money that arrived: all of it, or all that there is', async () => {
  for (const [available, debt, repaid] of [
    [100n, 40n, 40n],
    [40n, 100n, 40n],
    [40n, 40n, 40n],
    [0n, 100n, null],
    [100n, 0n, null],
  ] as const) {
    await trial(async (tx) => {
      await give(tx, [
        ['clearing', 'available', available],
        ['credit', 'clearing', debt],
      ]);
      await repayCredit(tx, [ONE]);
      const wanted = repaid === null ? [] : [`1 XAF credit.repaid:XAF:available s1 x1 : available>credit ${repaid}`];
      assert.deepEqual(await journals(tx), wanted);
    });
  }
});

test('only the party to which money came repays, in its currency and from its own money', async () => {
  await trial(async (tx) => {
    for (const [team, currency] of [
      [1n, 'XAF'],
      [1n, 'XOF'],
      [2n, 'XAF'],
    ] as const) {
      const own: [Account, Account, bigint][] = ['', ':acct_1', ':acct_2'].flatMap((party): [Account, Account, bigint][] => [
        ['clearing', `available${party}` as Account, 100n],
        [`credit${party}` as Account, 'clearing', 30n],
      ]);
      await give(tx, own, team, currency);
    }
    await repayCredit(tx, []);
    assert.deepEqual(await journals(tx), []);
    await repayCredit(tx, [
      { ...ONE, account_id: 'acct_1' },
      { ...ONE, currency: 'XOF' },
      { ...ONE, team_id: 3n },
    ]);
    assert.deepEqual(await journals(tx), [
      '1 XAF credit.repaid:XAF:available:acct_1 s1 x1 : available:acct_1>credit:acct_1 30',
      '1 XOF credit.repaid:XOF:available s1 x1 : available>credit 30',
    ]);
    const rows = await tx.all(sql`select account from balances where team_id = 3`);
    assert.deepEqual(rows, [], 'for those who owe nothing, nothing is locked');
    assert.equal(await owedByTeam(tx, 1n, 'XAF'), 60n);
    assert.equal(await owedByTeam(tx, 1n, 'XOF'), 60n);
    assert.equal(await owedByTeam(tx, 2n, 'XAF'), 90n);
    assert.equal(await owedByTeam(tx, 3n, 'XAF'), 0n);
  });
});

test('what a team owes is the sum of its accounts of credit, and of no account with a name near that', async () => {
  await trial(async (tx) => {
    for (const [n, name] of [
      'credit',
      'credit:',
      'credit:acct_1',
      'credit:~',
      'credit9',
      'credit;',
      'creditx',
      'a',
      'z',
    ].entries())
      await tx.run(
        sql`insert into balances (team_id, currency, account, guarded, posted_minor) values (1, 'XAF', ${name}, false, ${-(10 ** n)})`,
      );
    assert.equal(await owedByTeam(tx, 1n, 'XAF'), 1_111n);
  });
});

const CLAIM = { team_id: 1n, payment_id: 'trx_1', currency: 'XAF', amount_minor: 100_000n };

/** A payment without a fee, of which the team has a tenth and a subaccount the rest, with money of both and of another payment. */
async function split(tx: Tx, own: Partial<store.SettlementItem> = {}): Promise<void> {
  const rest = item({ account_id: 'acct_1', share_minor: 900_000n, amount_minor: 30_000n });
  await insertPayment(tx, 1_000_000n);
  await store.insertItems(tx, [
    item({ share_minor: 100_000n, amount_minor: 4_000n, ...own }),
    rest,
    item({ payment_id: 'trx_2' }),
  ]);
  await give(tx, [
    ['clearing', 'pending', 900_000n],
    ['clearing', 'available', 5_000n],
    ['clearing', 'available:acct_1', 20_000n],
  ]);
}

test('a claim is drawn from each party by its share: from pending, then available, then as an advance', async () => {
  await trial(async (tx) => {
    await split(tx);
    assert.deepEqual(await draw(tx, CLAIM, null), [
      ...[drawn('', 'pending', 4_000n), drawn('', 'available', 5_000n)],
      ...[drawn('acct_1', 'pending', 30_000n), drawn('acct_1', 'available', 20_000n)],
      ...[drawn('', 'credit', 1_000n), drawn('acct_1', 'credit', 40_000n)],
    ]);
    assert.deepEqual(await items(tx), ['1 trx_1 "" XAF 100000 0', '1 trx_1 "acct_1" XAF 900000 0', '1 trx_2 "" XAF 1000 1000']);
  });
  await trial(async (tx) => {
    await split(tx);
    const small = await draw(tx, { ...CLAIM, amount_minor: 1_000n }, 0n);
    assert.deepEqual(small, [drawn('', 'pending', 100n), drawn('acct_1', 'pending', 900n)], 'covered: the cap does not matter');
    assert.deepEqual((await items(tx)).slice(0, 2), ['1 trx_1 "" XAF 100000 3900', '1 trx_1 "acct_1" XAF 900000 29100']);
  });
});

test('advances of the platform stay within the cap of the team, with what it owes already', async () => {
  for (const [owed, cap, isDrawn] of [
    [0n, 41_000n, true],
    [0n, 40_999n, false],
    [9_000n, 50_000n, true],
    [9_000n, 49_999n, false],
    [9_000n, null, true],
  ] as const) {
    await trial(async (tx) => {
      await split(tx);
      await give(tx, [['credit:acct_2', 'clearing', owed]]);
      const before = await items(tx);
      const draws = await draw(tx, CLAIM, cap);
      assert.equal(draws !== null, isDrawn, `${owed} ${cap}`);
      if (!isDrawn) assert.deepEqual(await items(tx), before);
    });
  }
});

test('a claim above the cap is rejected without adding up what every subaccount owes', async () => {
  const sums: string[] = [];
  await trial(async (tx) => {
    await split(tx);
    const watched = new Proxy(tx, {
      get: (target, name) => {
        if (name !== 'maybe') return Reflect.get(target, name);
        return (query: { text: string }) => {
          if (/sum\(posted_minor\)/.test(query.text)) sums.push(query.text);
          return target.maybe(query as never);
        };
      },
    });
    assert.equal(await draw(watched, CLAIM, 40_999n), null);
    assert.deepEqual(sums, []);
    assert.notEqual(await draw(watched, CLAIM, 41_000n), null);
    assert.equal(sums.length, 1);
  });
});

test('nothing pending is drawn from a share that was released, or that is larger than it should be', async () => {
  for (const [own, pending] of [
    [{ released_at: AT }, 0n],
    [{ amount_minor: 100_001n }, 0n],
    [{ amount_minor: 100_000n }, 10_000n],
  ] as const) {
    await trial(async (tx) => {
      if ('amount_minor' in own) await tx.run(sql`alter table settlement_items drop constraint settlement_items_within_share`);
      await split(tx, own);
      // As where such a row is older than the constraint.
      if ('amount_minor' in own)
        await tx.run(
          sql`alter table settlement_items add constraint settlement_items_within_share check (amount_minor <= share_minor) not valid`,
        );
      const draws = await draw(tx, CLAIM, null);
      const sum = draws?.filter(({ account_id, bucket }) => account_id === '' && bucket === 'pending');
      assert.deepEqual(sum, pending > 0n ? [drawn('', 'pending', pending)] : []);
    });
  }
});

const RETURN = { team_id: 1n, kind: 'back', source_id: 'rfd_1', currency: 'XAF', payment_id: 'trx_1', from: 'disputed' } as const;
const DRAWS = [
  ...[drawn('', 'pending', 40n), drawn('', 'available', 50n), drawn('', 'credit', 10n)],
  ...[drawn('acct_1', 'pending', 300n), drawn('acct_1', 'hold', 7n)],
];
const from = (each: boolean) => (each ? 'disputed:acct_1' : 'disputed');

for (const each of [false, true]) {
  test(`drawn money returns to where it came from${each ? ', from the account of each party' : ''}, once`, async () => {
    await trial(async (tx) => {
      await split(tx);
      await give(tx, [['credit', 'clearing', 45n]]);
      await returnDrawn(tx, { ...RETURN, ...(each && { each }) }, DRAWS, sumOf(DRAWS));
      const back = [
        ...['disputed>available 10', 'disputed>available 50', 'disputed>pending 40'],
        ...[`${from(each)}>hold:acct_1 7`, `${from(each)}>pending:acct_1 300`],
      ];
      const wanted = [
        `1 XAF back rfd_1 trx_1 : ${back.join(', ')}`,
        '1 XAF credit.repaid:XAF:available rfd_1 trx_1 : available>credit 45',
      ];
      const after = ['1 trx_1 "" XAF 100000 4040', '1 trx_1 "acct_1" XAF 900000 30300', '1 trx_2 "" XAF 1000 1000'];
      assert.deepEqual([await journals(tx), await items(tx)], [wanted, after]);
      await give(tx, [['credit', 'clearing', 45n]]);
      await returnDrawn(tx, RETURN, DRAWS, sumOf(DRAWS));
      assert.deepEqual([await journals(tx), await items(tx)], [wanted, after]);
    });
  });
}

test('a party repays its advance from what became available to it, and not when its money is pending or held', async () => {
  await trial(async (tx) => {
    await split(tx);
    await give(tx, [['credit', 'clearing', 45n]]);
    await give(tx, [['credit:acct_1', 'clearing', 30n]]);
    const draws = [drawn('', 'pending', 40n), drawn('', 'hold', 5n), drawn('acct_1', 'available', 20n)];
    await returnDrawn(tx, RETURN, draws, sumOf(draws));
    assert.equal(
      (await journals(tx)).at(-1),
      '1 XAF credit.repaid:XAF:available:acct_1 rfd_1 trx_1 : available:acct_1>credit:acct_1 30',
    );
    assert.equal((await journals(tx)).length, 2);
  });
});

test('every draw has the row of the team’s own credit, also when only a subaccount gives', async () => {
  await trial(async (tx) => {
    await store.insertItems(tx, [item({ account_id: 'acct_1' })]);
    await draw(tx, { ...CLAIM, amount_minor: 10n }, null);
    const rows = await tx.all<{ account: string }>(sql`select account from balances order by account`);
    assert.deepEqual(
      rows.map(({ account }) => account),
      ['available:acct_1', 'credit', 'credit:acct_1'],
    );
  });
});

test('what was drawn from a pending share that was released since becomes available', async () => {
  await trial(async (tx) => {
    await split(tx, { released_at: AT, amount_minor: 0n });
    const draws = [drawn('', 'pending', 40n), drawn('', 'hold', 5n), drawn('acct_1', 'pending', 300n)];
    await returnDrawn(tx, RETURN, draws, sumOf(draws));
    const back = 'disputed>hold 5, disputed>available 40, disputed>pending:acct_1 300';
    assert.deepEqual(await journals(tx), [`1 XAF back rfd_1 trx_1 : ${back}`]);
    assert.deepEqual((await items(tx)).slice(0, 2), ['1 trx_1 "" XAF 100000 0 0.000000', '1 trx_1 "acct_1" XAF 900000 30300']);
  });
});

test('released money becomes available, one journal for each party and currency, and repays what each owes', async () => {
  await trial(async (tx) => {
    const due = [
      item({ amount_minor: 100n }),
      item({ payment_id: 'trx_2', amount_minor: 20n }),
      item({ payment_id: 'trx_2', account_id: 'acct_1', amount_minor: 3n }),
      item({ payment_id: 'trx_3', currency: 'XOF', amount_minor: 400n }),
      item({ team_id: 2n, amount_minor: 5n }),
    ];
    await store.insertItems(tx, [...due, item({ payment_id: 'trx_9' })]);
    for (const [team, currency] of [
      [1n, 'XAF'],
      [1n, 'XOF'],
      [2n, 'XAF'],
    ] as const)
      await give(tx, [['clearing', 'pending', 9_000n]], team, currency);
    await give(tx, [['credit', 'clearing', 50n]]);
    await give(tx, [['credit:acct_1', 'clearing', 1n]]);
    await releaseItems(tx, due, AT.getTime());
    const rows = await journals(tx);
    const batch = rows[0]?.split(' ')[3] as string;
    assert.match(batch, /^req_/);
    assert.deepEqual(rows, [
      `1 XAF credit.repaid:XAF:available ${batch} ${batch} : available>credit 50`,
      `1 XAF credit.repaid:XAF:available:acct_1 ${batch} ${batch} : available:acct_1>credit:acct_1 1`,
      `1 XAF hold.released:XAF:available ${batch} ${batch} : pending>available 120`,
      `2 XAF hold.released:XAF:available ${batch} ${batch} : pending>available 5`,
      `1 XAF hold.released:XAF:available:acct_1 ${batch} ${batch} : pending:acct_1>available:acct_1 3`,
      `1 XOF hold.released:XOF:available ${batch} ${batch} : pending>available 400`,
    ]);
    assert.deepEqual(await items(tx), [
      `1 trx_1 "" XAF 1000 0 100 0.000000 ${batch}`,
      `1 trx_2 "" XAF 1000 0 20 0.000000 ${batch}`,
      `1 trx_2 "acct_1" XAF 1000 0 3 0.000000 ${batch}`,
      `1 trx_3 "" XOF 1000 0 400 0.000000 ${batch}`,
      '1 trx_9 "" XAF 1000 1000',
      `2 trx_1 "" XAF 1000 0 5 0.000000 ${batch}`,
    ]);
    assert.equal((await readBalances(tx, 1n, 'XAF')).get('available'), 70n);
  });
});

test('what returns of held money is not taken from what was drawn of a share', async () => {
  await trial(async (tx) => {
    await split(tx);
    await tx.run(sql`update settlement_items set drawn_minor = 1000 where team_id = 1 and payment_id = 'trx_1'`);
    await returnDrawn(tx, RETURN, DRAWS, sumOf(DRAWS));
    const shares = await store.lockItems(tx, 1n, 'trx_1');
    assert.deepEqual(
      shares.map(({ account_id, drawn_minor }) => [account_id, drawn_minor]),
      [
        ['', 900n],
        ['acct_1', 700n],
      ],
    );
  });
});
