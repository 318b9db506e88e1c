import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RefundPart, RefundRow } from '../../src/core/refunds/schema.ts';
import { REFUND_STATUSES } from '../../src/core/refunds/states.ts';
import * as refunds from '../../src/core/refunds/store.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { AT, idsOf, later, leg, openRows, ROW, type RefundRows } from './rows.ts';

/** The statements about refunds, on rows that differ from the wanted one in one thing each. */
let rows: RefundRows;
before(async () => {
  rows = await openRows();
});
after(() => rows.close());
const trial: RefundRows['trial'] = (given, work) => rows.trial(given, work);

const find = (tx: Tx, id = 'rfd_1', team_id = 1n) => refunds.findRefund(tx, team_id, id);

test('a refund is read as it was inserted, with or without what may be absent', async () => {
  const bare = { ...ROW, id: 'rfd_2', attempt_id: null, return_id: null, message: null, metadata: null, draws: null };
  await trial([ROW, bare, { team_id: 2n, reason: 'of another team' }], async (tx) => {
    assert.deepEqual(await find(tx), ROW);
    assert.deepEqual(await find(tx, 'rfd_2'), bare);
    assert.deepEqual(await refunds.lockRefund(tx, 1n, 'rfd_1'), ROW);
    assert.deepEqual((await refunds.lockRefund(tx, 2n, 'rfd_1'))?.reason, 'of another team');
    for (const read of [refunds.findRefund, refunds.lockRefund]) {
      assert.equal(await read(tx, 1n, 'rfd_3'), undefined);
      assert.equal(await read(tx, 2n, 'rfd_2'), undefined);
    }
    const stored = await tx.all(
      sql`select metadata is null as metadata, draws is null as draws, key_id, request_id from refunds where id = 'rfd_2'`,
    );
    assert.deepEqual(stored, [{ metadata: true, draws: true, key_id: 'key_1', request_id: 'req_1' }]);
  });
});

test('a part that was stored before its submission time was has none', async () => {
  await trial([ROW], async (tx) => {
    const old = JSON.stringify([{ attempt_id: 'att_1', amount_minor: '700', status: 'waiting' }]);
    await tx.run(sql`update refunds set legs = ${old}::json where id = 'rfd_1'`);
    assert.deepEqual((await find(tx))?.legs, [{ attempt_id: 'att_1', amount_minor: 700n, status: 'waiting', sent_at: null }]);
  });
});

test('a change writes every field that may change, of its own refund only', async () => {
  const changed: RefundRow = {
    ...{ ...ROW, legs: [leg({ status: 'failed', provider_ref: 'ref-2' })], way: 'payout', status: 'failed' },
    ...{ failure_reason: 'unknown', message: 'no', draws: [{ account_id: 'acct_1', bucket: 'pending', amount_minor: 9n }] },
    ...{ event_count: 7, next_poll_at: later(4), updated_at: later(1), submitted_at: later(2), completed_at: later(3) },
  };
  const kept = { payment_id: 'x', kind: 'merchant', attempt_id: 'x', return_id: 'x', amount_minor: 1n, currency: 'XOF' } as const;
  const different = {
    ...changed,
    ...kept,
    reason: 'x',
    metadata: { x: 1 },
    polls: 99,
    resolution: { as: 'x' },
    created_at: later(9),
  };
  await trial([ROW, { id: 'rfd_2', return_id: 'rtn_2' }, { team_id: 2n }], async (tx) => {
    await refunds.updateRefund(tx, different);
    assert.deepEqual(await find(tx), changed);
    await refunds.updateRefund(tx, { ...changed, draws: null });
    const absent = await tx.all(sql`select team_id, id from refunds where draws is null`);
    assert.deepEqual(absent, [{ team_id: 1n, id: 'rfd_1' }]);
    await refunds.updateRefund(tx, changed);
    assert.deepEqual(await find(tx), { ...changed, polls: 0 }, 'polls are counted from when it is covered');
    assert.deepEqual(await find(tx, 'rfd_2'), { ...ROW, id: 'rfd_2', return_id: 'rtn_2' });
    assert.deepEqual(await find(tx, 'rfd_1', 2n), { ...ROW, team_id: 2n });
  });
});

test('a manual resolution is stored with its own refund', async () => {
  await trial([ROW, { id: 'rfd_2', return_id: 'rtn_2' }, { team_id: 2n }], async (tx) => {
    await refunds.writeResolution(tx, { team_id: 1n, id: 'rfd_1' }, { as: 'failed' });
    assert.deepEqual(await find(tx), { ...ROW, resolution: { as: 'failed' } });
    assert.deepEqual(await find(tx, 'rfd_2'), { ...ROW, id: 'rfd_2', return_id: 'rtn_2' });
    assert.deepEqual(await find(tx, 'rfd_1', 2n), { ...ROW, team_id: 2n });
  });
});

/** A payout of return rtn_1 that failed at its provider, and rows that differ from it in one thing. */
const FAILED = { status: 'failed', way: 'payout', legs: [leg({ status: 'failed' })] } as const satisfies Partial<RefundRow>;
const ALMOST: Partial<RefundRow>[] = [
  { team_id: 2n },
  { attempt_id: 'att_2' },
  { kind: 'merchant' },
  { return_id: 'rtn_2' },
  { status: 'succeeded' },
  { status: 'processing' },
  { way: 'manual' },
  { legs: [leg({ status: 'waiting' })] },
  { legs: [leg({ status: 'succeeded' })] },
  { legs: [leg({ status: 'waiting' }), leg({ status: 'failed' })] },
];
const failed = ALMOST.map((one, n) => ({ ...FAILED, id: `rfd_${n}`, ...one }));

test('the failed refunds and payouts of a return are those that a provider had received, in the order of their ids', async () => {
  const both = [leg({ status: 'failed' }), leg({ status: 'waiting' })];
  const wanted = [
    { ...FAILED, id: 'rfd_z' },
    { ...FAILED, id: 'rfd_y', way: 'refund' as const, legs: both },
  ];
  await trial([wanted[0] as object, ...failed, wanted[1] as object], async (tx) => {
    assert.deepEqual(await refunds.findFailed(tx, 1n, 'att_1', 'rtn_1'), [
      { ...ROW, ...wanted[1] },
      { ...ROW, ...wanted[0] },
    ]);
  });
});

test('a payout of a return failed when its refund of that way did, and no other row tells so', async () => {
  const told = async (given: Partial<RefundRow>[]) => {
    let some: unknown;
    await trial(given, async (tx) => {
      [{ some }] = (await tx.all(sql`
        select ${refunds.PAYOUT.failed} as some from (values (1::bigint, 'rtn_1', 'att_1')) o (team_id, id, attempt_id)`)) as [
        { some: unknown },
      ];
    });
    return some;
  };
  assert.equal(await told([FAILED]), true);
  assert.equal(await told([]), false);
  for (const row of [...failed, { ...FAILED, way: 'refund' as const }])
    assert.equal(await told([row]), false, JSON.stringify(row, bigints));
});

test('refunds that failed at their provider are listed with their return', async () => {
  const refund = { way: 'refund' } as const;
  const others = ALMOST.filter((one) => 'status' in one || 'legs' in one || 'way' in one);
  const given = others.map((one, n) => ({ ...FAILED, ...refund, id: `rfd_${n}`, ...one }));
  const wanted = { ...FAILED, ...refund, id: 'rfd_z' };
  await trial([...given, { ...FAILED, id: 'rfd_p' }, wanted, { ...wanted, team_id: 2n, return_id: null }], async (tx) => {
    assert.deepEqual(await tx.all(sql`select * from (${refunds.FAILED_REFUNDS}) r order by team_id`), [
      { team_id: 1n, id: 'rfd_z', return_id: 'rtn_1' },
      { team_id: 2n, id: 'rfd_z', return_id: null },
    ]);
  });
});

for (const status of REFUND_STATUSES)
  for (const part of ['waiting', 'sent', 'succeeded', 'failed'] as RefundPart['status'][]) {
    const isOpen = status === 'pending' || status === 'processing';
    const taken = part === 'failed' || (status === 'failed' && part === 'waiting') ? [] : [['att_1', 700n]];
    const under_way = part === 'sent' || (part !== 'succeeded' && isOpen) ? 700n : 0n;
    test(`a part that is ${part}, of a refund that is ${status}, takes ${taken} and may take ${under_way}`, async () => {
      await trial([{ kind: 'merchant', status, legs: [leg({ status: part })] }], async (tx) => {
        assert.deepEqual([...(await refunds.takenByAttempt(tx, 1n, 'trx_1'))], taken);
        assert.equal(await refunds.refundsUnderWay(tx, 1n, 'trx_1'), under_way);
      });
    });
  }

test('what refunds take is summed by attempt and by payment, without other payments and teams', async () => {
  const legs = [leg({ amount_minor: 100n }), leg({ attempt_id: 'att_2', amount_minor: 20n })];
  const merchant = { kind: 'merchant', return_id: null } as const;
  const given = [
    { ...merchant, id: 'rfd_1', legs },
    { ...merchant, id: 'rfd_2', legs: [leg({ amount_minor: 3n })] },
    { ...merchant, id: 'rfd_3', payment_id: 'trx_2' },
    { ...merchant, id: 'rfd_4', team_id: 2n },
    { id: 'rfd_5', legs: [leg({ attempt_id: 'att_2', amount_minor: 4n })] },
  ];
  await trial(given, async (tx) => {
    const taken = [...(await refunds.takenByAttempt(tx, 1n, 'trx_1'))].sort();
    assert.deepEqual(taken, [
      ['att_1', 103n],
      ['att_2', 24n],
    ]);
    assert.equal(await refunds.refundsUnderWay(tx, 1n, 'trx_1'), 123n, 'an automatic reversal takes nothing more of the payment');
    assert.equal(await refunds.refundsUnderWay(tx, 1n, 'trx_3'), 0n);
    assert.equal((await refunds.takenByAttempt(tx, 1n, 'trx_3')).size, 0);
  });
});

test('a callback makes a refund due that is under way with its provider, and nothing else', async () => {
  const OPEN = { status: 'processing', next_poll_at: null } as const;
  const others: Partial<RefundRow>[] = [
    { team_id: 2n },
    { id: 'rfd_2', return_id: 'rtn_2' },
    ...REFUND_STATUSES.filter((status) => status !== 'processing').map((status) => ({ status })),
    { way: 'payout' },
    { way: 'manual' },
  ];
  await trial([OPEN, { ...OPEN, ...others[0] }, { ...OPEN, ...others[1] }], async (tx) => {
    await refunds.pollNow(tx, 1n, 'rfd_1', AT);
    assert.deepEqual(await find(tx), { ...ROW, ...OPEN, next_poll_at: AT });
    const due = await tx.all(sql`select team_id, id from refunds where next_poll_at is not null`);
    assert.deepEqual(due, [{ team_id: 1n, id: 'rfd_1' }]);
  });
  for (const other of others)
    await trial([{ ...OPEN, ...other }], async (tx) => {
      await refunds.pollNow(tx, 1n, 'rfd_1', AT);
      assert.deepEqual(
        await tx.all(sql`select id from refunds where next_poll_at is not null`),
        [],
        JSON.stringify(other, bigints),
      );
    });
});

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

test('a claim takes due refunds, the oldest first, counts the poll and leases them', async () => {
  const given: Partial<RefundRow>[] = [
    { id: 'rfd_1', next_poll_at: later(0) },
    { id: 'rfd_2', next_poll_at: later(-2) },
    { id: 'rfd_3', next_poll_at: later(-1) },
    { id: 'rfd_4', next_poll_at: later(1) },
    { id: 'rfd_5', next_poll_at: null },
    { id: 'rfd_6', next_poll_at: later(-9), way: 'payout' },
    { id: 'rfd_7', next_poll_at: later(-9), way: 'manual' },
    { id: 'rfd_2', next_poll_at: later(9), team_id: 2n },
  ];
  const all = given.map((one) => ({ return_id: null, kind: 'merchant' as const, ...one }));
  const claimed = async (limit: number) => {
    let ids: string[] = [];
    await trial(all, async (tx) => {
      const taken = await refunds.claimDueRefunds(tx, AT, 60_000, limit, []);
      ids = taken.map(({ refund }) => refund.id).sort();
      for (const one of all) {
        const row = { ...ROW, ...one };
        const leased = { ...row, polls: row.polls + 1, next_poll_at: later(60_000) };
        const expected = row.team_id === 1n && ids.includes(row.id) ? leased : row;
        assert.deepEqual(await find(tx, row.id, row.team_id), expected);
        const found = taken.find(({ refund }) => refund.id === row.id && refund.team_id === row.team_id);
        if (found) assert.deepEqual(found, { refund: expected, provider_account: null });
      }
      for (const ms of [-1, 0]) {
        const again = (await refunds.claimDueRefunds(tx, later(60_000 + ms), 1, 99, []))
          .filter(({ refund }) => refund.team_id === 1n)
          .map(({ refund }) => refund.id);
        assert.equal(
          ids.every((id) => again.includes(id)),
          ms === 0,
          'only once the lease is over',
        );
      }
    });
    return ids;
  };
  assert.deepEqual(await claimed(9), ['rfd_1', 'rfd_2', 'rfd_3']);
  assert.deepEqual(await claimed(1), ['rfd_2']);
  assert.deepEqual(await claimed(2), ['rfd_2', 'rfd_3']);
});

test('a claim tells the account of the first part, and passes over accounts that are full', async () => {
  const legs = (...ids: string[]) => ids.map((attempt_id) => leg({ attempt_id }));
  const base = { return_id: null, kind: 'merchant', next_poll_at: AT } as const;
  const given = [
    { ...base, id: 'rfd_1', legs: legs('att_1', 'att_2') },
    { ...base, id: 'rfd_2', legs: legs('att_2', 'att_1') },
    { ...base, id: 'rfd_3', legs: legs('att_1'), team_id: 2n },
  ];
  const claimed = async (skip: string[]) => {
    let found: unknown;
    await trial(given, async (tx) => {
      for (const [team_id, id, account] of [
        [1n, 'att_1', 'one'] as const,
        [1n, 'att_2', 'two'] as const,
        [2n, 'att_1', 'six'] as const,
      ])
        await rows.attempt(tx, team_id, id, account);
      const taken = await refunds.claimDueRefunds(tx, AT, 1, 9, skip);
      found = taken.map(({ refund, provider_account }) => `${refund.id} ${provider_account}`).sort();
    });
    return found;
  };
  assert.deepEqual(await claimed([]), ['rfd_1 one', 'rfd_2 two', 'rfd_3 six']);
  assert.deepEqual(await claimed(['1 one']), ['rfd_2 two', 'rfd_3 six']);
  assert.deepEqual(await claimed(['1 two', '2 six']), ['rfd_1 one']);
  assert.deepEqual(await claimed(['2 one']), ['rfd_1 one', 'rfd_2 two', 'rfd_3 six']);
});

test('a locked refund is locked until the transaction ends, and a claim passes over it', async () => {
  const { owner } = rows;
  const claim = async () => idsOf((await refunds.claimDueRefunds(owner, AT, 1, 9, [])).map(({ refund }) => refund));
  await owner.transaction((tx) => rows.insert(tx, { id: 'rfd_lock', next_poll_at: AT }));
  await owner.transaction(async (tx) => {
    await refunds.lockRefund(tx, 1n, 'rfd_lock');
    assert.deepEqual(await owner.all(sql`select id from refunds where id = 'rfd_lock' for update skip locked`), []);
    assert.deepEqual(await claim(), []);
  });
  assert.deepEqual(await claim(), ['rfd_lock']);
  await owner.run(sql`delete from refunds`);
});

test("the refunds without a part at a provider are the merchant's own of the payment, in the order of their ids", async () => {
  const waiting = { kind: 'merchant', return_id: null } as const;
  const almost: Partial<RefundRow>[] = [
    { team_id: 2n },
    { payment_id: 'trx_2' },
    { kind: 'giveback', return_id: 'rtn_2' },
    { status: 'failed' },
    { status: 'succeeded' },
    { status: 'processing', legs: [leg({ status: 'sent' })] },
    { status: 'processing', legs: [leg(), leg({ status: 'sent' })] },
    { status: 'processing', legs: [leg({ status: 'failed' }), leg()] },
  ];
  const wanted = [
    { ...waiting, id: 'rfd_z', draws: null },
    { ...waiting, id: 'rfd_y', status: 'processing' as const, legs: [leg({ status: 'succeeded' }), leg()] },
  ];
  const others = almost.map((one, n) => ({ ...waiting, id: `rfd_${n}`, ...one }));
  await trial([wanted[0] as object, ...others, wanted[1] as object], async (tx) => {
    assert.deepEqual(idsOf(await refunds.lockUncovered(tx, 1n, 'trx_1')), ['rfd_y', 'rfd_z']);
    assert.deepEqual(idsOf(await refunds.lockUncovered(tx, 1n, 'trx_3')), []);
  });
});
