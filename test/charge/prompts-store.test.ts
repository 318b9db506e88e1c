import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PROMPTERS, type Prompter } from '../../src/core/attempts/schema.ts';
import { countUnpaidPrompts } from '../../src/core/charge/prompts-store.ts';
import { sql } from '../../src/kit/sql.ts';
import { openTwins, type Twins } from '../tenants/twins.ts';

/** Which charges count as failed prompts. */
let twins: Twins;
before(async () => {
  twins = await openTwins();
});
after(() => twins.close());

const PAYER = '+237650999999';
const SINCE = new Date('2029-12-31T23:00:00Z');
const later = (ms: number) => new Date(SINCE.getTime() + ms);

/** The number of prompts that count when one attempt of the team is so. */
function counted({
  status = 'failed',
  payer = PAYER,
  at = later(1),
  by = PROMPTERS[0] as string,
  kinds = PROMPTERS as readonly Prompter[],
} = {}) {
  return twins
    .trial(async (tx, { team_id, open }) => {
      await tx.run(sql`
        update attempts set status = ${status}, payer = ${payer}, created_at = ${at}, prompted_by = ${by} where id = ${open.id}`);
      return (await countUnpaidPrompts(tx, [{ team_id, payer: PAYER, kinds, since: SINCE }]))[0];
    })
    .then(({ result }) => result);
}

test('a prompt counts until it is paid, unless it provably reached nobody', async () => {
  for (const status of ['created', 'open', 'unknown', 'failed', 'cancelled', 'expired'])
    assert.equal(await counted({ status }), 1, status);
  for (const status of ['succeeded', 'unavailable']) assert.equal(await counted({ status }), 0, status);
});

test('a prompt counts for its payer, from after the beginning of the window, and for the kinds of callers that are counted', async () => {
  assert.equal(await counted({ payer: '+237650999998' }), 0);
  assert.deepEqual([await counted({ at: SINCE }), await counted({ at: later(-1) })], [0, 0]);
  for (const by of PROMPTERS) {
    assert.equal(await counted({ by }), 1);
    assert.equal(await counted({ by, kinds: PROMPTERS.filter((kind) => kind !== by) }), 0);
  }
});

test('several payers are counted at once, each by itself, in the order given', async () => {
  const { result } = await twins.trial(async (tx, { team_id, open }) => {
    await tx.run(sql`update attempts set payer = ${PAYER}, created_at = ${later(1)}, prompted_by = 'page' where id = ${open.id}`);
    const of = (payer: string, kinds = PROMPTERS as readonly Prompter[]) => ({ team_id, payer, kinds, since: SINCE });
    return countUnpaidPrompts(tx, [of('+237650999990'), of(PAYER), of('+237650999999 '), of(PAYER, [])]);
  });
  assert.deepEqual(result, [0, 1, 0, 0]);
});
