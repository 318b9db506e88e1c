import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { apply } from '../../src/core/payments/apply.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { InvoiceFixture } from './fixture.ts';

/** Two that want something of one invoice at the same moment, or more than there are connections to the database. */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s', DATABASE_POOL: '4' } });
const fixture = await InvoiceFixture.open(api, clock);
after(async () => {
  await fixture.stop();
  await api.stop();
});

const paymentsOf = async (invoice: string) => {
  const rows = await api.deps.stores.live.db.all<{ id: string; status: string; amount_minor: bigint }>(
    sql`select id, status, amount_minor from payments where key_id = ${invoice} order by id`,
  );
  return rows.map(({ status, amount_minor }) => `${status} ${amount_minor / 100n}`);
};
const STUCK = { phone: '237653456129' };

test('more concurrent requests than connections do not deadlock: none waits for a second connection', async () => {
  const { customer } = await fixture.draft();
  const body = { items: [{ name: 'Soap', unit_price: 500 }], currency: 'XAF', customer_id: customer };
  const made = await Promise.all(Array.from({ length: 12 }, () => fixture.call('POST', '/invoices', body)));
  assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
  const sent = await Promise.all(made.map((answer) => fixture.call('POST', `/invoices/${answer.body.invoice.id}/send`)));
  assert.deepEqual(new Set(sent.map(({ status }) => status)), new Set([200]));
  const clicked = await Promise.all(sent.map((answer) => fixture.submit(answer.body.invoice.url)));
  assert.deepEqual(new Set(clicked.map(({ status }) => status)), new Set([303]));
});

test('two browsers that pay at the same time are redirected to one payment', async () => {
  const { id, url } = await fixture.createSent();
  const answers = await Promise.all(Array.from({ length: 6 }, () => fixture.submit(url)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]));
  assert.equal(new Set(answers.map(({ headers }) => headers.get('location'))).size, 1);
  assert.deepEqual(await paymentsOf(id), ['pending 10000']);
});

test('two concurrent submits with different amounts leave one pending payment', async () => {
  const { id, url } = await fixture.createSent({ allow_partial: true });
  const answers = await Promise.all(['1000', '2000', '3000', '2000'].map((amount) => fixture.submit(url, amount)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]));
  const waiting = (await paymentsOf(id)).filter((payment) => payment.startsWith('pending'));
  assert.equal(waiting.length, 1);
});

test('while a charge is in progress every submit is redirected to it, whatever the amount', async () => {
  const { id, url } = await fixture.createSent({ allow_partial: true });
  const first = await fixture.submitForPayment(url, '6000');
  assert.equal((await fixture.merchant.charge(first.id, STUCK)).status, 202);
  assert.equal((await fixture.submitForPayment(url)).id, first.id);
  assert.equal((await fixture.submitForPayment(url, '1000')).id, first.id);
  const { text } = await fixture.page(url);
  assert.ok(text.includes('A payment is in progress'));
  assert.ok(!text.includes('<form'), 'nothing else can be begun');
  assert.deepEqual(await paymentsOf(id), ['processing 6000']);
  const cancel = await fixture.call('POST', `/invoices/${id}/cancel`);
  assert.equal(cancel.status, 400);
  assert.equal((await fixture.invoice(id)).status, 'viewed');
});

test('cancelling an invoice cancels its pending payment, whose page accepts no money any more', async () => {
  const { id, url } = await fixture.createSent();
  const waiting = await fixture.submitForPayment(url);
  const { status, body } = await fixture.call('POST', `/invoices/${id}/cancel`);
  assert.deepEqual([status, body.invoice.status, body.invoice.amount_due], [200, 'cancelled', 0]);
  assert.equal((await fixture.merchant.payment(waiting.id)).status, 'cancelled');
  assert.equal((await fixture.merchant.charge(waiting.id)).status, 400);
  assert.equal((await fixture.page(url)).status, 410);
  assert.equal((await fixture.submit(url)).status, 410);
  assert.deepEqual(await fixture.merchant.events(id), ['invoice.created', 'invoice.sent', 'invoice.cancelled']);
  assert.equal((await fixture.call('POST', `/invoices/${id}/cancel`)).status, 400);
});

for (const first of ['payment', 'cancel'] as const)
  test(`of a payment and a cancel that both wait for the payment's row, the ${first} came first and decides`, async () => {
    const { id, url } = await fixture.createSent();
    const waiting = await fixture.submitForPayment(url);
    const pay = () => fixture.merchant.charge(waiting.id);
    const cancel = () => fixture.call('POST', `/invoices/${id}/cancel`);
    const order = first === 'payment' ? [pay, cancel] : [cancel, pay];
    let both: Promise<{ status: number }>[] = [];
    await api.deps.stores.live.db.transaction(async (tx) => {
      await tx.run(sql`select 1 from payments where id = ${waiting.id} for update`);
      both = [(order[0] as typeof pay)()];
      await untilLocked(api.databases.live, 'payments');
      both.push((order[1] as typeof pay)());
      // One that came after the row is free could take it before the first has woken.
      await untilLocked(api.databases.live, 'payments', 2);
    });
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    assert.deepEqual(statuses, first === 'payment' ? [202, 400] : [200, 400]);
    if (first === 'payment') await fixture.merchant.waitForStatus(`/payments/${waiting.id}`, 'succeeded');
    assert.equal((await fixture.invoice(id)).status, first === 'payment' ? 'paid' : 'cancelled');
  });

test('cancel races a payment twelve times: the invoice is cancelled without money taken, or paid', async () => {
  for (let i = 0; i < 12; i++) {
    const { id, url } = await fixture.createSent();
    const waiting = await fixture.submitForPayment(url);
    const both = [() => fixture.merchant.charge(waiting.id), () => fixture.call('POST', `/invoices/${id}/cancel`)];
    const answers = await Promise.all((i % 2 ? both : both.toReversed()).map((one) => one()));
    const [charged, cancelled] = i % 2 ? answers : answers.toReversed();
    if (cancelled?.status === 200) {
      assert.equal(charged?.status, 400);
      assert.deepEqual(await paymentsOf(id), ['cancelled 10000']);
    } else {
      assert.deepEqual([cancelled?.status, charged?.status], [400, 202]);
      await fixture.merchant.waitForStatus(`/payments/${waiting.id}`, 'succeeded');
      assert.equal((await fixture.invoice(id)).status, 'paid');
    }
  }
});

test('cancel races a submit ten times: no pending payment is left for a cancelled invoice', async () => {
  for (let i = 0; i < 10; i++) {
    const { id, url } = await fixture.createSent();
    if (i % 2) await fixture.submit(url);
    const [clicked, cancelled] = await Promise.all([
      fixture.submit(url),
      fixture.call('POST', `/invoices/${id}/cancel`),
      fixture.submit(url),
    ]);
    assert.equal(cancelled.status, 200);
    assert.ok([303, 410].includes(clicked.status), String(clicked.status));
    assert.ok(
      (await paymentsOf(id)).every((payment) => payment.startsWith('cancelled')),
      String(await paymentsOf(id)),
    );
  }
});

test('money that arrives after its payment failed is refunded, and the invoice is not paid twice', async () => {
  const { id, url } = await fixture.createSent();
  const first = await fixture.submitForPayment(url);
  await fixture.merchant.charge(first.id, STUCK);
  const { db } = api.deps.stores.live;
  const [attempt] = await db.all<{ id: string }>(sql`select id from attempts where payment_id = ${first.id}`);
  const resolve = async (as: 'failed' | 'succeeded') => {
    const { resolveAttempt } = await import('../../src/core/charge/resolve.ts');
    const ref = { team_id: fixture.merchant.shop.merchant.team.id, id: attempt?.id as string };
    await resolveAttempt(api.deps, api.deps.stores.live, ref, { as, evidence: 'statement', author: 'awa' }, WORKER);
  };
  clock.advance(180_000);
  await resolve('failed');
  const second = await fixture.pay(url);
  assert.equal((await fixture.invoice(id)).status, 'paid');
  await resolve('succeeded');
  assert.ok((await fixture.merchant.events(first.id)).includes('payment.late_success'));
  const paid = await fixture.invoice(id);
  assert.deepEqual([paid.amount_paid, paid.amount_refunded, paid.payment], [10_000, 0, second.id]);
  const returned = await until(
    () => db.all<object>(sql`select kind, amount_minor from refunds where payment_id = ${first.id}`),
    (rows) => rows.length > 0,
  );
  assert.deepEqual(returned, [{ kind: 'giveback', amount_minor: 1_000_000n }]);
});

test('a payment that is about to expire is not reused', async () => {
  const { id, url } = await fixture.createSent();
  await fixture.submitForPayment(url);
  clock.advance(1440 * 60_000 - 240_000);
  await fixture.submitForPayment(url);
  assert.deepEqual((await paymentsOf(id)).sort(), ['cancelled 10000', 'pending 10000']);
});

test('refunds of two payments of an invoice at the same moment both count', async (t) => {
  const { id, url } = await fixture.createSent({ allow_partial: true });
  const payments = [await fixture.pay(url, '4000'), await fixture.pay(url, '3000')];
  const team_id = fixture.merchant.shop.merchant.team.id;
  const context = { environment: 'live', at: clock.now(), listeners: api.deps.listeners } as const;
  const owner = openPool({ url: api.databases.live, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
  t.after(() => owner.close());
  const both = await owner.transaction(async (tx) => {
    await tx.run(sql`select 1 from invoices where id = ${id} for update`);
    const begun = payments.map(({ id: payment_id }) =>
      api.deps.stores.live.db.transaction((own) =>
        apply(own, context, [{ team_id, payment_id, occurrences: [{ kind: 'refunded', amount_minor: 100_000n }] }]),
      ),
    );
    await until(
      () => owner.all(sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      (waiting) => waiting.length >= 2,
    );
    return begun;
  });
  await Promise.all(both);
  const { amount_paid, amount_refunded } = await fixture.invoice(id);
  assert.deepEqual([amount_paid, amount_refunded], [7_000, 2_000]);
});

test('a payer who enters another amount gets a payment of it, and the one that was not charged is cancelled', async () => {
  const { id, url } = await fixture.createSent({ allow_partial: true });
  const amounts: number[] = [];
  for (const amount of ['1000', '2000']) amounts.push((await fixture.submitForPayment(url, amount)).amount);
  assert.deepEqual(
    [amounts, (await paymentsOf(id)).sort()],
    [
      [1_000, 2_000],
      ['cancelled 1000', 'pending 2000'],
    ],
  );
});
