import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inputOf, type Order, paymentOf } from '../../src/core/payments/create.ts';
import {
  type Inserted,
  insertPayments,
  insertWithPayers,
  type NewPayment,
  seeingCustomers,
} from '../../src/core/payments/create-store.ts';
import { unpack } from '../../src/kit/packing.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { until } from '../setup/api.ts';
import { openTwins, type Twins } from '../tenants/twins.ts';
import { NOW } from './rows.ts';

/** Batches in which each way to name a payer meets each state of the idempotency key. */
let twins: Twins;
before(async () => {
  twins = await openTwins();
});
after(() => twins.close());

const HASH = Buffer.alloc(32, 1);

function orderOf({ team_id }: Twins, key: string | null, body: object): NewPayment {
  const order = {
    caller: { team: { id: team_id, unique_references: false }, store: { environment: 'live' }, key_id: 'key_1' },
    ...{ body: { amount: 10, currency: 'XAF', ...body }, idempotency_key: key, request_id: 'req_1', at: NOW.getTime() },
  } as unknown as Order;
  return inputOf(order, paymentOf(order, 1_000n, null), HASH);
}

const KNOWN = [
  { id: 'cus_mail', email: 'Ama@shop.example', phone: null, blocked_at: null },
  { id: 'cus_phone', email: null, phone: '+237650111111', blocked_at: null },
  { id: 'cus_both', email: 'both@shop.example', phone: '+237650222222', blocked_at: null },
  { id: 'cus_blocked', email: 'blocked@shop.example', phone: null, blocked_at: NOW },
];

/** Body, and the customer it is to get; 'new' is one that did not exist. */
const EXISTING: [body: object, customer: string][] = [
  [{ customer_id: 'cus_both' }, 'cus_both'],
  [{ email: 'ama@SHOP.example' }, 'cus_mail'],
  [{ phone: '+237650111111' }, 'cus_phone'],
  [{ email: 'both@shop.example', phone: '+237650111111' }, 'cus_both'],
];
const OTHERS: [body: object, customer: string][] = [
  [{ email: 'new@shop.example' }, 'new 1'],
  [{ email: 'NEW@shop.example', name: 'Ama' }, 'new 1'],
  [{ phone: '+237650333333', name: 'Kofi' }, 'new 2'],
  [{ email: 'blocked@shop.example' }, 'blocked'],
];

for (const [name, insert, rows] of [
  ['without new customers', insertPayments, EXISTING],
  ['with new customers', insertWithPayers, [...EXISTING, ...OTHERS]],
] as const) {
  test(`a batch ${name}: each payment gets its customer, key and event, unless its key is taken`, async () => {
    await twins.trial(async (tx, one) => {
      await begin(tx, one);
      const orders = rows.flatMap(([body, customer], n) =>
        [null, `fresh ${n}`, `taken ${n % 4}`].map((key) => ({ customer, key, input: orderOf(one, key, body) })),
      );
      // A payer whose only payment has a taken key is not created.
      if (insert === insertWithPayers) {
        const input = orderOf(one, 'taken 0', { email: 'nobody@shop.example' });
        orders.push({ customer: 'nobody', key: 'taken 0', input });
      }
      const made = await insert(
        tx,
        orders.map(({ input }) => input),
      );
      const names = namesOf(orders, made);
      for (const { customer, key, input } of orders) {
        const about = `${customer}, ${key}`;
        const result = made.get(input.id);
        const row = await rowOf(tx, input.id);
        if (customer === 'blocked') assert.deepEqual([result, row], ['blocked', undefined], about);
        else if (key?.startsWith('taken')) assert.deepEqual([result, row], [undefined, undefined], about);
        else {
          const customer_id = names.get(customer);
          assert.deepEqual(result, { customer_id }, about);
          assert.deepEqual(
            row,
            { customer_id, event_count: 1, keyed: key, event: [1, 'payment.created', customer_id, 0] },
            about,
          );
        }
      }
      const customers = await tx.all<{ id: string; email: string | null; phone: string | null; name: string | null }>(
        sql`select id, email, phone, name from customers where created_at = ${NOW} order by email nulls last`,
      );
      const expected = [
        { id: names.get('new 1'), email: 'new@shop.example', phone: null, name: null },
        { id: names.get('new 2'), email: null, phone: '+237650333333', name: 'Kofi' },
      ];
      assert.deepEqual(customers, insert === insertWithPayers ? expected : []);
      const events = await tx.all(sql`select resource_id from events where type = 'customer.created' and created_at = ${NOW}`);
      assert.equal(events.length, customers.length);
      assert.deepEqual(
        await tx.all(
          sql`select key from idempotency_keys where key like 'fresh%' and resource_id not in (select id from payments)`,
        ),
        [],
      );
    });
  });
}

for (const body of [{ email: 'none@shop.example' }, { email: 'blocked@shop.example' }]) {
  test(`a batch without new customers fails as a whole for ${body.email}`, async () => {
    const inserted = twins.trial(async (tx, one) => {
      await begin(tx, one);
      await insertPayments(tx, [orderOf(one, null, { customer_id: 'cus_both' }), orderOf(one, null, body)]);
    });
    await assert.rejects(inserted, /payments_customer_seen/);
  });
}

async function begin(tx: Tx, { team_id, payment }: Twins): Promise<void> {
  for (const { id, email, phone, blocked_at } of KNOWN) {
    await tx.run(sql`insert into customers (team_id, id, email, phone, blocked_at, event_count, created_at, updated_at)
      values (${team_id}, ${id}, ${email}, ${phone}, ${blocked_at}, 1, ${new Date(0)}, ${new Date(0)})`);
  }
  for (const n of [0, 1, 2, 3]) {
    await tx.run(sql`insert into idempotency_keys (team_id, route, key, resource_id, request_hash, created_at)
      values (${team_id}, 'POST /payments', ${`taken ${n}`}, ${payment.id}, ${HASH}, ${NOW})`);
  }
}

/** The ids of all customers, the new ones by their first payment. */
function namesOf(orders: { customer: string; input: NewPayment }[], made: Map<string, Inserted>): Map<string, string> {
  const names = new Map(KNOWN.map(({ id }) => [id, id]));
  for (const { customer, input } of orders) {
    const result = made.get(input.id);
    if (customer.startsWith('new') && typeof result === 'object' && !names.has(customer)) {
      assert.match(String(result.customer_id), /^cus_/);
      names.set(customer, String(result.customer_id));
    }
  }
  return names;
}

async function rowOf(tx: Tx, id: string): Promise<object | undefined> {
  const row = await tx.maybe<{ customer_id: string; event_count: number }>(
    sql`select customer_id, event_count from payments where id = ${id}`,
  );
  const key = await tx.maybe<{ key: string }>(sql`select key from idempotency_keys where resource_id = ${id}`);
  const event = await tx.maybe<{ sequence: number; type: string; body: Buffer }>(
    sql`select sequence, type, body from events where resource_id = ${id}`,
  );
  if (!row || !event) return row ?? key ?? event;
  const { data, pending_webhooks } = JSON.parse(unpack(event.body)) as { data: { customer: string }; pending_webhooks: number };
  return { ...row, keyed: key?.key ?? null, event: [event.sequence, event.type, data.customer, pending_webhooks] };
}

test('a customer that another transaction is creating is not invented: the batch fails, and is run again', async (t) => {
  const { owner, team_id } = twins;
  t.after(() => owner.run(sql`delete from customers where id = 'cus_racing'`));
  const failed = await owner.transaction(async (tx) => {
    await tx.run(sql`insert into customers (team_id, id, email, event_count, created_at, updated_at)
      values (${team_id}, 'cus_racing', 'racing@shop.example', 1, ${NOW}, ${NOW})`);
    const batch = owner.transaction((other) => insertWithPayers(other, [orderOf(twins, null, { email: 'racing@shop.example' })]));
    const rejected = assert.rejects(batch, /payments_customer_seen/);
    await until(
      () => owner.all(sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      ({ length }) => length > 0,
    );
    return { rejected };
  });
  await failed.rejected;
});

test('only a customer that could not be seen makes a batch run again, five times at most', async () => {
  for (const [code, constraint, runs] of [
    ['23514', 'payments_customer_seen', 5],
    ['23514', 'payments_check', 1],
    ['23505', 'payments_customer_seen', 1],
  ] as const) {
    const seen: number[] = [];
    const work = async (run: number) => {
      seen.push(run);
      throw Object.assign(new Error('violation'), { code, constraint });
    };
    await assert.rejects(() => seeingCustomers(work), /violation/);
    assert.deepEqual(
      seen,
      Array.from({ length: runs }, (_, n) => n + 1),
    );
  }
  assert.equal(await seeingCustomers(async () => 'made'), 'made');
});
