import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi } from '../setup/api.ts';
import { fund } from '../transfers/support.ts';
import { approvalPath, countApprovals, openShop, press, refundForm, refunds, sale, type Shop } from './approvals.ts';
import { HEAD, line, read } from './bulk.ts';
import { hiddenOf, type Shown } from './people.ts';

/** A payout or refund of which the answer was lost: whoever goes back and submits a form again does not pay twice. */
let api: Api;

before(async () => {
  api = await startApi();
});
after(() => api.stop());

type Values = Record<string, string>;

const AMA = { name: 'Ama', channel: 'cm.mtn', number: '650000000', amount: '5000', currency: 'XAF' };

/** A team with money, without a threshold unless one is given. */
async function shopWith(above_minor: bigint | null = null): Promise<Shop> {
  const shop = await openShop(api, above_minor);
  await fund(api, shop.team, 100_000);
  return shop;
}

/** Opens the form of a payout. @returns its fields, and what checks and sends it */
async function payoutForm({ maker, base }: Shop) {
  const opened = hiddenOf(await maker.get(`${base}/payouts/new`));
  return {
    check: (values: Values) => maker.post(`${base}/payouts/new`, { ...opened, ...values }),
    send: (confirmation: Shown, more: Values = {}) => maker.post(`${base}/payouts/send`, { ...hiddenOf(confirmation), ...more }),
    change: (confirmation: Shown) => maker.post(`${base}/payouts/new`, { ...hiddenOf(confirmation), step: 'edit' }),
  };
}

async function amounts({ team }: Shop): Promise<number[]> {
  const rows = await api.deps.stores.sandbox.db.all<{ amount_minor: bigint }>(
    sql`select amount_minor from transfers where team_id = ${team.id} order by id`,
  );
  return rows.map(({ amount_minor }) => Number(amount_minor) / 100);
}

describe('the form of a payout', () => {
  test('is not stopped by a waiting approval that no key of the installation decrypts, which can be withdrawn', async () => {
    const shop = await shopWith(1_000_00n);
    const { check, send } = await payoutForm(shop);
    const asked = approvalPath(await send(await check(AMA)));
    const sealed = `s2.000000000000.${'A'.repeat(64)}`;
    await api.control.run(sql`update approvals set body_sealed = ${sealed} where id = ${asked.split('/').at(-1)}`);
    const other = await payoutForm(shop);
    const confirmation = await other.check({ ...AMA, number: '650000001', amount: '900' });
    assert.equal(confirmation.status, 200);
    assert.match((await other.send(confirmation)).to ?? '', /\/payouts\/po_test_\w+\?done=create$/);
    assert.deepEqual(await amounts(shop), [900]);
    const { status, text } = await shop.maker.get(asked);
    assert.equal(status, 200);
    assert.match(text, /No key of this installation decrypts this request/);
    await press(shop.maker, asked, 'withdraw');
    assert.match((await shop.maker.get(asked)).text, /Withdrawn/);
  });

  test('whose first step is sent again after the payout leads to it; both of its confirmations are one payout', async () => {
    const shop = await shopWith();
    const { check, send } = await payoutForm(shop);
    const [first, second] = [await check(AMA), await check({ ...AMA, amount: '5 000' })];
    const sent = await send(first);
    assert.match(sent.to ?? '', /\/payouts\/po_test_\w+\?done=create$/);
    assert.equal((await send(second)).to, sent.to);
    const again = await check(AMA);
    assert.equal(again.to, sent.to?.replace('create', 'before'));
    const { text } = await shop.maker.get(again.to as string);
    assert.match(read(text), /This form was submitted before: this is the payout that it made/);
    assert.deepEqual(await amounts(shop), [5_000]);
  });

  test('above a threshold asks once, and leads to what it asked for', async () => {
    const shop = await shopWith(0n);
    const { check, send } = await payoutForm(shop);
    const [first, second] = [await check(AMA), await check(AMA)];
    const asked = approvalPath(await send(first));
    assert.deepEqual([approvalPath(await send(second)), approvalPath(await check(AMA))], [asked, asked]);
    assert.equal(await countApprovals(shop), 1);
    await press(shop.checker, asked, 'approve');
    assert.equal(approvalPath(await check(AMA)), asked);
    assert.deepEqual(await amounts(shop), [5_000]);
  });

  test('in which something is corrected, before or after, is another payout', async () => {
    const shop = await shopWith();
    const { check, send, change } = await payoutForm(shop);
    await send(await check(AMA));
    assert.equal((await send(await check({ ...AMA, amount: '5001' }))).status, 303);
    const changed = await change(await check({ ...AMA, amount: '5002' }));
    const { maker, base } = shop;
    const back = await maker.post(`${base}/payouts/new`, { ...hiddenOf(changed), ...AMA });
    assert.match(back.to ?? '', /done=before$/, 'a form that is shown to be changed stays the same form');
    await send(await maker.post(`${base}/payouts/new`, { ...hiddenOf(changed), ...AMA, amount: '5003' }));
    assert.deepEqual(await amounts(shop), [5_000, 5_001, 5_003]);
  });
});

describe('a payout that repeats one needs a tick', () => {
  const REPEATS = /paid the same amount in the last 24 hours, or such a payout is under way or waits/;

  test('of the last 24 hours, by another form and whatever the name', async () => {
    const shop = await shopWith();
    const form = await payoutForm(shop);
    // It was checked before the first one was paid.
    const early = await payoutForm(shop);
    const open = await early.check({ ...AMA, name: 'AMA NGONO' });
    assert.doesNotMatch(read(open.text), REPEATS);
    await form.send(await form.check(AMA));
    const stopped = await early.send(open);
    assert.deepEqual([stopped.status, REPEATS.test(read(stopped.text))], [200, true]);
    assert.match(read(stopped.text), /Nothing was paid out: confirm first/);
    const other = await payoutForm(shop);
    const shown = await other.check(AMA);
    assert.match(read(shown.text), REPEATS);
    assert.match(shown.text, /type="checkbox" name="sure" value="yes">/);
    await other.send(shown);
    assert.deepEqual(await amounts(shop), [5_000]);
    assert.equal((await other.send(shown, { sure: 'yes' })).status, 303);
    assert.equal((await other.send(shown)).status, 303, 'submitted again it is its own payout');
    assert.deepEqual(await amounts(shop), [5_000, 5_000]);
  });

  test('that waits for a second person, alone or as a line of a list', async () => {
    const shop = await shopWith(0n);
    const { maker, base } = shop;
    const form = await payoutForm(shop);
    approvalPath(await form.send(await form.check(AMA)));
    const { to } = await maker.submit(`${base}/payouts/bulk`, `${base}/payouts/bulk`, { csv: [HEAD, line(2, 700)].join('\n') });
    await maker.post(`${to}/run`, hiddenOf(await maker.get(to as string)));
    assert.equal(await countApprovals(shop), 2);
    for (const values of [AMA, { ...AMA, number: '650000002', amount: '700' }]) {
      const other = await payoutForm(shop);
      const shown = await other.check(values);
      assert.match(read(shown.text), REPEATS);
      assert.equal((await other.send(shown)).status, 200);
    }
    assert.equal(await countApprovals(shop), 2);
    const other = await payoutForm(shop);
    approvalPath(await other.send(await other.check(AMA), { sure: 'yes' }));
  });
});

describe('a refund of the same amount by another form needs a tick', () => {
  test('after one of the last 24 hours', async () => {
    const shop = await shopWith();
    const payment = await sale(shop);
    const first = await refundForm(shop, shop.maker, payment, '1000');
    const done = `${shop.base}/payments/${payment}?done=refund`;
    for (let i = 0; i < 2; i++) assert.equal((await shop.maker.post(first.path, first.values)).to, done);
    const { path, values } = await refundForm(shop, shop.maker, payment, '1 000');
    const stopped = await shop.maker.post(path, values);
    assert.deepEqual([stopped.status, /id="f-sure-error"/.test(stopped.text)], [422, true]);
    assert.match(read(stopped.text), /was refunded in the last 24 hours/);
    assert.equal((await refunds(shop, payment)).length, 1);
    assert.equal((await shop.maker.post(path, { ...values, ...hiddenOf(stopped), sure: 'yes' })).to, done);
    assert.equal((await refunds(shop, payment)).length, 2);
    const other = await refundForm(shop, shop.maker, payment, '1001');
    assert.equal((await shop.maker.post(other.path, other.values)).to, done);
  });

  test('while one waits for a second person', async () => {
    const shop = await shopWith(0n);
    const [payment, another] = [await sale(shop), await sale(shop)];
    const ask = async (of: string, more: Values = {}) => {
      const { path, values } = await refundForm(shop, shop.maker, of, '1000');
      return shop.maker.post(path, { ...values, ...more });
    };
    approvalPath(await ask(payment));
    assert.equal((await ask(payment)).status, 422);
    approvalPath(await ask(another));
    approvalPath(await ask(payment, { sure: 'yes' }));
    assert.equal(await countApprovals(shop), 3);
  });
});
