import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { saveMethod } from '../../src/core/customers/methods.ts';
import { erasureSweep } from '../../src/edge/erasure/sweeps.ts';
import { unpack } from '../../src/kit/packing.ts';
import { sql } from '../../src/kit/sql.ts';
import { openHosted, wasCharged } from '../../src/core/charge/hosted.ts';
import { makeToken } from '../../src/core/payments/token.ts';
import { mailsIn } from '../mail/folder.ts';
import { type Api, dumpDatabase, FakeClock, type Merchant, startApi, until } from '../setup/api.ts';
import { paid, paymentIn, startPayment } from '../setup/pay.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';

let api: Api;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  api = await startApi({ env: { WEBHOOK_RETRY_SCHEDULE: '50ms,50ms,1h,1h,1h' } });
});
after(async () => {
  await api.stop();
  await receiver.close();
});

/** The same person in many hands: what must be nowhere afterwards. */
const TRACES = [
  /aminata/i,
  /traor[eé]/i,
  /TRAORE\u0301/i,
  /a\.traore/i,
  /shop-erase/i,
  /650[\s.()-]*77[\s.()-]*88[\s.()-]*99/,
  /699[\s.()-]*11[\s.()-]*22[\s.()-]*33/,
  /Rue des Manguiers/i,
  /M-SECRET-TAX/,
  /198\.51\.100\.7/,
];

const PERSON = {
  name: 'Aminata Traoré',
  email: 'A.Traore@Shop-Erase.example',
  phone: '+237 650 77 88 99',
  customer: { email: 'a.traore@shop-erase.example' },
  address: { line1: 'Rue des Manguiers 5', city: 'Douala' },
  shipping: { name: 'AMINATA TRAORE', phone: '00237-650-77-88-99', address: { line1: '5 Rue des Manguiers' } },
  telemetry: { user_agent: 'Aminata’s phone' },
  description: 'Basket for Traoré, Aminata (650 77 88 99)',
  reference: 'order-a.traore@shop-erase.example',
  callback: 'https://shop.example/thanks?for=A.Traore%40Shop-Erase.example&tel=%2B237650778899',
  items: [{ name: 'Basket', description: 'for aminata traoré' }],
  metadata: {
    'a.traore@shop-erase.example': true,
    phone: 237650778899,
    note: 'call 237.650.77.88.99 or (650) 778899',
    mac: 'TRAORE\u0301',
    cart: 'A-7',
  },
};

const other = { name: 'Someone Else', email: 'someone@else.example', phone: '+237650000000' };

/** Everything that was stored, wherever. */
async function everything(): Promise<string> {
  const { sandbox, live } = api.deps.stores;
  const dumps = await Promise.all([dumpDatabase(api.control), dumpDatabase(sandbox.db), dumpDatabase(live.db)]);
  const events = await Promise.all(
    [sandbox, live].map(async ({ db }) =>
      (await db.all<{ body: Buffer }>(sql`select body from events`)).map(({ body }) => unpack(body)),
    ),
  );
  return [...dumps, ...events.flat(), ...mailsIn(api)].join('\n');
}

function tracesIn(dump: string): string[] {
  const spelled = dump.replace(/%40/g, '@').replace(/\\u00e9/gi, 'é');
  return TRACES.flatMap((trace) => {
    const found = trace.exec(spelled);
    return found ? [`${trace}: …${spelled.slice(Math.max(0, found.index - 80), found.index + 80)}…`] : [];
  });
}

/** No delivery is under way: what receivers answer later is the matter of another test. */
async function quiet(): Promise<void> {
  await until(
    () =>
      api.deps.stores.sandbox.db.all(
        sql`select 1 from deliveries where claim is not null or due_at < now() + interval '1 minute'`,
      ),
    (rows) => rows.length === 0,
  );
}

interface Life {
  merchant: Merchant;
  key: string;
  customer: string;
  payments: Record<'succeeded' | 'refunded' | 'failed' | 'pending', string>;
  /** Of the hosted page of the one that succeeded. */
  token: string;
}

/** A customer with all that can be kept of one: payments in several states, a refund, failing and echoing webhooks, a vault entry. */
async function live(): Promise<Life> {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  receiver.behave((response, { body }) => response.writeHead(500).end(body), '/echo');
  for (const url of [`${receiver.url}/echo`, `${receiver.url}/fine`]) {
    assert.equal((await api.call('POST', '/webhooks', { key, body: { url } })).status, 201);
  }
  const body = {
    ...pick(PERSON),
    company_name: 'Traoré & Fils',
    tax_id: 'M-SECRET-TAX',
    billing: { name: 'Aminata T.' },
    metadata: {},
  };
  const made = await api.call('POST', '/customers', { key, headers: { 'Idempotency-Key': 'c-1' }, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const customer = made.body.customer.id as string;
  await api.call('PATCH', `/customers/${customer}`, { key, body: { address: PERSON.address } });
  await api.deps.stores.sandbox.db.transaction((tx) =>
    saveMethod(
      tx,
      api.deps.secrets,
      { environment: 'sandbox', at: Date.now() },
      { team_id: merchant.team.id, id: customer },
      {
        type: 'mobile_money',
        channel: 'cm.mtn',
        token: '+237650778899',
        provider_account: null,
        brand: null,
        last4: '8899',
      },
    ),
  );
  const { customer: _, ...fields } = PERSON;
  // Charged on another number than the one the merchant knows, with a key whose answer is kept.
  const headers = { 'Idempotency-Key': 'pay-1' };
  const succeeded = await paid(api, { key, headers, fields, phone: '+237699112233' });
  const refunded = await paid(api, { key, fields: { ...fields, email: 'a.TRAORE@shop-erase.example' } });
  const metadata = { told: 'by A.Traore@shop-erase.example' };
  const refund = await api.call('POST', '/refunds', {
    key,
    headers: { 'Idempotency-Key': 'refund-1' },
    body: { payment: refunded, amount: 1000, reason: 'requested_by_customer', metadata },
  });
  assert.equal(refund.status, 201);
  const failed = await startPayment(api, { key, fields, phone: '650000001' });
  assert.equal(failed.answer.status, 402);
  const pending = await api.call('POST', '/payments', { key, body: { amount: 500, currency: 'XAF', ...fields } });
  await paymentIn(api, refunded, ['partially_refunded'], { key });
  const payments = { succeeded, refunded, failed: failed.id, pending: pending.body.transaction.id };
  await api.deps.stores.sandbox.db.run(sql`
    update attempts set client_ip = '198.51.100.7', message = 'no wallet on 237650778899' where payment_id = ${failed.id}`);
  await receiver.waitFor(30);
  // Those that fail have been tried and tried again, and what they answered is stored.
  await until(
    () =>
      api.deps.stores.sandbox.db.all(sql`select 1 from delivery_attempts where team_id = ${merchant.team.id} and attempt = 3`),
    (rows) => rows.length > 5,
  );
  const token = makeToken(api.deps.secrets, { environment: 'sandbox', team_id: merchant.team.id, payment_id: succeeded });
  return { merchant, key, customer, payments, token };
}

function pick({ name, email, phone }: typeof PERSON) {
  return { name, email, phone };
}

describe('DELETE /customers/{id}', () => {
  let life: Life;
  let kept: string;
  let answer: Awaited<ReturnType<Api['call']>>;
  before(async () => {
    life = await live();
    kept = await paid(api, { key: life.key, fields: { ...other, description: 'Two mangoes' } });
    await quiet();
    const found = tracesIn(await everything());
    assert.equal(found.length, TRACES.length, `all of it is there before: ${found.join('\n')}`);
    answer = await api.call('DELETE', `/customers/${life.customer}`, { key: life.key });
  });

  test('200 with the anonymised record, which GET returns from then on', async () => {
    assert.equal(answer.status, 200);
    const { id, name, archived_at, created_at, updated_at, ...rest } = answer.body.customer;
    assert.equal(id, life.customer);
    assert.match(name, /^Deleted User [0-9A-Za-z]{10}$/);
    assert.equal(archived_at, updated_at);
    assert.ok(created_at < updated_at);
    assert.deepEqual(rest, {
      email: null,
      phone: null,
      company_name: null,
      address: null,
      billing: null,
      tax_id: null,
      metadata: null,
      blocked: false,
      sandbox: true,
    });
    const shown = await api.call('GET', `/customers/${life.customer}`, { key: life.key });
    assert.deepEqual(shown.body.customer, answer.body.customer);
  });

  test('no e-mail, phone, name, address or number remains in any database or in the mail folder', async () => {
    assert.deepEqual(tracesIn(await everything()), []);
  });

  test('the customer disappears from lists and search, with the payment methods and their vault entries', async () => {
    for (const query of ['', '?search=Deleted', `?search=${life.customer}`]) {
      const { body } = await api.call('GET', `/customers${query}`, { key: life.key });
      assert.ok(!body.items.some((item: { id: string }) => item.id === life.customer), query);
    }
    const methods = await api.call('GET', `/customers/${life.customer}/payment_methods`, { key: life.key });
    assert.deepEqual(methods.body.items, []);
    for (const table of ['customer_search', 'payment_methods']) {
      const text = `select 1 from ${table} where customer_id = $1`;
      assert.deepEqual(await api.deps.stores.sandbox.db.all({ text, values: [life.customer] }), []);
    }
  });

  test('transactions, their amounts and states, and non-personal data are kept', async () => {
    const { body } = await api.call('GET', `/customers/${life.customer}/payments`, { key: life.key });
    assert.equal(body.meta.total, 4);
    const { transaction } = (await api.call('GET', `/payments/${life.payments.succeeded}`, { key: life.key })).body;
    const { status, amount, customer, address, shipping, reference, description, metadata, items } = transaction;
    assert.deepEqual(
      { status, amount, customer, address, shipping, reference },
      {
        status: 'succeeded',
        amount: 25_000,
        customer: life.customer,
        address: null,
        shipping: null,
        reference: 'order-[erased]',
      },
    );
    assert.equal(metadata.cart, 'A-7');
    assert.deepEqual([items[0].name, items[0].description], ['Basket', 'for [erased] [erased]']);
    assert.equal(description, 'Basket for [erased], [erased] ([erased])');
    const row = await api.deps.stores.sandbox.db.maybe<{ name: string }>(
      sql`select name from payments where id = ${life.payments.succeeded}`,
    );
    assert.equal(row?.name, answer.body.customer.name);
  });

  test('other customers are not changed', async () => {
    const { transaction } = (await api.call('GET', `/payments/${kept}`, { key: life.key })).body;
    assert.equal(transaction.description, 'Two mangoes');
    const { body } = await api.call('GET', `/customers/${transaction.customer}`, { key: life.key });
    assert.deepEqual([body.customer.name, body.customer.email], [other.name, other.email]);
    const attempts = await api.deps.stores.sandbox.db.all<{ payer: string }>(
      sql`select payer from attempts where payment_id = ${kept}`,
    );
    assert.deepEqual(attempts, [{ payer: '+237650000000' }]);
  });

  test('an event without personal data is emitted, and the requester is recorded', async () => {
    const { body } = await api.call('GET', '/events?type=customer.deleted', { key: life.key });
    assert.deepEqual(
      body.items.map((event: { data: object }) => event.data),
      [answer.body.customer],
    );
    const [trail] = await api.deps.stores.sandbox.db.all<Record<string, unknown>>(
      sql`select key_id, request_id, payments, tax_id_kept, erased_at from erasures where customer_id = ${life.customer}`,
    );
    assert.match(String(trail?.key_id), /^key_/);
    assert.equal(trail?.request_id, answer.headers.get('x-request-id'));
    assert.deepEqual([trail?.payments, trail?.tax_id_kept], [4, false]);
  });

  test('a second DELETE returns the same response and changes nothing', async () => {
    // A slow test may come to the time at which the service repeats the erasure.
    await api.deps.stores.sandbox.db.run(sql`update erasures set revisit_at = null where customer_id = ${life.customer}`);
    await quiet();
    const before = await everything();
    const again = await api.call('DELETE', `/customers/${life.customer}`, { key: life.key });
    assert.deepEqual([again.status, again.body], [200, answer.body]);
    assert.ok(strip(await everything()) === strip(before), 'not one row is another');
  });

  test('404 when changing an erased customer', async () => {
    const path = `/customers/${life.customer}`;
    for (const [method, target] of [
      ['PATCH', path],
      ['PUT', path],
      ['POST', `${path}/block`],
    ] as const) {
      const { status } = await api.call(method, target, { key: life.key, body: { email: 'back@again.example' } });
      assert.equal(status, 404, `${method} ${target}`);
    }
  });

  test('refunds still work by the reference of the provider, and the hosted page by the hash of the number', async () => {
    const body = { payment: life.payments.succeeded, reason: 'requested_by_customer' };
    assert.equal((await api.call('POST', '/refunds', { key: life.key, body })).status, 201);
    await paymentIn(api, life.payments.succeeded, ['refunded'], { key: life.key });
    const hashes = await api.deps.stores.sandbox.db.all<{ payer: string | null; payer_hash: string | null }>(
      sql`select payer, payer_hash from attempts where payment_id = ${life.payments.succeeded}`,
    );
    assert.deepEqual([hashes[0]?.payer, hashes[0]?.payer_hash?.length], [null, 22]);
    const hosted = await openHosted(api.deps, life.token);
    const charged = (typed: string) => wasCharged(api.deps.secrets, hosted?.attempts ?? [], typed);
    assert.deepEqual(['+237699112233', '699 11 22 33', '00237 699112233', '699112234', life.customer].map(charged), [
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test('the same person may return as a new customer', async () => {
    const { body } = await api.call('POST', '/payments', {
      key: life.key,
      body: { amount: 1, currency: 'XAF', email: PERSON.email },
    });
    const { transaction } = (await api.call('GET', `/payments/${body.transaction.id}`, { key: life.key })).body;
    assert.notEqual(transaction.customer, life.customer);
  });
});

/** The rows about customers: sweeps leave their traces in others meanwhile. */
function strip(dump: string): string {
  const lines = dump.split('\n').filter((line) => line.includes('cus_test_'));
  return lines.sort().join('\n');
}

test('what is being written during the erasure is recognised by what the profile had, for five minutes', async () => {
  const key = (await api.newMerchant()).sandbox.secret;
  const fields = { amount: 1, currency: 'XAF', email: 'awa@known.example', name: 'Awa Ngokobi' };
  const { body } = await api.call('POST', '/payments', { key, body: fields });
  const { customer } = (await api.call('GET', `/payments/${body.transaction.id}`, { key })).body.transaction;
  await api.call('DELETE', `/customers/${customer}`, { key });
  const { db } = api.deps.stores.sandbox;
  const sealed = sql`select known_sealed from erasures where customer_id = ${customer}`;
  assert.doesNotMatch((await db.maybe<{ known_sealed: string }>(sealed))?.known_sealed ?? 'Ngokobi', /ngokobi|awa@known/i);
  const clock = new FakeClock();
  const sweep = erasureSweep({ ...api.deps, clock }, api.deps.stores.sandbox);
  for (const ms of [31_000, 300_000]) {
    await db.run(sql`update payments set description = 'for Awa Ngokobi' where id = ${body.transaction.id}`);
    clock.advance(ms);
    while ((await sweep.round()) > 0);
    const row = await db.maybe<{ description: string }>(sql`select description from payments where id = ${body.transaction.id}`);
    assert.equal(row?.description, 'for [erased] [erased]');
  }
  assert.deepEqual(await db.maybe(sealed), { known_sealed: null });
});

test('data written concurrently with the erasure is erased shortly after', async () => {
  const key = (await api.newMerchant()).sandbox.secret;
  const { body } = await api.call('POST', '/payments', { key, body: { amount: 1, currency: 'XAF', email: 'late@race.example' } });
  const { customer } = (await api.call('GET', `/payments/${body.transaction.id}`, { key })).body.transaction;
  const { name } = (await api.call('DELETE', `/customers/${customer}`, { key })).body.customer;
  const { db } = api.deps.stores.sandbox;
  // As a statement that found the customer before the erasure was committed would leave it.
  await db.run(sql`update payments set email = 'late@race.example', name = 'Lately Racing', description = 'for Lately'
    where id = ${body.transaction.id}`);
  const clock = new FakeClock();
  const sweep = erasureSweep({ ...api.deps, clock }, api.deps.stores.sandbox);
  // Those of the other tests may be due by now.
  await db.run(sql`update erasures set revisit_at = null where customer_id <> ${customer}`);
  assert.equal(await sweep.round(), 0);
  clock.advance(31_000);
  assert.ok((await sweep.round()) > 0);
  const row = await db.maybe(sql`select name, email, description from payments where id = ${body.transaction.id}`);
  assert.deepEqual(row, { name, email: null, description: 'for [erased]' });
  assert.equal(await sweep.round(), 0);
  // A charge may end minutes later.
  const answered = sql`update events set body = convert_to(${JSON.stringify({ event: 'payment.failed', data: { address: { line1: 'Here' } } })}, 'UTF8')
    where resource_id = ${body.transaction.id}`;
  await db.run(answered);
  clock.advance(300_000);
  assert.ok((await sweep.round()) > 0);
  const [event] = await db.all<{ body: Buffer }>(sql`select body from events where resource_id = ${body.transaction.id}`);
  assert.equal(JSON.parse(unpack(event?.body as Buffer)).data.address, null);
  assert.equal(await sweep.round(), 0);
});
