import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { claimDueReturns, countForPerson, pollNow, recheckRefund } from '../../src/core/obligations/store.ts';
import { FAILED_REFUNDS, findFailed, PAYOUT, refundsUnderWay, takenByAttempt } from '../../src/core/refunds/store.ts';
import { sql } from '../../src/kit/sql.ts';
import { scanOnly } from '../payments/rows.ts';
import { openTwins, type Twins } from '../tenants/twins.ts';

/** Statements about refunds and returns beside rows that are almost meant: of another team, payment, attempt or return. */
let twins: Twins;
before(async () => {
  twins = await openTwins();
});
after(() => twins.close());

const NOW = new Date('2030-01-01T00:00:00Z');

test('another payment, attempt or return has none of these refunds', async () => {
  const { result } = await twins.trial(async (tx, { team_id, attempt, failed }) => [
    (await takenByAttempt(tx, team_id, 'trx_nothing')).size,
    await refundsUnderWay(tx, team_id, 'trx_nothing'),
    (await findFailed(tx, team_id, failed.attempt_id, failed.return_id)).map(({ id }) => id),
    await findFailed(tx, team_id, attempt.id, failed.return_id),
    await findFailed(tx, team_id, failed.attempt_id, 'rtn_nothing'),
  ]);
  assert.deepEqual(result, [0, 0n, [twins.failed.id], [], []]);
});

for (const [column, value] of [
  ['status', 'succeeded'],
  ['way', 'manual'],
  ['kind', 'merchant'],
  ['legs', '[{"amount_minor": "5", "status": "waiting"}]'],
] as const) {
  test(`a refund of a return with another ${column} (${value}) did not fail at its provider`, async () => {
    const { result } = await twins.trial(async (tx, { team_id, failed }) => {
      await tx.run(sql`alter table refunds disable trigger refunds_end_once`);
      await tx.run({ text: `update refunds set ${column} = $1 where id = $2`, values: [value, failed.id] });
      return findFailed(tx, team_id, failed.attempt_id, failed.return_id);
    });
    assert.deepEqual(result, []);
  });
}

test('a callback about a failed refund marks the return that it carried out, of its team', async () => {
  const { owner, failed, team_id } = twins;
  await owner.run(sql`update refunds set way = 'refund' where id = ${failed.id}`);
  await owner.run(sql`update returns set refund_id = ${failed.id} where id = ${failed.return_id}`);
  const untouched = await twins.trial(async () => {});
  await twins.withTwin(async (pristine) => {
    const trial = await twins.trial((tx) => recheckRefund(tx, team_id, failed.id, NOW, FAILED_REFUNDS));
    assert.deepEqual(trial.theirs, pristine);
    assert.equal(trial.own.returns?.filter((row) => !untouched.own.returns?.includes(row)).length, 1);
    const other = await twins.trial((tx) => recheckRefund(tx, team_id, 'rfd_nothing', NOW, FAILED_REFUNDS));
    assert.deepEqual(other.own, untouched.own);
  });
});

test('what waits for a person is counted up to a bound, behind any number of returns that the worker carries out', async () => {
  const { result } = await twins.trial(async (tx, { team_id, failed }) => {
    const before = await countForPerson(tx, team_id, 100);
    await tx.run(sql`
      insert into returns (team_id, id, payment_id, attempt_id, arrival, amount_minor, currency, state, waiting_since, created_at, updated_at)
      select team_id, 'rtn_' || n, payment_id, attempt_id, 'more ' || n, 1, currency, (array['owed', 'owed', 'owed', 'waiting', 'overpaid'])[n],
        ${NOW}, ${NOW}, ${NOW} from returns, generate_series(1, 5) n where id = ${failed.return_id}`);
    return [(await countForPerson(tx, team_id, 100)) - before, await countForPerson(tx, team_id, 2)];
  });
  assert.deepEqual(result, [2, 2]);
});

test('a callback about a payout makes its own return due, not another of the team that is being paid out as well', async () => {
  const { result } = await twins.trial(async (tx, { team_id, owed, failed }) => {
    await tx.run(sql`update returns set state = 'paying_out', next_step_at = null`);
    const due = async (id: string, team = team_id) => {
      await tx.run(sql`update returns set next_step_at = null`);
      await pollNow(tx, { team_id: team, id }, NOW, null, PAYOUT);
      const rows = await tx.all<{ id: string }>(sql`select id from returns where next_step_at = ${NOW} order by id`);
      return rows.map((row) => row.id);
    };
    return [await due(owed.id), await due(failed.return_id), await due(owed.id, team_id + 1n), await due('rtn_nothing')];
  });
  assert.deepEqual(result, [[twins.owed.id], [twins.failed.return_id], [], []]);
});

test('a claim takes the returns that have been due for longest, wherever their rows are stored', async () => {
  const orders = [
    [twins.owed.id, twins.failed.return_id],
    [twins.failed.return_id, twins.owed.id],
  ] as const;
  for (const [young, old] of orders) {
    const { result } = await twins.trial(async (tx) => {
      await scanOnly(tx);
      await tx.run(sql`update returns set next_step_at = ${new Date(NOW.getTime() - 1)} where id = ${young}`);
      await tx.run(sql`update returns set next_step_at = ${new Date(NOW.getTime() - 2)} where id = ${old}`);
      const claimed = async () => (await claimDueReturns(tx, NOW, 1_000, 1, [])).map(({ id }) => id);
      return [await claimed(), await claimed(), await claimed()];
    });
    assert.deepEqual(result, [[old], [young], []]);
  }
});
