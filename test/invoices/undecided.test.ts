import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { awaitsDecision } from '../../src/edge/invoices/store.ts';
import { must } from '../../src/kit/errors.ts';
import { type Sql, sql } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { post } from '../../src/money/ledger/post.ts';
import { archive, openOwner } from '../archive/fixture.ts';
import { Payer } from '../checkout/payer.ts';
import { visitsOf } from '../plans/visits.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { takenBack } from '../setup/taken-back.ts';
import { InvoiceFixture } from './fixture.ts';

/** Money that arrived for an ended payment of an invoice and waits for a decision: the invoice asks for no other payment until then. */
const clock = new FakeClock();
const read: Sql[] = [];
const watch = (statement: Sql) => {
  if (statement.text.includes('from invoice_payments i join payments p')) read.push(statement);
  return null;
};
const api = await startApi({
  clock,
  env: { HOLD_MOBILE_MONEY: '0s' },
  watch: (database) => (database === 'live' ? watch : undefined),
});
const fixture = await InvoiceFixture.open(api, clock);
const { merchant } = fixture;
const team_id = merchant.shop.merchant.team.id;
const { db } = api.deps.stores.live;
after(async () => {
  await fixture.stop();
  await api.stop();
});

interface Failed {
  invoice: string;
  url: string;
  payment: string;
  attempt: string;
}

/** A sent invoice whose payment has failed, and is polled no more. */
async function failed(): Promise<Failed> {
  const { id: invoice, url } = await fixture.createSent();
  const { id: payment } = await fixture.submitForPayment(url);
  await merchant.charge(payment, { phone: '670000001' });
  await merchant.waitForStatus(`/payments/${payment}`, 'failed');
  const ended = () => {
    clock.advance(1_000);
    return db.maybe<{ id: string }>(sql`select id from attempts where payment_id = ${payment} and next_poll_at is null`);
  };
  const attempt = await until(ended, (row) => row !== undefined);
  return { invoice, url, payment, attempt: must(attempt, 'it was charged').id };
}

/** The provider reports another amount; null: a person has decided about it. */
const report = ({ payment }: Failed, amount_minor: string | null) => {
  const mismatch = { amount_minor, currency: 'XAF', provider_ref: 'paid-part', at: new Date().toISOString() };
  const stored = amount_minor === null ? null : JSON.stringify(mismatch);
  return db.run(sql`update attempts set mismatch = ${stored}::json where payment_id = ${payment}`);
};

/** Books what a statement has shown, as `pirogue reconcile --apply` and `pirogue breaks settle` do. */
const book = ({ payment, attempt }: Failed, kind: string, debit: Account, credit: Account) =>
  db.transaction((tx) => {
    const postings = [{ debit, credit, amount_minor: 90_000n }];
    return post(tx, [{ team_id, kind, source_id: attempt, subject_id: payment, currency: 'XAF', postings }]);
  });
const show = (one: Failed) => book(one, 'reconciliation.late', 'clearing', 'hold');
const settle = (one: Failed, to: Account) => book(one, 'reconciliation.settled:reconciliation.late', 'hold', to);

async function asksForNothing(url: string): Promise<void> {
  for (const { status, text } of [await fixture.page(url), await fixture.submit(url)]) {
    assert.equal(status, 200);
    assert.match(text, /A payment is being checked/);
    assert.doesNotMatch(text, /<form/);
  }
}

/** @returns the payment to which the page leads */
async function asksAgain(url: string): Promise<string> {
  assert.match((await fixture.page(url)).text, /<form/);
  return (await fixture.submitForPayment(url)).id;
}

test('another amount that is reported of an earlier payment: the invoice does not lead to its present one', async () => {
  const one = await failed();
  const present = await fixture.submitForPayment(one.url);
  await report(one, '90000');
  await asksForNothing(one.url);
  await report(one, null);
  assert.equal(await asksAgain(one.url), present.id);
});

for (const to of ['available', 'fee_income', 'clearing'] as const) {
  test(`money that a statement has shown of an earlier payment: asked for again once it is settled to ${to}`, async () => {
    const one = await failed();
    const present = await fixture.submitForPayment(one.url);
    await show(one);
    await asksForNothing(one.url);
    await settle(one, to);
    assert.equal(await asksAgain(one.url), present.id);
  });
}

test('the same of the last payment', async () => {
  const one = await failed();
  await show(one);
  await asksForNothing(one.url);
  await settle(one, 'available');
  assert.notEqual(await asksAgain(one.url), one.payment);
});

test('while the provider is still asked about an earlier charge, the invoice asks for no other payment', async () => {
  const one = await failed();
  const poll = (at: Date | null) => db.run(sql`update attempts set next_poll_at = ${at} where id = ${one.attempt}`);
  // As after a callback about a charge that has ended, while its status cannot be read.
  await poll(new Date(clock.now() + 3_600_000));
  await asksForNothing(one.url);
  const payments = await db.all(sql`select payment_id from invoice_payments where invoice_id = ${one.invoice}`);
  assert.deepEqual(payments, [{ payment_id: one.payment }]);
  await poll(null);
  assert.notEqual(await asksAgain(one.url), one.payment);
});

test('what a statement has shown of a refund of an earlier payment is no money of the payer', async () => {
  const one = await failed();
  await book({ ...one, attempt: 'rfd_1:0' }, 'reconciliation.late', 'hold', 'clearing');
  await asksAgain(one.url);
});

test('an archived payment counts as any other', async () => {
  const one = await failed();
  await show(one);
  await db.run(sql`update attempts set payer = null, client_ip = null where payment_id = ${one.payment}`);
  clock.advance(1_000);
  const owner = openOwner(api.databases.live);
  await archive(api, owner, 'live', team_id);
  await owner.close();
  const isArchived = () => db.maybe(sql`select 1 from payments where id = ${one.payment} and archived is not null`);
  assert.ok(await isArchived());
  assert.match((await fixture.page(one.url)).text, /A payment is being checked/);
  assert.ok(await isArchived(), 'reading restores nothing');
  await asksForNothing(one.url);
  await settle(one, 'available');
  await asksAgain(one.url);
});

test('no other try of the present payment either, while money of an earlier one waits', async () => {
  const one = await failed();
  const { headers } = await fixture.submit(one.url);
  const payer = new Payer(headers.get('location') as string);
  await payer.get();
  assert.equal((await payer.submit({ channel: 'cm.mtn', phone: '670000002' })).status, 303);
  const present = (await fixture.invoice(one.invoice)).payment;
  await merchant.waitForStatus(`/payments/${present}`, 'failed');
  await payer.offered(clock);
  clock.advance(3_600_000);
  const retry = () => payer.json({ channel: 'cm.mtn', phone: '670100000' });
  await report(one, '90000');
  assert.doesNotMatch((await payer.get()).body, /<form/);
  assert.equal((await retry()).status, 400);
  assert.equal((await merchant.payment(present)).retried_by, null);
  await report(one, null);
  await payer.offered(clock);
  assert.ok([200, 202].includes((await retry()).status));
});

test('only the payments of the invoice are read', async () => {
  const rows = 5_000;
  const one = await failed();
  await fixture.submitForPayment(one.url);
  const owner = openOwner(api.databases.live);
  await owner.run(sql`
    insert into invoice_payments (team_id, payment_id, invoice_id)
    select ${team_id}, 'trx_' || n, 'inv_' || n from generate_series(1, ${rows}::integer) n`);
  await owner.run(sql`
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, provider_key,
      mismatch, created_at, closed_at)
    select ${team_id}, 'att_' || n, 'trx_' || n, 'pawapay', 'pa_1', 'cm.mtn', 'failed', 100, 'XAF', 'key_' || n, '{}', now(), now()
    from generate_series(1, ${rows}::integer) n`);
  await owner.run(sql`
    insert into journals (team_id, kind, source_id, subject_id)
    select ${team_id}, 'reconciliation.late', 'att_' || n, 'trx_' || n from generate_series(1, ${rows}::integer) n`);
  await owner.run({ text: 'vacuum analyze invoice_payments, payments, attempts, journals', values: [] });
  await owner.close();
  const store = api.deps.stores.live.of(team_id);
  read.length = 0;
  assert.equal(await awaitsDecision(store.db, { team_id, id: one.invoice }), false);
  const statement = must(read[0], 'it was sent');
  const visits = await takenBack(store.db, (tx) => visitsOf(tx, statement));
  assert.deepEqual(
    visits.filter(({ rows: visited }) => visited > 50),
    [],
  );
});
