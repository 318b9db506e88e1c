import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { charge } from '../../src/core/charge/charge.ts';
import { fitCharge, readInstrument } from '../../src/core/charge/instrument.ts';
import { getPaymentRow } from '../../src/core/payments/service.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { transactionLimitsOf } from '../../src/money/transaction-limits/table.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Answer, type Api, FakeClock, startApi } from '../setup/api.ts';
import { newPayment, Payer } from '../checkout/payer.ts';
import { Registry } from '../setup/providers.ts';
import { Scripted } from '../setup/scripted.ts';

/** Charges that arrive at the same time share transactions; none may notice the others. */
const provider = new Scripted();
const clock = new FakeClock();
let api: Api;
before(async () => {
  api = await startApi({
    clock,
    workers: false,
    providers: new Registry({ sandbox: [provider], live: [provider] }),
  });
});
after(() => api.stop());

const MTN = { channel: 'cm.mtn', data: { phone: '650000000' } };

async function pending(key = api.keys.sandbox.secret, amount = 1_000): Promise<string> {
  const { body } = await api.call('POST', '/payments', { key, body: { amount, currency: 'XAF', phone: '1' } });
  return body.transaction.id;
}
const several = (count: number, key?: string): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => pending(key)));
const pay = (id: string, { key = api.keys.sandbox.secret, phone = '650000000', headers = {} } = {}): Promise<Answer> =>
  api.call('POST', `/payments/${id}`, { key, headers, body: { ...MTN, data: { phone } } });
const statuses = (answers: Answer[]) => answers.map(({ status }) => status);

interface Stored {
  payment_id: string;
  attempts: number;
  entries: number;
}
/** How many attempts and audit entries the payments have, and in how many transactions they were written. */
async function storedFor(store: Store, ids: string[]): Promise<{ rows: Stored[]; transactions: number }> {
  const rows = await store.db.all<Stored>(sql`
    select p.id as payment_id, (select count(*)::integer from attempts a where a.payment_id = p.id) as attempts,
      (select count(*)::integer from audit_entries e where e.resource_id = p.id and e.action = 'payment.charge') as entries
    from payments p where p.id = any(${ids}) order by p.id`);
  const [row] = await store.db.all<{ transactions: number }>(sql`
    select count(distinct tx)::integer as transactions from audit_entries
    where resource_id = any(${ids}) and action = 'payment.charge'`);
  return { rows, transactions: row?.transactions ?? 0 };
}

test('charges at the same time share transactions, and each gets its own payment, attempt and entry', async () => {
  const ids = await several(20);
  const answers = await Promise.all(ids.map((id, i) => pay(id, { headers: { 'idempotency-key': `own-${i}` } })));
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.transaction.id]),
    ids.map((id) => [202, id]),
  );
  const { rows, transactions } = await storedFor(api.deps.stores.sandbox, ids);
  assert.deepEqual(
    rows,
    ids.toSorted().map((payment_id) => ({ payment_id, attempts: 1, entries: 1 })),
  );
  assert.ok(transactions < 20, `${transactions} transactions`);
  const again = await Promise.all(ids.map((id, i) => pay(id, { headers: { 'idempotency-key': `own-${i}` } })));
  assert.deepEqual(
    again.map(({ status, headers, body }) => [status, headers.get('idempotent-replayed'), body]),
    answers.map(({ body }) => [202, 'true', body]),
  );
});

test('a charge that is rejected for its payment fails alone, and leaves its key free', async () => {
  const [charged = '', ...ids] = await several(8);
  await pay(charged);
  const keyed = { headers: { 'idempotency-key': 'rejected' } };
  const [rejected, ...others] = await Promise.all([pay(charged, keyed), ...ids.map((id) => pay(id))]);
  assert.deepEqual([rejected?.status, ...statuses(others)], [400, ...ids.map(() => 202)]);
  assert.equal((await pay(await pending(), keyed)).status, 202);
});

test('a charge above a limit of its team fails alone, and what the others reserve is counted once', async () => {
  const { team, live } = await api.newMerchant({ verification_level: 1 });
  const { daily_minor, per_transaction_minor } = must(transactionLimitsOf(1, 'payment', 'XAF'), 'the level has limits');
  const fitting = Number(daily_minor / per_transaction_minor);
  const amount = Number(per_transaction_minor / 100n);
  const ids = await Promise.all(Array.from({ length: fitting + 1 }, () => pending(live.secret, amount)));
  const answers = await Promise.all(ids.map((id, i) => pay(id, { key: live.secret, phone: `6503001${10 + i}` })));
  assert.deepEqual(statuses(answers).sort(), [...Array(fitting).fill(202), 422]);
  const used = await api.deps.stores.live.db.all<{ used_minor: bigint }>(sql`
    select used_minor from ceiling_uses where team_id = ${team.id} and direction = 'payment' and length(period) = 10`);
  assert.deepEqual(used, [{ used_minor: per_transaction_minor * BigInt(fitting) }]);
});

test('a payment that is locked delays its own charge only', async () => {
  const [locked = '', ...ids] = await several(6);
  const { db } = api.deps.stores.sandbox;
  let waiting: Promise<Answer> | undefined;
  await db.transaction(async (tx) => {
    await tx.run(sql`select 1 from payments where id = ${locked} for update`);
    waiting = pay(locked);
    assert.deepEqual(
      statuses(await Promise.all(ids.map((id) => pay(id)))),
      ids.map(() => 202),
    );
    assert.equal((await storedFor(api.deps.stores.sandbox, [locked])).rows[0]?.attempts, 0);
  });
  assert.equal((await waiting)?.status, 202);
});

test('teams share transactions, and none reaches a payment of another', async () => {
  const [a, b] = [await api.newMerchant(), await api.newMerchant()];
  const of = { a: await several(6, a.sandbox.secret), b: await several(6, b.sandbox.secret) };
  const answers = await Promise.all([
    ...of.a.map((id) => pay(id, { key: a.sandbox.secret })),
    ...of.b.map((id) => pay(id, { key: b.sandbox.secret })),
    ...of.b.map((id) => pay(id, { key: a.sandbox.secret })),
  ]);
  assert.deepEqual(statuses(answers), [...Array(12).fill(202), ...Array(6).fill(404)]);
  const written = await api.deps.stores.sandbox.db.all<{ own: boolean }>(sql`
    select e.team_id = p.team_id and t.team_id = p.team_id as own from payments p
    join attempts t on t.payment_id = p.id join audit_entries e on e.resource_id = p.id and e.action = 'payment.charge'
    where p.id = any(${[...of.a, ...of.b]})`);
  assert.deepEqual(written, Array(12).fill({ own: true }));
});

/** A store whose first commit goes through, and whose answer is lost. */
function losing({ environment, db }: Store): Store {
  let lost = false;
  return {
    environment,
    db: {
      all: (statement) => db.all(statement),
      maybe: (statement) => db.maybe(statement),
      run: (statement) => db.run(statement),
      transaction: async (work, plans) => {
        const result = await db.transaction(work, plans);
        if (lost) return result;
        lost = true;
        throw new Error('the connection was lost');
      },
    },
  };
}

test('when the answer to a commit is lost, no charge of it is started again or sent', async () => {
  const { team, deps } = api;
  const ids = await several(4);
  const real = deps.stores.sandbox.of(team.id);
  const store = losing(real);
  const sent = provider.submitted.length;
  const results = await Promise.allSettled(
    ids.map(async (id) => {
      const payment = await getPaymentRow(real, team.id, id);
      const wanted = fitCharge(deps.config, payment, readInstrument('sandbox', { ...MTN, channel: 'cm.mtn' }), {
        ...{ client_ip: null, by: WORKER, prompted_by: null },
      });
      return charge(deps, store, { team_id: team.id, id }, wanted);
    }),
  );
  const lost = results.filter((result) => result.status === 'rejected' && /was lost/.test(String(result.reason)));
  const { rows } = await storedFor(real, ids);
  assert.ok(lost.length > 0);
  assert.deepEqual(
    rows.map(({ attempts, entries }) => [attempts, entries]),
    ids.map(() => [1, 1]),
  );
  assert.equal(provider.submitted.length - sent, ids.length - lost.length);
});

test('a payment is charged until the moment at which it expires', async () => {
  const { db } = api.deps.stores.sandbox;
  const expiring = async (after_ms: number) => {
    const id = await pending();
    await db.run(sql`update payments set expires_at = ${new Date(clock.now() + after_ms)} where id = ${id}`);
    return id;
  };
  const ids = [await expiring(0), await expiring(1)];
  const answers = await Promise.all(ids.map((id) => pay(id)));
  assert.deepEqual(statuses(answers), [400, 202]);
  assert.match(answers[0]?.body.message, /^The payment window is over/);
  const page = await newPayment(api);
  await db.run(sql`update payments set expires_at = ${new Date(clock.now())} where id = ${page.id}`);
  const { status, body } = await new Payer(page.url).json(MTN);
  assert.deepEqual([status, body.message], [400, answers[0]?.body.message]);
});
