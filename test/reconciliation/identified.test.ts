import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { systemClock } from '../../src/kit/clock.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import type { BreakRow, Run } from '../../src/core/reconciliation/schema.ts';
import { settleBreak } from '../../src/core/reconciliation/settle.ts';
import { Ledgers, line, NOON, OPERATOR } from './fixture.ts';

/** Lines without a key that no operation had the reference of when they were set aside. */
let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
});
after(() => books.drop());
afterEach(() => books.clear());

const APPLY = { apply: true };
const UNDONE = 'reconciliation.settled:reconciliation.unexpected:collect 100000 XAF hold > clearing';
const keyless = (type = 'collect', fields = {}) => line(type, '', { ref: 'F-1', ...fields });
const hold = async () => (await readBalances(books.db, books.team_id, 'XAF')).get('hold') ?? 0n;
const tell = (id: string, ref = 'F-1') => books.db.run(sql`update attempts set provider_ref = ${ref} where id = ${id}`);

/** The state of the break that the first run made, with no difference between suspense and the breaks. */
async function stateAfter({ run, breaks }: { run: Run; breaks: BreakRow[] }): Promise<string | undefined> {
  assert.deepEqual(await books.differences(), []);
  return (await books.breaks(run)).find(({ id }) => id === breaks[0]?.id)?.state;
}

test('a line that was set aside as missing leaves suspense when an attempt turns out to have its reference', async () => {
  const first = await books.reconcile([keyless()], APPLY);
  const { id } = await books.attempt('succeeded');
  await tell(id);
  const again = await books.reconcile([keyless()], APPLY);
  assert.deepEqual([again.breaks, (await books.booked()).slice(1), await hold()], [[], [UNDONE], 0n]);
  assert.equal(await stateAfter(first), 'settled');
  await books.reconcile([keyless()], APPLY);
  assert.equal((await books.booked()).length, 2, 'once');
});

test('the next statement is enough, also when the line is not in it', async () => {
  const first = await books.reconcile([keyless()], APPLY);
  const { id } = await books.attempt('succeeded');
  await tell(id);
  await books.reconcile([], { ...APPLY, from: new Date(NOON + 3_600_000), to: new Date(NOON + 7_200_000) });
  assert.deepEqual([await hold(), await stateAfter(first)], [0n, 'settled']);
});

test('a comparison without --apply releases nothing from suspense', async () => {
  const first = await books.reconcile([keyless()], APPLY);
  const { id } = await books.attempt('succeeded');
  await tell(id);
  await books.reconcile([keyless()]);
  assert.deepEqual([await hold(), await stateAfter(first)], [100_000n, 'held']);
});

for (const [status, text] of [
  ['open', 'is under way: the line closes it'],
  ['expired', 'had ended: late success'],
] as const) {
  test(`the attempt ${text}, and its money is posted once`, async () => {
    const first = await books.reconcile([keyless()], APPLY);
    const { id } = await books.attempt(status);
    await tell(id);
    await books.reconcile([keyless()], APPLY);
    const { status: now } = await books.one<{ status: string }>(sql`select status from attempts where id = ${id}`);
    assert.deepEqual([now, await stateAfter(first)], ['succeeded', 'settled']);
    // An ended payment owes it to the payer.
    assert.equal(await hold(), status === 'expired' ? 100_000n : 0n);
  });
}

test('an amount that differs from the requested amount is posted to suspense once', async () => {
  const first = await books.reconcile([keyless('collect', { amount: '400' })], APPLY);
  const { id } = await books.attempt('open');
  await tell(id);
  await books.reconcile([keyless('collect', { amount: '400' })], APPLY);
  assert.deepEqual([await hold(), await stateAfter(first)], [40_000n, 'settled']);
});

test('when the line and the posted amount differ, only the difference stays in suspense', async () => {
  const first = await books.reconcile([keyless('collect', { amount: '1200' })], APPLY);
  const { id } = await books.attempt('succeeded');
  await tell(id);
  await books.reconcile([keyless('collect', { amount: '1200' })], APPLY);
  assert.deepEqual([await hold(), await stateAfter(first)], [20_000n, 'settled']);
});

test('a payout that ended unpaid here is missing from suspense once, a refund is counted instead', async () => {
  for (const type of ['payout', 'refund'] as const) {
    const start = await hold();
    const first = await books.reconcile([keyless(type, { ref: type })], APPLY);
    const before = await hold();
    if (type === 'payout') {
      const { id } = await books.transfer('failed', 'closed');
      await books.db.run(sql`update transfers set provider_ref = ${type} where id = ${id}`);
    } else {
      const { id } = await books.refund('failed', 'failed');
      await books.db.run(sql`
        update refunds set legs = replace(legs::text, '"provider_ref":null', '"provider_ref":"refund"')::json where id = ${id}`);
    }
    await books.reconcile([keyless(type, { ref: type })], APPLY);
    assert.deepEqual([await hold(), await stateAfter(first)], [type === 'payout' ? before : start, 'settled'], type);
  }
});

test('what is not certain stays in suspense: no money posted for it, two with the reference, another account, another amount', async () => {
  const first = await books.reconcile([keyless()], APPLY);
  const waiting = await books.attempt('expired');
  await tell(waiting.id);
  const next = { ...APPLY, from: new Date(NOON + 3_600_000), to: new Date(NOON + 7_200_000) };
  const stays = async (why: string) => {
    await books.reconcile([], next);
    assert.deepEqual([await hold(), await stateAfter(first)], [100_000n, 'held'], why);
    await books.db.run(sql`truncate attempts`);
  };
  await stays('it has ended without money');
  await tell((await books.attempt('succeeded')).id);
  await tell((await books.attempt('succeeded')).id);
  await stays('two have the reference');
  await tell((await books.attempt('succeeded', { account: 'pa_2' })).id);
  await stays('it is of another account');
  await tell((await books.attempt('succeeded', { amount: 70_000 })).id);
  await stays('it is of another amount');
  await tell((await books.attempt('succeeded', { at: NOON + 2 * 86_400_000 })).id);
  await stays('it began after the money had moved');
});

test('a manual settlement is not changed', async () => {
  const first = await books.reconcile([keyless()], APPLY);
  const { id, team_id, run_id } = first.breaks[0] as BreakRow;
  const verdict = { as: 'merchant', evidence: 'their letter of today', author: 'Awa' } as const;
  await settleBreak({ clock: systemClock }, books.store, { team_id, run_id, id }, verdict, OPERATOR);
  await tell((await books.attempt('succeeded')).id);
  await books.reconcile([keyless()], APPLY);
  assert.equal((await books.booked()).includes(UNDONE), false);
  assert.equal(await stateAfter(first), 'settled');
});

test('a line stays in suspense when the amount that was booked differs from it the other way', async () => {
  const first = await books.reconcile([keyless('collect', { amount: '1200' })], APPLY);
  await tell((await books.attempt('succeeded')).id);
  await books.reconcile([keyless('collect', { amount: '800' })], APPLY);
  // 1,200 of the line, and 200 that the second statement misses of the 1,000 that were booked.
  assert.deepEqual([await hold(), await stateAfter(first)], [100_000n, 'held']);
});

test('a line is not settled by the release of another amount of it', async () => {
  await books.reconcile([keyless()], APPLY);
  const other = await books.reconcile([keyless('collect', { amount: '700' })], APPLY);
  // As if that run had been killed.
  await books.db.run(sql`update reconciliation_breaks set state = 'open', outcome = null where run_id = ${other.run.id}`);
  await tell((await books.attempt('succeeded')).id);
  for (let times = 0; times < 2; times++) {
    await books.reconcile([keyless('collect', { amount: '700' })], APPLY);
    assert.deepEqual([await hold(), await stateAfter(other)], [-30_000n, 'open']);
  }
});

test('two concurrent runs release a line set aside by several runs from suspense once', async () => {
  const runs = [await books.reconcile([keyless()], APPLY), await books.reconcile([keyless()], APPLY)];
  await tell((await books.attempt('succeeded')).id);
  const later = { ...APPLY, from: new Date(NOON + 3_600_000), to: new Date(NOON + 7_200_000) };
  await Promise.all([books.reconcile([], later), books.reconcile([keyless()], APPLY)]);
  assert.deepEqual([(await books.booked()).slice(1), await hold()], [[UNDONE], 0n]);
  for (const run of runs) assert.equal(await stateAfter(run), 'settled');
});

test('a run that is killed after posting a line and before recording it is completed by the next', async () => {
  const first = await books.reconcile([keyless()], APPLY);
  await books.db.run(sql`update reconciliation_breaks set state = 'open', outcome = null`);
  await tell((await books.attempt('succeeded')).id);
  await books.reconcile([], { ...APPLY, from: new Date(NOON + 3_600_000), to: new Date(NOON + 7_200_000) });
  assert.deepEqual([await hold(), await stateAfter(first)], [0n, 'settled']);
});

test('when the line and the posted amount of a payout or refund differ, only the difference stays in suspense', async () => {
  for (const [type, amount] of [
    ['payout', '700'],
    ['refund', '500'],
  ] as const) {
    const start = await hold();
    const lines = [keyless(type, { ref: type, amount })];
    const first = await books.reconcile(lines, APPLY);
    if (type === 'payout') {
      const { id } = await books.transfer('succeeded', 'closed');
      await books.db.run(sql`update transfers set provider_ref = ${type} where id = ${id}`);
    } else {
      const { id } = await books.refund('succeeded', 'succeeded');
      await books.db.run(sql`
        update refunds set legs = replace(legs::text, '"provider_ref":null', '"provider_ref":"refund"')::json where id = ${id}`);
    }
    await books.reconcile(lines, APPLY);
    assert.deepEqual([await hold(), await stateAfter(first)], [start - 20_000n, 'settled'], type);
  }
});

test('a line is identified behind 5,000 others that are not', async () => {
  await books.reconcile([keyless('collect', { ref: 'other' })], APPLY);
  await books.db.run(sql`
    insert into reconciliation_breaks (team_id, run_id, kind, flow, line, key, reference, there_minor, there_currency, there_at, there_status, action, state)
    select team_id, run_id, kind, flow, line, key, 'R-' || n, there_minor, there_currency, there_at, there_status, action, 'open'
    from reconciliation_breaks, generate_series(1, 5000) n`);
  const { run, breaks } = await books.reconcile([keyless()], APPLY);
  await tell((await books.attempt('succeeded')).id);
  await books.reconcile([], { ...APPLY, from: new Date(NOON + 3_600_000), to: new Date(NOON + 7_200_000) });
  const row = (await books.breaks(run)).find(({ id }) => id === breaks[0]?.id);
  assert.deepEqual([await hold(), row?.state], [100_000n, 'settled'], 'that of the first line stays');
});

test('a line with a key stays in suspense although an operation with another key has its reference', async () => {
  const first = await books.reconcile([line('collect', 'another-key', { ref: 'F-1' })], APPLY);
  await tell((await books.attempt('succeeded')).id);
  await books.reconcile([], { ...APPLY, from: new Date(NOON + 3_600_000), to: new Date(NOON + 7_200_000) });
  assert.deepEqual([await hold(), await stateAfter(first)], [100_000n, 'held']);
});
