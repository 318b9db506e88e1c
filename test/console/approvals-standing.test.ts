import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { fund } from '../transfers/support.ts';
import { approvalPath, askRefund, openShop, press, refunds, sale, type Shop, stored } from './approvals.ts';
import { HEAD, line, Payer, read, withThreshold } from './bulk.ts';
import { signedIn } from './people.ts';

/** What approvals say of an operation that ran: what it made may have failed, and nobody may have noted that it ran. */
let api: Api;
let shop: Shop;

before(async () => {
  api = await startApi();
  shop = await openShop(api);
});
after(() => api.stop());

async function askPayout(amount: string): Promise<string> {
  const { base, maker } = shop;
  const values = { name: 'Kofi', channel: 'cm.mtn', number: '650000000', to: 'Kofi · +237650000000', amount, currency: 'XAF' };
  return approvalPath(await maker.submit(`${base}/payouts/new`, `${base}/payouts/send`, values));
}

/** As if the process that ran it had died before it could note that. */
async function notNoted(path: string, over: boolean): Promise<void> {
  await api.control.transaction(async (tx) => {
    // What is done stays done, by a trigger.
    await tx.run(sql`set local session_replication_role = replica`);
    await tx.run(sql`
      update approvals set done_at = null, outcome = null, result = null,
        expires_at = pirogue_now() + ${over ? -1 : 1} * interval '1 hour' where id = ${path.split('/').at(-1)}`);
  });
}

const listOf = async ({ base, checker }: Shop) => read((await checker.get(`${base}/approvals`)).text);

test('an approved payout that fails at once is not shown as done', async () => {
  const path = await askPayout('20000');
  await press(shop.checker, path, 'approve');
  const { outcome, result } = await stored(shop, path);
  assert.equal(outcome, 'done');
  const { text } = await shop.maker.get(path);
  assert.match(read(text), new RegExp(`Ran and failed.*the payout or refund that it created has failed.*${result} Failed`));
  assert.match(await listOf(shop), /Payout .* Ran and failed/);
});

test('an approved refund that fails later is not shown as done any more; a payout that succeeds is', async () => {
  const payment = await paid(api, { key: shop.key, phone: '650000009' });
  const path = await askRefund(shop, payment);
  await press(shop.checker, path, 'approve');
  await until(
    async () => read((await shop.maker.get(path)).text),
    (text) => text.includes('Ran and failed'),
  );
  await fund(api, shop.team, 100_000);
  const payout = await askPayout('20001');
  await press(shop.checker, payout, 'approve');
  await until(
    async () => read((await shop.maker.get(payout)).text),
    (text) => /Done It is approved and done.*Succeeded/.test(text),
  );
});

test('an approval that ran and was not noted is done, before and after its time, and is not offered to be run again', async () => {
  const payment = await sale(shop);
  const path = await askRefund(shop, payment);
  await press(shop.checker, path, 'approve');
  const { result } = await stored(shop, path);
  for (const over of [false, true]) {
    await notNoted(path, over);
    const { text } = await shop.checker.get(path);
    assert.match(read(text), new RegExp(`Done It is approved and done.*${result}`));
    assert.doesNotMatch(text, /\/run/);
    const list = await listOf(shop);
    assert.match(list, /Nothing waits for a second person.*Ended/);
    assert.doesNotMatch(list, /Not completed|Approved/);
  }
  assert.equal((await refunds(shop, payment)).length, 1);
});

test('a destination of a subaccount that was set, not noted, and set back by somebody is not set again', async () => {
  const { key, base } = shop;
  const [before, wanted] = [
    { channel: 'cm.mtn', account_number: '+237650000009' },
    { channel: 'cm.mtn', account_number: '+237677000001' },
  ];
  const seller = { name: 'Ateliers Mbarga', email: 'atelier@sellers.example' };
  const { body } = await api.call('POST', '/accounts', { key, body: { ...seller, settlement: before } });
  const account = `/accounts/${body.account.id}`;
  const form = `${base}/sub${account.slice(1)}/edit`;
  const path = approvalPath(await shop.maker.submit(form, form, { ...seller, split_type: '', split_value: '', ...wanted }));
  await press(shop.checker, path, 'approve');
  await notNoted(path, false);
  await api.call('PATCH', account, { key, body: { settlement: before } });
  assert.doesNotMatch((await shop.checker.get(path)).text, /\/run/);
  await press(shop.owner, path, 'run');
  assert.equal((await stored(shop, path)).outcome, 'done');
  assert.deepEqual((await api.call('GET', account, { key })).body.account.settlement, before);
});

test('an approval that did not run stays approved until its time is over, and is not completed then', async () => {
  const payment = await sale(shop);
  const path = await askRefund(shop, payment);
  await api.control.run(sql`
    update approvals set decision = 'approved', decided_by = ${shop.checker.id}, decided_session = 'ses_x', decided_at = pirogue_now()
    where id = ${path.split('/').at(-1)}`);
  assert.match((await shop.checker.get(path)).text, /\/run/);
  await notNoted(path, true);
  assert.match(read((await shop.checker.get(path)).text), /Not completed/);
});

test('a line of a list whose payout was approved and made is done although that was not noted in time', async () => {
  const payer = await Payer.open(api, 50_000);
  const { team } = payer.merchant;
  const checker = await signedIn(api, 'finance', team);
  await withThreshold(payer, 1_000_00n);
  const list = await payer.upload([HEAD, line(1, 5_000)].join('\n'));
  await payer.press(list);
  const [row] = await api.control.all<{ id: string }>(sql`select id from approvals where team_id = ${team.id}`);
  const path = `/console/${team.id}/sandbox/approvals/${row?.id}`;
  await press(checker, path, 'approve');
  const [made] = await payer.transfers();
  await notNoted(path, true);
  const { text } = await payer.person.get(list);
  assert.match(read(text), /Finished.*Of these, approved and made: 1\./);
  assert.ok(made && text.includes(`/payouts/${made.id}"`));
});
