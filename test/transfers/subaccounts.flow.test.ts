import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  dispatchedJournal,
  paidLateJournal,
  reservedJournal,
  returnedJournal,
  succeededJournal,
} from '../../src/core/transfers/bookings.ts';
import type { TransferRow } from '../../src/core/transfers/schema.ts';
import { sql } from '../../src/kit/sql.ts';
import { untilLocked } from '../setup/locks.ts';
import { Market, type Shop } from '../setup/market.ts';
import { SimulatedProvider } from '../setup/simulated-provider.ts';

const DAY_MS = 86_400_000;

let market: Market;
before(async () => {
  market = await Market.open();
});
after(() => market.api.stop());

/** A shop with a seller whose share of a payment has become available, and money of its own. */
async function marketplace(payout: ConstructorParameters<typeof SimulatedProvider>[1]): Promise<{ shop: Shop; seller: string }> {
  const shop = await market.shop('live', new SimulatedProvider('simulated', { collect: ['at_once'], ...payout }));
  const seller = await shop.account({ type: 'percentage', value: 10 });
  await shop.paid({ amount: 10_000, account: seller });
  await shop.paid({ amount: 50_000 });
  await shop.pass(8 * DAY_MS);
  return { shop, seller };
}

/** Hundredths in an account of the ledger. */
async function held(shop: Shop, account: string): Promise<number> {
  const row = await shop.store.db.maybe<{ amount: number }>(sql`
    select coalesce(sum(case when credit = ${account} then amount_minor else -amount_minor end), 0)::integer as amount
    from postings where team_id = ${shop.team_id} and ${account} in (debit, credit)`);
  return row?.amount ?? 0;
}

function payOut(shop: Shop, seller: string, amount: number) {
  const body = { amount, currency: 'XAF', channel: 'cm.mtn', recipient: '+237650000000' };
  return shop.call('POST', '/transfers', body, { 'x-sync': seller });
}

test('a payout with X-Sync is paid from the balance of the subaccount, and leaves that of the team alone', async () => {
  const { shop, seller } = await marketplace({ payout: ['at_once'] });
  const [own, theirs] = [await held(shop, 'available'), await held(shop, `available:${seller}`)];
  assert.ok(theirs > 500_000, `${theirs}`);
  const { status, body } = await payOut(shop, seller, 3_000);
  assert.deepEqual([status, body.transfer.status, body.transfer.account], [201, 'processing', seller]);
  const total = Math.round(body.transfer.amount_total * 100);
  assert.equal(await held(shop, `available:${seller}`), theirs - total);
  assert.equal(await held(shop, `reserved:${seller}`), total);
  assert.deepEqual(await shop.differences(), []);
  await shop.pass(1_000);
  const { transfer } = (await shop.call('GET', `/transfers/${body.transfer.id}`)).body;
  assert.deepEqual([transfer.status, transfer.account], ['succeeded', seller]);
  assert.equal(await held(shop, `reserved:${seller}`), 0);
  assert.equal(await held(shop, `in.transit:${seller}`), 0);
  assert.equal(await held(shop, 'available'), own);
  assert.deepEqual(await shop.differences(), []);
});

test('what a provider turns away returns to the subaccount', async () => {
  const { shop, seller } = await marketplace({ payout: ['refused'] });
  const [own, theirs] = [await held(shop, 'available'), await held(shop, `available:${seller}`)];
  const { transfer } = (await payOut(shop, seller, 3_000)).body;
  await shop.pass(1_000);
  assert.equal((await shop.call('GET', `/transfers/${transfer.id}`)).body.transfer.status, 'failed');
  assert.deepEqual([await held(shop, 'available'), await held(shop, `available:${seller}`)], [own, theirs]);
  assert.deepEqual(await shop.differences(), []);
});

test('money of the team does not cover a payout of a subaccount', async () => {
  const { shop, seller } = await marketplace({ payout: ['at_once'] });
  const { status, body } = await payOut(shop, seller, 20_000);
  assert.deepEqual([status, body.transfer.status, body.transfer.reason], [201, 'failed', 'insufficient_balance']);
  assert.equal((await shop.transfer(20_000)).body.transfer.status, 'processing', 'the team has as much');
  assert.deepEqual(await shop.differences(), []);
});

test('404 for a subaccount that is not the team’s, 422 for one that is not active', async () => {
  const { shop, seller } = await marketplace({ payout: ['at_once'] });
  const { seller: foreign } = await marketplace({ payout: ['at_once'] });
  const other = `${seller.slice(0, -1)}${seller.endsWith('0') ? '1' : '0'}`;
  for (const unknown of [foreign, other, 'acct_x']) {
    const { status, body } = await payOut(shop, unknown, 100);
    assert.deepEqual([status, body.message], [404, 'Account Not Found'], unknown);
  }
  assert.equal((await shop.call('POST', `/accounts/${seller}/deactivate`)).status, 200);
  const { status, body } = await payOut(shop, seller, 100);
  assert.deepEqual([status, Object.keys(body.errors)], [422, ['account']]);
});

test('a subaccount is not deactivated, and a beneficiary neither changed nor deleted, while a payout that has read it waits', async () => {
  const { shop, seller } = await marketplace({ payout: ['at_once'] });
  const made = { name: 'Awa', channel: 'cm.mtn', phone: '+237650000001', country: 'CM', currency: 'XAF' };
  const { id } = (await shop.call('POST', '/beneficiaries', made)).body.beneficiary;
  const changes = [
    () => shop.call('POST', `/accounts/${seller}/deactivate`),
    () => shop.call('PATCH', `/beneficiaries/${id}`, { phone: '+237650000002' }),
    () => shop.call('DELETE', `/beneficiaries/${id}`),
  ];
  for (const change of changes) {
    const ended: string[] = [];
    const until = async (what: string, answer: Promise<{ status: number }>) => {
      const { status } = await answer;
      ended.push(`${what} ${status}`);
    };
    let both: Promise<void>[] = [];
    await shop.store.db.transaction(async (tx) => {
      await tx.run(sql`select 1 from balances where team_id = ${shop.team_id} for update`);
      const body = { amount: 100, currency: 'XAF', beneficiary: id };
      both = [until('payout', shop.call('POST', '/transfers', body, change === changes[0] ? { 'x-sync': seller } : {}))];
      await untilLocked(market.api.databases.live, 'balances');
      both.push(until('change', change()));
      await untilLocked(market.api.databases.live, '', 2);
    });
    await Promise.all(both);
    assert.deepEqual(ended, ['payout 201', 'change 200']);
  }
});

test('every journal of a payout of a subaccount moves its own money', () => {
  const row = {
    team_id: 7n,
    id: 'po_1',
    currency: 'XAF',
    amount_minor: 1_000n,
    fee_minor: 50n,
    account_id: 'acct_1',
  } as TransferRow;
  const lines = [
    reservedJournal(row),
    dispatchedJournal(row),
    succeededJournal(row),
    returnedJournal({ ...row, stage: 'dispatched' }),
    returnedJournal({ ...row, stage: 'reserved' }),
    paidLateJournal(row, 400n),
  ].map(({ postings }) => postings.map(({ debit, credit }) => `${debit} ${credit}`));
  assert.deepEqual(lines, [
    ['available:acct_1 reserved:acct_1'],
    ['reserved:acct_1 in.transit:acct_1'],
    ['in.transit:acct_1 clearing', 'reserved:acct_1 fee_income'],
    ['in.transit:acct_1 available:acct_1', 'reserved:acct_1 available:acct_1'],
    ['reserved:acct_1 available:acct_1', 'reserved:acct_1 available:acct_1'],
    ['available:acct_1 clearing', 'credit:acct_1 clearing'],
  ]);
});
