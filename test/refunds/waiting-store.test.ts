import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RefundRow } from '../../src/core/refunds/schema.ts';
import { findRefund } from '../../src/core/refunds/store.ts';
import { findCoverable, writeNextTry } from '../../src/core/refunds/waiting-store.ts';
import { type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { insertItems, type SettlementItem } from '../../src/money/settlement/store.ts';
import { visitsOf } from '../plans/visits.ts';
import { AT, idsOf, later, openRows, type RefundRows, ROW } from './rows.ts';

/** Which refunds that wait for money the balances seem to cover, on rows that differ in one thing each. */
let rows: RefundRows;
before(async () => {
  rows = await openRows();
});
after(() => rows.close());

const WAITS = { kind: 'merchant', return_id: null, draws: null, amount_minor: 10_000n, next_poll_at: later(0) } as const;
const ITEM: SettlementItem = {
  ...{ team_id: 1n, payment_id: 'trx_1', account_id: '', currency: 'XAF', share_minor: 20_000n, amount_minor: 0n },
  ...{ release_at: AT, released_at: AT },
};
const PENDING = { amount_minor: 4_000n, released_at: null } as const;
/** The account received three quarters of the amount, and gives as much of a refund; the team gives the rest, with the fee. */
const SPLIT = [{ share_minor: 5_000n }, { account_id: 'acct_1', share_minor: 30_000n }];

async function pay(tx: Tx, team_id = 1n): Promise<void> {
  await tx.run(sql`
    insert into payments (team_id, id, amount_minor, currency, key_id, request_id, created_at, updated_at, expires_at)
    values (${team_id}, 'trx_1', 40000, 'XAF', 'key_1', 'req_1', ${AT}, ${AT}, ${AT})`);
}

async function hold(tx: Tx, account: Account, minor: bigint, { team_id = 1n, currency = 'XAF' } = {}): Promise<void> {
  await tx.run(sql`
    insert into balances (team_id, currency, account, guarded, posted_minor) values (${team_id}, ${currency}, ${account}, false, ${minor})`);
}

type Held = [Account, bigint, { team_id?: bigint; currency?: string }?];

/** Whether the refund of 10,000 seems to be covered. */
async function isFound(items: Partial<SettlementItem>[], held: Held[], cap_minor = 0n): Promise<boolean> {
  let found: string[] = [];
  await rows.trial([WAITS], async (tx) => {
    await pay(tx);
    await insertItems(
      tx,
      items.map((item) => ({ ...ITEM, ...item })),
    );
    for (const [account, minor, of] of held) await hold(tx, account, minor, of);
    found = idsOf(await findCoverable(tx, later(1), cap_minor, 9));
  });
  return found.length === 1;
}

const CASES: [title: string, items: Partial<SettlementItem>[], enough: Held[], cap_minor?: bigint][] = [
  ['what is available', [{}], [['available', 10_000n]]],
  ['what is pending of the payment, too', [PENDING], [['available', 6_000n]]],
  ['a share of nothing', [{ share_minor: 0n }], [['available', 10_000n]]],
  ['what the team may owe', [{}], [['available', 9_000n]], 1_000n],
  [
    'what the team may still owe',
    [{}],
    [
      ['available', 9_600n],
      ['credit', -100n],
      ['credit:acct_9', -500n],
    ],
    1_000n,
  ],
  [
    'what each party of a split has',
    SPLIT,
    [
      ['available', 2_500n],
      ['available:acct_1', 7_500n],
    ],
  ],
  [
    'what each party of a split has, and may owe together',
    SPLIT,
    [
      ['available', 2_300n],
      ['available:acct_1', 7_100n],
    ],
    600n,
  ],
];

for (const [title, items, enough, cap_minor] of CASES)
  test(`a refund seems to be covered by ${title}, and not by a franc less of any`, async () => {
    assert.equal(await isFound(items, enough, cap_minor), true);
    for (const less of enough.keys()) {
      const held = enough.map(([account, minor], n): Held => [account, n === less ? minor - 100n : minor]);
      assert.equal(await isFound(items, held, cap_minor), false, `without a franc of ${enough[less]?.[0]}`);
    }
  });

test('what is owed does not count where nothing more has to be advanced', async () => {
  assert.equal(
    await isFound(
      [{}],
      [
        ['available', 10_000n],
        ['credit', -5_000n],
      ],
    ),
    true,
  );
});

test('a refund is not covered by money that it is not drawn from', async () => {
  const others: [Partial<SettlementItem>[], Held[]][] = [
    [[{}], [['available', 10_000n, { team_id: 2n }]]],
    [[{}], [['available', 10_000n, { currency: 'XOF' }]]],
    [[{}], [['available:acct_1', 10_000n]]],
    [[{}], [['reserved', 10_000n]]],
    [[{ ...PENDING, released_at: AT }], [['available', 6_000n]]],
    [[{}, { ...PENDING, payment_id: 'trx_2' }], [['available', 6_000n]]],
    [SPLIT, [['available', 99_000n]]],
  ];
  for (const [items, held] of others) assert.equal(await isFound(items, held), false);
});

test('found are the refunds that wait and were not tried a moment ago, of the own shards, the oldest first', async () => {
  const given: Partial<RefundRow>[] = [
    { id: 'rfd_c' },
    { id: 'rfd_a' },
    { id: 'rfd_b', next_poll_at: later(-5) },
    { id: 'rfd_1', next_poll_at: later(1) },
    { id: 'rfd_2', next_poll_at: null },
    { id: 'rfd_3', draws: ROW.draws },
    { id: 'rfd_4', status: 'processing' },
    { id: 'rfd_5', status: 'failed' },
    { id: 'rfd_6', kind: 'giveback', return_id: 'rtn_6' },
    { id: 'rfd_7', team_id: 2n },
  ];
  await rows.trial(
    given.map((one) => ({ ...WAITS, ...one })),
    async (tx) => {
      await insertItems(tx, [ITEM, { ...ITEM, team_id: 2n }]);
      for (const team_id of [1n, 2n]) {
        await pay(tx, team_id);
        await hold(tx, 'available', 10_000n, { team_id });
      }
      const found = async (limit: number, shard: number) =>
        idsOf(await findCoverable(tx, later(1), 0n, limit, { shards: [shard], late_ms: 0 }));
      assert.deepEqual(await found(9, 1), ['rfd_a', 'rfd_b', 'rfd_c']);
      assert.deepEqual(await found(2, 1), ['rfd_a', 'rfd_b']);
      assert.deepEqual(await found(9, 2), ['rfd_7']);
      assert.deepEqual(await found(9, 3), []);
    },
  );
});

test('no refund reads the balances of all accounts of its team, and what these owe is added up once for all', async () => {
  const accounts = 5_000;
  const refunds = 20;
  await rows.trial(
    Array.from({ length: refunds }, (_, n) => ({ ...WAITS, id: `rfd_${n}` })),
    async (tx) => {
      await insertItems(tx, [ITEM]);
      await pay(tx);
      await hold(tx, 'available', 9_900n);
      await tx.run(sql`
        insert into balances (team_id, currency, account, guarded, posted_minor)
        select 1, 'XAF', 'available:acct_' || n, false, 100 from generate_series(1, ${accounts}::int) n`);
      await tx.run(sql`analyze balances`);
      const readAt = async (cap_minor: bigint) => {
        const sent: Sql[] = [];
        const recording: Tx = {
          ...tx,
          all: (statement) => {
            sent.push(statement);
            return tx.all(statement);
          },
        };
        const found = await findCoverable(recording, later(1), cap_minor, 99);
        return { found: found.length, read: Math.max(...(await visitsOf(tx, sent[0] as Sql)).map((visits) => visits.rows)) };
      };
      const [strict, lenient] = [await readAt(0n), await readAt(1_000n)];
      assert.deepEqual([strict.found, lenient.found], [0, refunds]);
      assert.ok(strict.read < accounts, `${strict.read} rows`);
      assert.ok(lenient.read < 2 * accounts, `${lenient.read} rows`);
    },
  );
});

test('the next try is written to a refund that waits as it was read, and to no other', async () => {
  const known = { team_id: 1n, id: 'rfd_1', payment_id: 'trx_1', polls: ROW.polls, next_poll_at: later(0) };
  const cases: [Partial<RefundRow>, boolean][] = [
    [{}, true],
    [{ polls: ROW.polls + 1 }, false],
    [{ next_poll_at: later(1) }, false],
    [{ draws: ROW.draws }, false],
    [{ status: 'failed' }, false],
    [{ id: 'rfd_2' }, false],
    [{ team_id: 2n }, false],
  ];
  for (const [change, isWritten] of cases)
    await rows.trial([{ ...WAITS, ...change }], async (tx) => {
      await writeNextTry(tx, known, later(99));
      const { id, team_id, next_poll_at } = { ...WAITS, id: 'rfd_1', team_id: 1n, ...change };
      const row = await findRefund(tx, team_id, id);
      assert.deepEqual(row?.next_poll_at, isWritten ? later(99) : next_poll_at, JSON.stringify(Object.keys(change)));
    });
});
