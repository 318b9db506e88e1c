import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refundsUnderWay, takenByAttempt } from '../../src/core/refunds/store.ts';
import { sql } from '../../src/kit/sql.ts';
import { openTwins, type Twins } from '../tenants/twins.ts';

/** What one part of a refund takes from its attempt, and what it may still take from the payment, by the states of both. */
let twins: Twins;
before(async () => {
  twins = await openTwins();
});
after(() => twins.close());

const STATES: [refund: string, part: string, taken: bigint, under_way: bigint][] = [
  ['pending', 'waiting', 500n, 500n],
  ['processing', 'waiting', 500n, 500n],
  ['processing', 'sent', 500n, 500n],
  ['processing', 'succeeded', 500n, 0n],
  ['succeeded', 'succeeded', 500n, 0n],
  ['failed', 'waiting', 0n, 0n],
  ['failed', 'succeeded', 500n, 0n],
  ['failed', 'failed', 0n, 0n],
];

for (const [status, part, taken, under_way] of STATES) {
  test(`a part that is ${part}, of a refund that is ${status}, takes ${taken} and may take ${under_way}`, async () => {
    const { result } = await twins.trial(async (tx, { team_id, payment, refund }) => {
      const legs = JSON.stringify([{ attempt_id: 'att_x', amount_minor: '500', provider_key: 'k', status: part }]);
      await tx.run(sql`delete from refunds where id <> ${refund.id}`);
      await tx.run(sql`update refunds set status = ${status}, legs = ${legs}::json where id = ${refund.id}`);
      return [(await takenByAttempt(tx, team_id, payment.id)).get('att_x') ?? 0n, await refundsUnderWay(tx, team_id, payment.id)];
    });
    assert.deepEqual(result, [taken, under_way]);
  });
}
