import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Queryable } from '../../src/kit/sql.ts';
import { account, kindOf } from '../../src/money/ledger/accounts.ts';
import { ADVICE } from '../../src/money/ledger/differences.ts';
import { sealSweep } from '../../src/money/ledger/seal.ts';
import { foldSweep } from '../../src/money/ledger/sweeps.ts';
import type { Store } from '../../src/platform/db/stores.ts';

/** What of the ledger needs no database. */
const KINDS = {
  available: 'guarded',
  reserved: 'guarded',
  credit: 'locked',
  pending: 'streamed',
  'in.transit': 'streamed',
  hold: 'streamed',
  disputed: 'streamed',
  clearing: 'streamed',
  refund_clearing: 'streamed',
  fee_income: 'streamed',
} as const;

test('every account of the chart is written as its kind says, that of a subaccount too', () => {
  for (const [name, kind] of Object.entries(KINDS) as [keyof typeof KINDS, string][]) {
    assert.equal(kindOf(name), kind);
    assert.equal(kindOf(account(name, 'acct_1')), kind);
    assert.deepEqual([account(name, null), account(name, ''), account(name, 'acct_1')], [name, name, `${name}:acct_1`]);
  }
  assert.equal(kindOf('nowhere' as 'hold'), undefined);
});

test('every difference has advice of its own, in whole sentences', () => {
  for (const [check, advice] of Object.entries(ADVICE)) assert.match(advice, /^[A-Z].{30,}\.$/, check);
  assert.equal(new Set(Object.values(ADVICE)).size, Object.keys(ADVICE).length);
  assert.match(ADVICE.counter_behind, /sealed until its transaction counter is past theirs\. Stop it and raise/);
});

test('the sweeps of the ledger have names, their environment and pauses', () => {
  const store = { environment: 'live' } as Store;
  const said = [foldSweep(store), sealSweep(store)].map(({ name, environment, idle_ms }) => [name, environment, idle_ms]);
  assert.deepEqual(said, [
    ['ledger-fold', 'live', 200],
    ['ledger-seal', 'live', 10_000],
  ]);
});

test('folding goes on at once only after a full batch', async () => {
  for (const [folded, next] of [
    [0n, 0],
    [4_999n, 0],
    [5_000n, 5_000],
  ]) {
    const limits: unknown[] = [];
    const db = {
      all: async ({ values }: { values: unknown[] }) => {
        limits.push(...values);
        return [{ folded }];
      },
    } as unknown as Queryable;
    assert.equal(await foldSweep({ environment: 'live', db } as unknown as Store).round(), next);
    assert.deepEqual(limits, [5_000]);
  }
});
