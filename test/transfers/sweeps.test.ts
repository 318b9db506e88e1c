import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { TransferRow } from '../../src/core/transfers/schema.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import type { Sql } from '../../src/kit/sql.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { FakeClock } from '../setup/api.ts';

/** The sweep of payouts without a database: what it claims, when it starts what it claimed, and what it says when that fails. */
const clock = new FakeClock();
const HALF_LEASE_MS = 30_000;

function rows(count: number, changes: Partial<TransferRow> = {}): TransferRow[] {
  const row = {
    team_id: 1n,
    channel: 'cm.mtn',
    provider_account: 'one',
    stage: 'dispatched',
    dispatched_at: new Date(),
    ...changes,
  };
  return Array.from({ length: count }, (_, n) => ({ ...row, id: `po_${n}` }) as TransferRow);
}

/** A sweep that claims these rows, batch by batch; every step waits until it is let go, and fails then. */
function sweepOf(...batches: TransferRow[][]) {
  const { promise: gate, reject } = Promise.withResolvers<never>();
  gate.catch(() => {});
  const seen = { claims: [] as unknown[][], calls: 0, errors: [] as unknown[][], rung: [] as string[] };
  const wait = () => {
    seen.calls++;
    return gate;
  };
  const db = {
    all: async ({ values }: Sql) => {
      seen.claims.push([...values]);
      return batches.shift() ?? [];
    },
    transaction: async () => new Map(['po_0'].map((id) => [id, { transfer: {}, changed: false }])),
  };
  const sweep = transferSweep(
    {
      ...{ clock, providers: { byAccount: wait }, router: { choose: wait }, config: {}, secrets: {} },
      log: { error: (...said: unknown[]) => seen.errors.push(said) },
      wake: { ring: (environment: string) => seen.rung.push(environment) },
    } as unknown as Parameters<typeof transferSweep>[0],
    { environment: 'live', db } as unknown as Store,
  );
  return { seen, sweep, letGo: () => reject(new Error('closed')) };
}

test('a claim is of what is due now, for a minute; full accounts, or channels before there is one, are passed over', async () => {
  const unsent = { provider_account: null, stage: 'reserved', dispatched_at: null } as const;
  const { seen, sweep, letGo } = sweepOf(rows(220), rows(220, unsent), rows(1));
  for (let n = 0; n < 3; n++) await sweep.begin?.();
  const lease = new Date(clock.now() + 60_000);
  const [first, , third] = seen.claims;
  // Beside the shards: the limit of each, and that of all.
  assert.deepEqual(
    first?.filter((value) => !Array.isArray(value)),
    [lease, new Date(clock.now()), 50, 50],
  );
  assert.deepEqual(
    third?.find((value) => Array.isArray(value) && typeof value[0] === 'string'),
    ['1 one', '1 cm.mtn'],
  );
  const ended = sweep.end?.();
  letGo();
  await ended;
});

for (const [late_ms, started] of [
  [-1, 17],
  [0, 16],
]) {
  test(`a payout that waited ${started === 17 ? 'less than half of its lease starts' : 'half of its lease is left to the next claim'}`, async () => {
    let now = 1_000;
    const time = mock.method(performance, 'now', () => now);
    const { seen, sweep, letGo } = sweepOf(rows(17));
    const round = sweep.round();
    while (seen.calls < 16) await new Promise(setImmediate);
    now += HALF_LEASE_MS + (late_ms as number);
    letGo();
    await round;
    time.mock.restore();
    assert.equal(seen.calls, started);
    const [said, message] = seen.errors[0] as [{ sweep: string; environment: string }, string];
    assert.deepEqual([said.sweep, said.environment], ['transfers', 'live']);
    assert.equal(message, 'a transfer could not go on; it comes due again');
  });
}
