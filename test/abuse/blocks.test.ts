import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findEntries } from '../../src/tenants/audit/store.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Db, type Sql, sql } from '../../src/kit/sql.ts';
import { type Posting, post } from '../../src/money/ledger/post.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { charge } from '../../src/core/charge/charge.ts';
import { fitCharge, readInstrument } from '../../src/core/charge/instrument.ts';
import { trancheSweep } from '../../src/core/charge/sweeps.ts';
import { getPaymentRow } from '../../src/core/payments/service.ts';
import { Payer } from '../checkout/payer.ts';
import type { Answer } from '../setup/api.ts';
import { AbuseFixture } from './fixture.ts';

let fixture: AbuseFixture;
before(async () => {
  fixture = await AbuseFixture.open();
});
after(() => fixture.api.stop());

function refused({ status, body }: Answer): void {
  assert.deepEqual([status, body.error_code], [402, 'fraud_blocked'], JSON.stringify(body));
}

describe('402 fraud_blocked: the payment fails, and no provider is called', () => {
  const cases: [string, (phone: string) => { who: string; changes?: object; more?: object }][] = [
    ['payer', (phone) => ({ who: phone })],
    ['email', () => ({ who: 'Eve@Payer.example', changes: { email: 'eve@payer.example' } })],
    ['address', () => ({ who: '203.0.113.0/24', more: { client_ip: '203.0.113.77' } })],
    ['address', () => ({ who: '2001:db8::/32', more: { client_ip: '2001:DB8:0::1' } })],
    ['address', () => ({ who: '198.51.100.7', more: { client_ip: '::ffff:198.51.100.7' } })],
  ];
  for (const [kind, make] of cases) {
    const { who } = make('a number');
    test(`${kind} ${who}`, async () => {
      const merchant = await fixture.merchant();
      const phone = fixture.number();
      const { who, changes = {}, more = {} } = make(phone);
      const block = await fixture.block(merchant, kind as 'payer', who);
      const asked = fixture.asked;
      const answer = await fixture.pay(merchant, phone, changes, more);
      refused(answer);
      const { status, reason, attempts } = await fixture.status(merchant, answer.id);
      assert.deepEqual([status, reason, attempts, fixture.asked], ['failed', 'fraud_blocked', [], asked]);
      assert.deepEqual(await fixture.db.all(sql`select rule, figures from abuse_refusals where payment_id = ${answer.id}`), [
        { rule: 'block', figures: { block, kind } },
      ]);
      assert.equal((await fixture.pay(merchant)).status, 202, 'somebody else');
    });
  }

  test('customer', async () => {
    const merchant = await fixture.merchant();
    const { id } = await fixture.payment(merchant, { email: 'awa@payer.example' });
    const { customer } = await fixture.status(merchant, id);
    await fixture.block(merchant, 'customer', customer as string);
    refused(await fixture.charge(merchant, id, fixture.number()));
    assert.equal((await fixture.status(merchant, id)).status, 'failed');
  });
});

test('an expired block, or one of another team, has no effect; an invalid client_ip is ignored', async () => {
  const [merchant, other] = [await fixture.merchant(), await fixture.merchant()];
  const phone = fixture.number();
  await fixture.block(other, 'payer', phone);
  await fixture.block(merchant, 'payer', phone, new Date(fixture.clock.now()));
  await fixture.block(merchant, 'address', '203.0.113.0/24');
  assert.equal((await fixture.pay(merchant, phone, {}, { client_ip: "203.0.113.1'; --" })).status, 202);
});

test('the rejection is recorded, sent as an event and logged by ids, without personal data', async () => {
  const merchant = await fixture.merchant();
  const phone = '+237655544433';
  await fixture.block(merchant, 'payer', phone);
  await fixture.block(merchant, 'email', 'aminata.k@payer.example');
  const { id } = await fixture.pay(merchant, phone);
  const events = await fixture.db.all<{ type: string }>(sql`select type from events where resource_id = ${id} order by sequence`);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['payment.created', 'payment.failed'],
  );
  assert.deepEqual(
    (await findEntries(fixture.db, { resource_id: id }, 10)).map(({ action, actor }) => `${action} ${actor}`),
    ['payment.charge key'],
  );
  const noted = await fixture.db.all<{ row: string }>(sql`
    select r::text as row from abuse_refusals r union all select p::text from abuse_payers p union all select b::text from abuse_blocks b`);
  const said = fixture.lines.filter((line) => line.includes(id) && line.includes('"rule"'));
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /"rule":"block","why":"the block blk_\w+ names its payer"/);
  for (const text of [...said, ...noted.map(({ row }) => row)]) {
    for (const personal of ['655544433', 'aminata.k']) assert.ok(!text.includes(personal), `${personal} in ${text}`);
  }
});

describe('beside a charge that is under way', () => {
  test('400: a payment that a provider may have is never ended by a block', async () => {
    const merchant = await fixture.merchant();
    const [phone, blocked] = [fixture.number(), fixture.number()];
    await fixture.block(merchant, 'payer', blocked);
    const { id } = await fixture.pay(merchant, phone);
    await fixture.db.run(sql`update payments set status = 'pending' where id = ${id}`);
    assert.equal((await fixture.charge(merchant, id, blocked)).status, 400);
    assert.equal((await fixture.status(merchant, id)).status, 'pending');
  });

  test('400: nor a payment of whose charge a statement has shown money about which nobody has decided', async () => {
    const merchant = await fixture.merchant();
    const blocked = fixture.number();
    await fixture.block(merchant, 'payer', blocked);
    const { id } = await fixture.pay(merchant);
    const [attempt] = await fixture.db.all<{ id: string }>(sql`select id from attempts where payment_id = ${id}`);
    await fixture.db.run(sql`update payments set status = 'pending' where id = ${id}`);
    await fixture.db.run(sql`
      update attempts set status = 'unavailable', next_poll_at = null, closed_at = ${new Date(fixture.clock.now())} where payment_id = ${id}`);
    const shown = { team_id: merchant.team.id, kind: 'reconciliation.late', currency: 'XAF' };
    const ids = { source_id: attempt?.id as string, subject_id: id };
    const postings: Posting[] = [{ debit: 'clearing', credit: 'hold', amount_minor: 90_000n }];
    await fixture.db.transaction((tx) => post(tx, [{ ...shown, ...ids, postings }]));
    assert.equal((await fixture.charge(merchant, id, blocked)).status, 400);
    assert.equal((await fixture.status(merchant, id)).status, 'pending');
  });

  test('concurrent charges of a blocked and an allowed number never fail a payment with an open attempt', async () => {
    const merchant = await fixture.merchant();
    const blocked = fixture.number();
    await fixture.block(merchant, 'payer', blocked);
    for (let round = 0; round < 15; round++) {
      const { id } = await fixture.payment(merchant);
      const answers = await Promise.all([fixture.charge(merchant, id, blocked), fixture.charge(merchant, id, fixture.number())]);
      const { status, attempts } = await fixture.status(merchant, id);
      const failed = status === 'failed' && attempts.length === 0;
      assert.ok(failed || (status === 'processing' && attempts.length === 1), `${status} with ${attempts.length} attempts`);
      assert.ok(answers.some((answer) => answer.status === 400));
    }
  });

  test('402 a partly paid payment stays partial: money that has been received is kept', async () => {
    const merchant = await fixture.merchant();
    const phone = fixture.number();
    await fixture.block(merchant, 'payer', phone);
    const { id } = await fixture.payment(merchant, { amount: 900_000 });
    await fixture.db.run(sql`update payments set status = 'partial', captured_minor = 45000000 where id = ${id}`);
    refused(await fixture.charge(merchant, id, phone));
    assert.equal((await fixture.status(merchant, id)).status, 'partial');
  });
});

test('a later tranche that the service submits itself is not screened again: its payer was screened with the first', async () => {
  const merchant = await fixture.merchant();
  const phone = fixture.number();
  const { id } = await fixture.pay(merchant, phone, { amount: 900_000 });
  const now = new Date(fixture.clock.now());
  await fixture.db.run(
    sql`update attempts set status = 'succeeded', closed_at = ${now}, next_poll_at = null where payment_id = ${id}`,
  );
  await fixture.db.run(
    sql`update payments set status = 'partial', captured_minor = 45000000, continue_at = ${now} where id = ${id}`,
  );
  await fixture.block(merchant, 'payer', phone);
  await trancheSweep(fixture.api.deps, fixture.api.deps.stores.live).round();
  assert.equal((await fixture.status(merchant, id)).attempts.length, 2);
});

describe('Idempotency-Key', () => {
  test('a rejection releases the Idempotency-Key: a retry returns the present status, another request may use it', async () => {
    const merchant = await fixture.merchant();
    const phone = fixture.number();
    await fixture.block(merchant, 'payer', phone);
    const { id } = await fixture.payment(merchant);
    const headers = { 'idempotency-key': 'order-1' };
    refused(await fixture.charge(merchant, id, phone, {}, headers));
    const keys = await fixture.db.all(
      sql`select 1 from idempotency_keys where team_id = ${merchant.team.id} and key = 'order-1'`,
    );
    assert.deepEqual(keys, []);
    assert.equal((await fixture.charge(merchant, id, phone, {}, headers)).status, 400);
    const other = await fixture.payment(merchant);
    assert.equal((await fixture.charge(merchant, other.id, fixture.number(), {}, headers)).status, 202);
  });

  test('of ten concurrent requests with one key, one ends the payment and each gets a response', async () => {
    const merchant = await fixture.merchant();
    const phone = fixture.number();
    await fixture.block(merchant, 'payer', phone);
    const { id } = await fixture.payment(merchant);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => fixture.charge(merchant, id, phone, {}, { 'idempotency-key': 'order-2' })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(9).fill(400), 402]);
  });
});

describe('the hosted page', () => {
  const form = (phone: string) => ({ channel: 'cm.mtn', phone });

  test('403 a second browser cannot end the payment of the first with a blocked number', async () => {
    const merchant = await fixture.merchant();
    const blocked = fixture.number();
    await fixture.block(merchant, 'payer', blocked);
    const { id, url } = await fixture.payment(merchant);
    const [holder, other] = [new Payer(url), new Payer(url)];
    await holder.get();
    await other.get();
    const charged = await holder.submit(form(fixture.number()));
    assert.equal(charged.status, 303);
    await fixture.db.run(sql`update attempts set status = 'unavailable', next_poll_at = null where payment_id = ${id}`);
    await fixture.db.run(sql`update payments set status = 'pending' where id = ${id}`);
    // As a script would: the page shows this browser no form.
    const answer = await other.json({ channel: 'cm.mtn', data: { phone: blocked } });
    assert.deepEqual([answer.status, answer.body.message], [403, 'The payment is being made in another browser.']);
    assert.equal((await fixture.status(merchant, id)).status, 'pending');
    assert.equal((await holder.submit(form(blocked))).status, 303);
    assert.equal((await fixture.status(merchant, id)).status, 'failed');
  });

  test('402 with the form: a payer charged too often reads that the charge was rejected and may be retried later', async () => {
    const merchant = await fixture.merchant();
    const phone = fixture.number();
    for (let i = 0; i < 6; i++) await fixture.pay(merchant, phone);
    const { id, url } = await fixture.payment(merchant);
    const browser = new Payer(url);
    await browser.get();
    const answer = await browser.submit(form(phone));
    assert.equal(answer.status, 402);
    assert.match(answer.body, /role="alert"/);
    assert.match(answer.body, /name="phone"/);
    assert.equal((await fixture.status(merchant, id)).status, 'pending');
  });
});

/** A store that notes the statements of each transaction. */
function watchedStore({ environment, db }: Store, transactions: string[][]): Store {
  const transaction: Db['transaction'] = (work) =>
    db.transaction((tx) => {
      const texts: string[] = [];
      transactions.push(texts);
      const noting = (statement: Sql) => {
        texts.push(statement.text);
        return statement;
      };
      return work({
        inTransaction: true,
        all: (statement) => tx.all(noting(statement)),
        maybe: (statement) => tx.maybe(noting(statement)),
        run: (statement) => tx.run(noting(statement)),
      });
    });
  return { environment, db: { all: db.all, maybe: db.maybe, run: db.run, transaction } };
}

test('a rejection releases the key in the transaction that ends the payment: a crash after it leaves no locked key', async () => {
  const merchant = await fixture.merchant();
  const phone = fixture.number();
  await fixture.block(merchant, 'payer', phone);
  const { id } = await fixture.payment(merchant);
  const { deps } = fixture.api;
  const store = deps.stores.live.of(merchant.team.id);
  const payment = await getPaymentRow(store, merchant.team.id, id);
  const instrument = readInstrument('live', { channel: 'cm.mtn', data: { phone } });
  const wanted = fitCharge(deps.config, payment, instrument, { client_ip: null, by: WORKER, prompted_by: null });
  const transactions: string[][] = [];
  const slot = { team_id: merchant.team.id, route: 'r', key: 'k', request_hash: Buffer.alloc(32), created_at: new Date() };
  const hooks = { key: { slot, own: [], released: false } };
  const ref = { team_id: merchant.team.id, id };
  await assert.rejects(charge(deps, watchedStore(store, transactions), ref, wanted, hooks), { status: 402 });
  const changes = transactions.map((texts) => texts.filter((text) => /(insert into|delete from) idempotency_keys/.test(text)));
  assert.deepEqual(
    changes.filter((texts) => texts.length > 0).map((texts) => texts.map((text) => text.trim().split(' ')[0])),
    [['insert', 'delete']],
  );
});
