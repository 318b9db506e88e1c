import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RefundRow } from '../../src/core/refunds/schema.ts';
import { shiftRefunds } from '../../src/core/refunds/shift-store.ts';
import * as refunds from '../../src/core/refunds/store.ts';
import { lowestIdAt } from '../../src/kit/ids.ts';
import type { Position } from '../../src/kit/paging.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { book } from '../ledger/books.ts';
import { AT, idsOf, later, leg, openRows, type RefundRows, ROW } from './rows.ts';

/** Lists of refunds, their time shift, and what the journals tell of them, on rows that differ in one thing each. */
let rows: RefundRows;
before(async () => {
  rows = await openRows();
});
after(() => rows.close());
const trial: RefundRows['trial'] = (given, work) => rows.trial(given, work);
const ALL = { kind: 'offset', page: 1, per_page: 99 } as const;
const free = { kind: 'merchant', return_id: null } as const;

test('a list is read from its position, newest first, without other teams', async () => {
  const own = ['rfd_2', 'rfd_4', 'rfd_1', 'rfd_3'].map((id) => ({ ...free, id }));
  const theirs = ['rfd_3', 'rfd_9'].map((id) => ({ ...free, id, team_id: 2n }));
  await trial([...own, ...theirs], async (tx) => {
    const list = async (position: Position) => {
      const found = await refunds.listRefunds(tx, 'live', 1n, {}, position);
      assert.deepEqual(
        found,
        found.map(({ id }) => ({ ...ROW, ...free, id })),
      );
      return idsOf(found);
    };
    assert.deepEqual(await list(ALL), ['rfd_4', 'rfd_3', 'rfd_2', 'rfd_1']);
    assert.deepEqual(await list({ kind: 'offset', page: 2, per_page: 3 }), ['rfd_1']);
    assert.deepEqual(await list({ kind: 'older', than: 'rfd_3', per_page: 9 }), ['rfd_2', 'rfd_1']);
    assert.deepEqual(await list({ kind: 'newer', than: 'rfd_2', inclusive: false, per_page: 9 }), ['rfd_3', 'rfd_4']);
    assert.equal(await refunds.countRefunds(tx, 'live', 1n, {}), 4);
    assert.equal(await refunds.countRefunds(tx, 'live', 3n, {}), 0);
  });
});

for (const environment of ['live', 'sandbox'] as const)
  test(`a list is filtered by payment, status and days from midnight to midnight: ${environment}`, async () => {
    const idAt = (time: string) => lowestIdAt('rfd', environment, Date.parse(time));
    const [a, b, c, d] = [
      '2029-12-31T23:59:59.999Z',
      '2030-01-01T00:00:00Z',
      '2030-01-02T23:59:59.999Z',
      '2030-01-03T00:00:00Z',
    ].map(idAt) as [string, string, string, string];
    const given: Partial<RefundRow>[] = [
      { ...free, id: a },
      { ...free, id: b, payment_id: 'trx_2' },
      { ...free, id: c, status: 'failed' },
      { ...free, id: d, payment_id: 'trx_2', status: 'failed' },
    ];
    const cases: [refunds.RefundFilters, string[]][] = [
      [{}, [d, c, b, a]],
      [{ payment: 'trx_2' }, [d, b]],
      [{ payment: 'trx_9' }, []],
      [{ payment: '' }, []],
      [{ status: 'failed' }, [d, c]],
      [{ status: '' }, []],
      [{ payment: 'trx_2', status: 'failed' }, [d]],
      [{ date_from: '2030-01-01' }, [d, c, b]],
      [{ date_from: '2030-01-02' }, [d, c]],
      [{ date_to: '2030-01-02' }, [c, b, a]],
      [{ date_to: '2030-01-01' }, [b, a]],
      [{ date_from: '2030-01-01', date_to: '2030-01-02' }, [c, b]],
    ];
    await trial(given, async (tx) => {
      for (const [query, ids] of cases) {
        const found = idsOf(await refunds.listRefunds(tx, environment, 1n, query, ALL));
        assert.deepEqual(
          [found, await refunds.countRefunds(tx, environment, 1n, query)],
          [ids, ids.length],
          JSON.stringify(query),
        );
      }
    });
  });

test('the refunds of a payment without a part at a provider are the merchant’s that have not ended, in the order of their ids', async () => {
  const waits = { ...free, draws: null } as const;
  const others: Partial<RefundRow>[] = [
    { team_id: 2n },
    { payment_id: 'trx_2' },
    { kind: 'giveback', return_id: 'rtn_1' },
    { legs: [leg({ status: 'sent' })] },
    ...(['succeeded', 'failed'] as const).map((status) => ({ status })),
  ];
  const wanted = [
    { ...waits, id: 'rfd_z' },
    { ...free, id: 'rfd_y', status: 'processing' as const },
  ];
  await trial([...others.map((other, n) => ({ ...waits, id: `rfd_${n}`, ...other })), ...wanted], async (tx) => {
    const found = await refunds.lockUncovered(tx, 1n, 'trx_1');
    assert.deepEqual(found, [
      { ...ROW, ...wanted[1] },
      { ...ROW, ...wanted[0] },
    ]);
  });
});

test('a refund is found by a key of one of its parts and the account that has it, not by a key that was replaced', async () => {
  const parts = (...keys: string[]) => keys.map((provider_key, n) => leg({ attempt_id: `att_${n + 1}`, provider_key }));
  const paidOut = { attempt_id: 'att_1', provider_key: 'out', provider_account: 'two' };
  const given: Partial<RefundRow>[] = [
    { ...free, id: 'rfd_1', legs: parts('key-0', 'key-1') },
    { id: 'rfd_2', way: 'payout', legs: [leg(paidOut)] },
  ];
  await trial(given, async (tx) => {
    for (const [id, account] of [['att_1', 'one'] as const, ['att_2', 'two'] as const]) await rows.attempt(tx, 1n, id, account);
    const found = async (account: string, key: string, team_id = 1n) => (await refunds.findByKey(tx, team_id, account, key))?.id;
    assert.deepEqual([await found('one', 'key-0'), await found('two', 'key-1')], ['rfd_1', 'rfd_1']);
    assert.deepEqual([await found('two', 'key-0'), await found('one', 'key-1')], [undefined, undefined], 'the other account');
    assert.deepEqual([await found('two', 'out'), await found('one', 'out')], ['rfd_2', undefined], 'the account of the payout');
    assert.equal(await found('one', 'key-0', 2n), undefined, 'another team');
    await refunds.updateRefund(tx, { ...ROW, legs: parts('key-0-1', 'key-1') });
    assert.deepEqual([await found('one', 'key-0'), await found('one', 'key-0-1')], [undefined, 'rfd_1']);
    assert.deepEqual(await refunds.findByKey(tx, 1n, 'two', 'out'), { id: 'rfd_2', way: 'payout', return_id: 'rtn_1' });
  });
});

test('a shift of time moves the poll and the submission of what will be polled, and counts what becomes due', async () => {
  const given: Partial<RefundRow>[] = [
    { id: 'rfd_1', next_poll_at: later(1_000), legs: [leg({ sent_at: later(-500).toISOString() }), leg({ sent_at: null })] },
    { id: 'rfd_2', next_poll_at: later(1_001) },
    { id: 'rfd_3', next_poll_at: later(0) },
    { id: 'rfd_4', next_poll_at: null },
    { id: 'rfd_1', next_poll_at: later(1_000), team_id: 2n },
  ];
  await trial(
    given.map((one) => ({ ...free, ...one })),
    async (tx) => {
      assert.deepEqual(await shiftRefunds(tx, { team_id: 1n, by_ms: 1_000, now: AT }), { moved: 3, due: 1 });
      const times = await tx.all(sql`select team_id, id, next_poll_at, submitted_at from refunds order by team_id, id`);
      assert.deepEqual(
        times,
        [
          [1n, 'rfd_1', later(0), later(-2_000)],
          [1n, 'rfd_2', later(1), later(-2_000)],
          [1n, 'rfd_3', later(-1_000), later(-2_000)],
          [1n, 'rfd_4', null, later(-1_000)],
          [2n, 'rfd_1', later(1_000), later(-1_000)],
        ].map(([team_id, id, next_poll_at, submitted_at]) => ({ team_id, id, next_poll_at, submitted_at })),
      );
      const legs = async (team_id: bigint, id: string) => (await refunds.findRefund(tx, team_id, id))?.legs;
      assert.deepEqual(await legs(1n, 'rfd_1'), [leg({ sent_at: later(-1_500).toISOString() }), leg({ sent_at: null })]);
      assert.deepEqual([await legs(1n, 'rfd_4'), await legs(2n, 'rfd_1')], [[leg()], [leg()]]);
    },
  );
});

const LINE: Parameters<typeof book>[1] = [['clearing', 'hold', 5n]];

test('a part is set aside when a statement has put its own money into suspense', async () => {
  const ref = { team_id: 1n, id: 'rfd_1' };
  const late = { kind: 'reconciliation.late', source_id: 'rfd_1:1' };
  for (const [move, expected] of [
    [late, true],
    [{ ...late, team_id: 2n }, false],
    [{ ...late, source_id: 'rfd_1:0' }, false],
    [{ ...late, source_id: 'rfd_2:1' }, false],
    [{ ...late, kind: 'refund.leg:1' }, false],
  ] as const)
    await trial([], async (tx) => {
      await book(tx, LINE, move);
      assert.equal(await refunds.isSetAside(tx, ref, 1), expected, `${move.source_id} ${move.kind}`);
    });
});

/** Captures of trx_1: a tranche, the success, then two late ones; of each, the money went back by the refund `rfd of <attempt>`. */
const CAPTURES = [
  ['att_p', 'payment.part_captured', 800n],
  ['att_s', 'payment.succeeded', 400n],
  ['att_l', 'payment.late_success', 100n],
  ['att_m', 'payment.late_success', 200n],
] as const;

async function capture(tx: Tx): Promise<void> {
  for (const [source_id, kind, amount_minor] of CAPTURES)
    await book(
      tx,
      [
        ['clearing', 'pending', amount_minor],
        ['pending', 'fee_income', 1n],
      ],
      { source_id, kind, subject_id: 'trx_1' },
    );
}

const giveback = (attempt_id: string): Partial<RefundRow> => ({
  id: `rfd of ${attempt_id}`,
  attempt_id,
  return_id: `rtn of ${attempt_id}`,
});
const returned = (tx: Tx, attempt_id: string) => book(tx, LINE, { kind: 'refund.leg:0', source_id: `rfd of ${attempt_id}` });
const sum = (tx: Tx, captured_minor: bigint, id = 'trx_1') => refunds.sumReturned(tx, { team_id: 1n, id, captured_minor });

test('what was returned is the sum of the captures that the payment counts, late ones from before its end left out', async () => {
  await trial(
    CAPTURES.map(([id]) => giveback(id)),
    async (tx) => {
      await capture(tx);
      assert.equal(await sum(tx, 1_500n), 0n, 'nothing has gone back yet');
      for (const [id] of CAPTURES) await returned(tx, id);
      for (const [captured, expected] of [
        [1_500n, 1_500n],
        [1_401n, 1_500n],
        [1_400n, 1_400n],
        [1_200n, 1_200n],
        [400n, 400n],
        [0n, 0n],
      ] as const)
        assert.equal(await sum(tx, captured), expected, String(captured));
      assert.equal(await sum(tx, 1_500n, 'trx_2'), 0n);
    },
  );
});

test('what is not a capture of the payment, or did not return it, is not summed', async () => {
  const wrong: Partial<RefundRow>[] = [
    { ...giveback('att_p'), kind: 'merchant' },
    { ...giveback('att_s'), team_id: 2n },
    { ...giveback('att_l'), attempt_id: 'att_x' },
    giveback('att_m'),
  ];
  await trial(wrong, async (tx) => {
    await capture(tx);
    for (const id of ['att_p', 'att_l']) await returned(tx, id);
    await book(tx, LINE, { kind: 'refund.leg:0', source_id: 'rfd of att_s', team_id: 2n });
    await book(tx, LINE, { kind: 'refund.leg:0', source_id: 'rfd of att_m', team_id: 2n });
    await book(tx, LINE, { kind: 'refund.drawn', source_id: 'rfd of att_m' });
    await book(tx, LINE, { kind: 'refund.leg:0', source_id: 'rfd of att_y' });
    assert.equal(await sum(tx, 1_500n), 0n);
  });
  await trial([giveback('att_p')], async (tx) => {
    await capture(tx);
    await returned(tx, 'att_p');
    await book(tx, [['clearing', 'pending', 16n]], { source_id: 'att_p', kind: 'reconciliation.late', subject_id: 'trx_1' });
    await book(tx, [['clearing', 'pending', 32n]], { source_id: 'att_p', kind: 'payment.late_success', subject_id: 'trx_2' });
    await book(tx, [['clearing', 'pending', 64n]], {
      source_id: 'att_p',
      kind: 'payment.succeeded',
      subject_id: 'trx_1',
      team_id: 2n,
    });
    await tx.run(sql`
      insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
      select 2, id, 9, 'XAF', 'clearing', 'pending', 128 from journals where team_id = 1`);
    assert.equal(await sum(tx, 1_500n), 800n);
  });
});
