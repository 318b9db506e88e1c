import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BreakRow, Run } from '../../src/core/reconciliation/schema.ts';
import { pagesOf, reconcile } from '../../src/core/reconciliation/service.ts';
import { settleBreak } from '../../src/core/reconciliation/settle.ts';
import { post } from '../../src/money/ledger/post.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { Market, type Shop } from '../setup/market.ts';
import { type Flow, SimulatedProvider } from '../setup/simulated-provider.ts';
import { OPERATOR } from './fixture.ts';

/** Breaks about payouts and refunds of a subaccount: whose money a person assigns. Amounts of the ledger are in hundredths. */
const DAY_MS = 86_400_000;

let market: Market;
/** As the commands of an operator connect. */
let db: DbPool;
before(async () => {
  market = await Market.open();
  db = openPool({ url: market.api.databases.live, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
});
after(async () => {
  await db.close();
  await market.api.stop();
});

type Fates = ConstructorParameters<typeof SimulatedProvider>[1];
interface Marketplace {
  shop: Shop;
  seller: string;
}

/** A shop with money of its own, and a seller with 88.20 % of the 10,000 of a payment: nine tenths of what the fee of 2 % leaves. */
async function marketplace(fates: Fates): Promise<Marketplace> {
  const shop = await market.shop('live', new SimulatedProvider('simulated', { collect: ['at_once'], ...fates }));
  const seller = await shop.account({ type: 'percentage', value: 10 });
  await shop.paid({ amount: 10_000, account: seller });
  await shop.paid({ amount: 50_000 });
  await shop.pass(8 * DAY_MS);
  return { shop, seller };
}

async function held({ store, team_id }: Shop, account: string): Promise<number> {
  const row = await store.db.maybe<{ amount: number }>(sql`
    select coalesce(sum(case when credit = ${account} then amount_minor else -amount_minor end), 0)::integer as amount
    from postings where team_id = ${team_id} and ${account} in (debit, credit)`);
  return row?.amount ?? 0;
}

const available = async ({ shop, seller }: Marketplace) => [
  await held(shop, 'available'),
  await held(shop, `available:${seller}`),
];

/** Pays 5,000 of the seller out, and returns the id of the transfer. */
async function payOut({ shop, seller }: Marketplace): Promise<string> {
  const body = { amount: 5_000, currency: 'XAF', channel: 'cm.mtn', recipient: '+237650000000' };
  const answer = await shop.call('POST', '/transfers', body, { 'x-sync': seller });
  assert.equal(answer.body.transfer?.status, 'processing', JSON.stringify(answer.body));
  await shop.pass(2_000);
  await shop.pass(2_000);
  return answer.body.transfer.id;
}

/** The provider's statement: these lines as money that has moved, and the breaks of one kind that they make. */
async function state(shop: Shop, kind: BreakRow['kind'], lines: { flow: Flow; key: string; ref?: string; amount: number }[]) {
  const at = market.clock.now();
  const rows = lines.map(
    ({ flow, key, ref = `ref-${key}`, amount }) => `${flow},${key},${ref},${amount},XAF,${new Date(at).toISOString()},succeeded`,
  );
  const file = Buffer.from(['type,key,reference,amount,currency,at,status', ...rows, ''].join('\n'));
  const request = {
    ...{ team_id: shop.team_id, provider: 'simulated', account: { id: 'simulated', name: 'main' }, file_name: 'november.csv' },
    ...{ from: new Date(at - DAY_MS), to: new Date(at), skew_ms: 0, apply: true, force: false, progress: () => undefined },
    open: async function* () {
      yield file;
    },
  };
  const run = await reconcile(market.api.deps, { environment: 'live', db }, request, OPERATOR);
  const breaks: BreakRow[] = [];
  for await (const page of pagesOf({ db }, run, kind)) breaks.push(...page);
  assert.deepEqual(
    breaks.map(({ state }) => state),
    ['held'],
    JSON.stringify(run.tallies, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
  );
  return { run, found: breaks[0] as BreakRow };
}

function settle(shop: Shop, { run, found }: { run: Run; found: BreakRow }) {
  const ref = { team_id: shop.team_id, run_id: run.id, id: found.id };
  return settleBreak(
    market.api.deps,
    { environment: 'live', db },
    ref,
    { as: 'merchant', evidence: 'letter', author: 'Awa' },
    OPERATOR,
  );
}

test('a late payout of a subaccount is taken from it, and not from the team', async () => {
  const place = await marketplace({ payout: ['refused_later'] });
  const { shop, seller } = place;
  const [own, theirs] = await available(place);
  const key = await payOut(place);
  assert.equal((await shop.call('GET', `/transfers/${key}`)).body.transfer.status, 'failed');
  assert.deepEqual(await available(place), [own, theirs], 'it returned to the seller');
  const late = await state(shop, 'late', [{ flow: 'payout', key, amount: 5_000 }]);
  await settle(shop, late);
  assert.deepEqual(await available(place), [own, (theirs as number) - 500_000]);
  assert.equal(await held(shop, 'hold'), 0);
  const history = (await shop.call('GET', '/balance/history', undefined, { 'x-sync': seller })).body;
  const { amount, kind, subject } = history.items[0];
  assert.deepEqual([amount, kind, subject], [-5_000, 'reconciliation.settled', key]);
  const again = { amount: 5_000, currency: 'XAF', channel: 'cm.mtn', recipient: '+237650000000' };
  const { transfer } = (await shop.call('POST', '/transfers', again, { 'x-sync': seller })).body;
  assert.deepEqual([transfer.status, transfer.reason], ['failed', 'insufficient_balance'], 'it cannot be withdrawn again');
  assert.deepEqual(await shop.differences(), []);
});

test('money of the team does not cover a late payout of a subaccount, and the reverse', async () => {
  const place = await marketplace({ payout: ['refused_later', 'at_once', 'refused_later'] });
  const { shop, seller } = place;
  const key = await payOut(place);
  await payOut(place);
  const before = await available(place);
  const late = await state(shop, 'late', [{ flow: 'payout', key, amount: 5_000 }]);
  await assert.rejects(settle(shop, late), { status: 400, message: `The available balance of ${seller} does not cover it.` });
  assert.deepEqual(await available(place), before);
  const { transfer } = (await shop.transfer(3_000)).body;
  await shop.pass(2_000);
  await shop.pass(2_000);
  await settle(shop, await state(shop, 'late', [{ flow: 'payout', key: transfer.id, amount: 3_000 }]));
  assert.deepEqual(await available(place), [(before[0] as number) - 300_000, before[1]]);
  assert.deepEqual(await shop.differences(), []);
});

test('a payout of a subaccount that a provider made twice is taken from it', async () => {
  const place = await marketplace({ payout: ['at_once'] });
  const { shop } = place;
  await shop.paid({ amount: 10_000, account: place.seller });
  await shop.pass(8 * DAY_MS);
  const key = await payOut(place);
  const [own, theirs] = await available(place);
  const lines = ['first', 'second'].map((ref) => ({ flow: 'payout' as const, key, ref, amount: 5_000 }));
  await settle(shop, await state(shop, 'duplicate', lines));
  assert.deepEqual(await available(place), [own, (theirs as number) - 500_000]);
  assert.deepEqual(await shop.differences(), []);
});

test('what a provider paid too little of a payout is the subaccount’s, and repays first what was advanced to it', async () => {
  const place = await marketplace({ payout: ['at_once'] });
  const { shop, seller } = place;
  const key = await payOut(place);
  const [own, theirs] = await available(place);
  const { team_id } = shop;
  // As a dispute would, of money that the seller has paid out.
  const drawn = { team_id, kind: 'sandbox.funded', source_id: 'dsp_1', subject_id: 'req_1', currency: 'XAF' };
  const emptied = { debit: `available:${seller}`, credit: 'clearing', amount_minor: BigInt(theirs as number) } as const;
  const advanced = { debit: `credit:${seller}`, credit: 'clearing', amount_minor: 40_000n } as const;
  await db.transaction((tx) => post(tx, [{ ...drawn, postings: [emptied, advanced] }]));
  await settle(shop, await state(shop, 'amount', [{ flow: 'payout', key, amount: 4_000 }]));
  assert.deepEqual([await available(place), await held(shop, `credit:${seller}`)], [[own, 60_000], 0]);
  assert.deepEqual(await shop.differences(), []);
});

test('a refund of a split payment that was paid late with another amount is shared as the refund was', async () => {
  const place = await marketplace({ refund: ['refused_later'] });
  const { shop, seller } = place;
  const payment = await shop.paid({ amount: 10_000, account: seller });
  await shop.pass(8 * DAY_MS);
  const [own, theirs] = (await available(place)) as [number, number];
  const id = await shop.refund(payment, 5_000, true);
  for (let round = 0; round < 3; round++) await shop.pass(2_000);
  const refund = (await shop.call('GET', `/refunds/${id}`)).body.refund;
  assert.equal(refund.status, 'failed', JSON.stringify(refund));
  assert.deepEqual(await available(place), [own, theirs], 'it returned to both');
  const [operation] = [...shop.simulated.operations.values()].filter(({ flow }) => flow === 'refund');
  await settle(shop, await state(shop, 'late', [{ flow: 'refund', key: operation?.key as string, amount: 4_000 }]));
  // Of a refund, the seller gives 88.20 % and the team the rest, with the fee.
  assert.deepEqual(await available(place), [own - 47_200, theirs - 352_800]);
  assert.deepEqual(await shop.differences(), []);
});

test('the comparison with the rows finds a break about a payout that was assigned to another party', async () => {
  const place = await marketplace({ payout: ['refused_later'] });
  const { shop, seller } = place;
  const key = await payOut(place);
  await settle(shop, await state(shop, 'late', [{ flow: 'payout', key, amount: 5_000 }]));
  const moved = { debit: 'available', credit: `available:${seller}`, amount_minor: 500_000n } as const;
  const journal = { team_id: shop.team_id, kind: 'reconciliation.settled:late:2', source_id: key, subject_id: key };
  await db.transaction((tx) => post(tx, [{ ...journal, currency: 'XAF', postings: [moved] }]));
  assert.deepEqual(
    (await shop.differences()).map(({ check, what, subject }) => [check, what, subject]),
    [['set_aside', `XAF available of breaks about ${key}`, key]],
  );
});
