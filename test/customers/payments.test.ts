import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Secrets } from '../../src/kit/crypto.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Api, type CallOptions, startApi, until } from '../setup/api.ts';

let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

async function pay(fields: object, options: CallOptions = {}): Promise<string> {
  const answer = await api.call('POST', '/payments', { ...options, body: { amount: 1000, currency: 'XAF', ...fields } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.transaction.id;
}

const refused = (fields: object, options: CallOptions = {}) =>
  api.call('POST', '/payments', { ...options, body: { amount: 1000, currency: 'XAF', ...fields } });

async function customerOf(fields: object, options: CallOptions = {}): Promise<string> {
  const id = await pay(fields, options);
  return (await api.call('GET', `/payments/${id}`, options)).body.transaction.customer;
}

async function customers(
  key: string,
): Promise<{ id: string; name: string | null; email: string | null; phone: string | null }[]> {
  return (await api.call('GET', '/customers?per_page=100', { key })).body.items;
}

describe('a payment creates its customer', () => {
  test('201 with name, e-mail and phone of the payment, found by search, with an event, named by payment.created', async () => {
    const key = (await api.newMerchant()).sandbox.secret;
    const id = await pay({ name: 'Awa Ngo', email: 'Awa@Shop.example', phone: '00237650000001' }, { key });
    const [customer, ...others] = await customers(key);
    assert.deepEqual([customer?.name, customer?.email, customer?.phone], ['Awa Ngo', 'Awa@Shop.example', '+237650000001']);
    assert.equal(others.length, 0);
    assert.equal((await api.call('GET', '/customers?search=awa ngo', { key })).body.items.length, 1);
    const { body } = await api.call('GET', '/events', { key });
    const events = Object.fromEntries(body.items.map((event: { event: string; data: object }) => [event.event, event.data]));
    assert.deepEqual(events['customer.created'], customer);
    assert.equal(events['payment.created'].customer, customer?.id);
    assert.equal((await api.call('GET', `/payments/${id}`, { key })).body.transaction.customer, customer?.id);
  });

  test('a payment finds an existing customer by e-mail in any case, then by phone, and does not change it', async () => {
    const key = (await api.newMerchant()).sandbox.secret;
    const first = await customerOf({ email: 'bintou@shop.example', phone: '+237 650 00 00 02' }, { key });
    assert.equal(await customerOf({ customer: { email: 'BINTOU@shop.example', name: 'B' } }, { key }), first);
    assert.equal(await customerOf({ phone: '00237650000002', email: 'other@shop.example' }, { key }), first);
    const second = await customerOf({ phone: '+237650000003' }, { key });
    assert.notEqual(second, first);
    assert.equal(
      await customerOf({ email: 'bintou@shop.example', phone: '+237650000003' }, { key }),
      first,
      'e-mail comes first',
    );
    const [, known] = await customers(key);
    assert.deepEqual([known?.id, known?.name, known?.email], [first, null, 'bintou@shop.example']);
    const { body } = await api.call('GET', `/events?type=payment.created`, { key });
    assert.deepEqual(
      body.items.map((event: { data: { customer: string } }) => event.data.customer),
      [first, second, first, first, first],
    );
  });

  test('teams do not share customers', async () => {
    const [one, other] = [await api.newMerchant(), await api.newMerchant()];
    const email = 'shared@shop.example';
    const ids = [
      await customerOf({ email }, { key: one.sandbox.secret }),
      await customerOf({ email }, { key: other.sandbox.secret }),
    ];
    assert.notEqual(ids[0], ids[1]);
  });

  test('a phone without a digit, or with zeros only, identifies no customer', async () => {
    for (const phone of ['unknown', '+', '+0', '000000']) assert.equal(await customerOf({ phone }), null, phone);
  });
});

describe('concurrent payments', () => {
  test('one payer gets one customer, from any number of batches', async () => {
    const key = (await api.newMerchant()).sandbox.secret;
    const fields = [
      { email: 'rush@shop.example' },
      { phone: '+237650000009', email: 'RUSH@shop.example' },
      { email: 'rush@shop.example', phone: '+237650000009' },
    ];
    const ids = await Promise.all(Array.from({ length: 90 }, (_, i) => customerOf(fields[i % 3] as object, { key })));
    assert.equal(new Set(ids).size, 1);
    const { body } = await api.call('GET', '/events?type=customer.created', { key });
    assert.equal(body.items.length, 1);
  });

  test('two nodes with the same new payers lose no payment and create no duplicate customer', async () => {
    const second = await startNode();
    try {
      const key = (await api.newMerchant()).sandbox.secret;
      const headers = { authorization: key, 'content-type': 'application/json' };
      const send = async (url: string, i: number) => {
        const email = `payer${i % 20}@shop.example`;
        // Half of them come with a number that another half has too, in the other order.
        const phone = `+2376511${String((i * 7) % 20).padStart(5, '0')}`;
        const body = JSON.stringify({ amount: 1000, currency: 'XAF', email, ...(i % 2 ? { phone } : {}) });
        return (await fetch(`${url}/payments`, { method: 'POST', headers, body })).status;
      };
      const statuses = await Promise.all(
        Array.from({ length: 400 }, (_, i) => send(i % 2 ? api.url : second.url, Math.floor(i / 2))),
      );
      assert.deepEqual(new Set(statuses), new Set([201]));
      const emails = (await customers(key)).map(({ email }) => email);
      assert.equal(new Set(emails).size, emails.length);
      const orphans = await api.deps.stores.sandbox.db.all(sql`
        select p.id from payments p left join customers c on c.team_id = p.team_id and c.id = p.customer_id
        where p.email is not null and c.id is null`);
      assert.deepEqual(orphans, []);
    } finally {
      await second.stop();
    }
  });

  test('201 after waiting for another transaction that creates the customer', async () => {
    const { team, sandbox } = await api.newMerchant();
    const { db } = api.deps.stores.sandbox;
    let paying: Promise<string> | undefined;
    await db.transaction(async (tx) => {
      await tx.run(sql`
        insert into customers (team_id, id, email, created_at, updated_at) values (${team.id}, 'cus_test_meanwhile', 'meet@shop.example', now(), now())`);
      paying = customerOf({ email: 'meet@shop.example' }, { key: sandbox.secret });
      await until(
        () =>
          db.all(sql`
          select 1 as waits from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database() limit 1`),
        (waiting) => waiting.length > 0,
      );
    });
    assert.equal(await paying, 'cus_test_meanwhile');
  });

  test('a replay creates no customer, not even after the erasure of the original one', async () => {
    const key = (await api.newMerchant()).sandbox.secret;
    const options = { key, headers: { 'Idempotency-Key': 'once' } };
    const id = await pay({ email: 'once@shop.example' }, options);
    const [customer] = await customers(key);
    await api.call('DELETE', `/customers/${customer?.id}`, { key });
    assert.equal(await pay({ email: 'once@shop.example' }, options), id);
    assert.deepEqual(await customers(key), []);
  });
});

describe('customer_id', () => {
  test('201 pays as that customer, whatever e-mail is submitted', async () => {
    const { body } = await api.call('POST', '/customers', { body: { email: 'named@shop.example' } });
    const { id } = body.customer;
    assert.equal(await customerOf({ customer_id: id, email: 'someone.else@shop.example' }), id);
    const found = await api.call('GET', '/customers?search=someone.else', {});
    assert.deepEqual(found.body.items, []);
  });

  test('404 Customer Not Found for an unknown, another team’s and an erased one', async () => {
    const { body } = await api.call('POST', '/customers', { body: { email: 'gone@shop.example' } });
    const { id } = body.customer;
    const other = await api.newMerchant();
    const answers = [
      await refused({ customer_id: 'cus_test_unknown' }),
      await refused({ customer_id: id }, { key: other.sandbox.secret }),
    ];
    await api.call('DELETE', `/customers/${id}`);
    answers.push(await refused({ customer_id: id }));
    for (const { status, body } of answers) assert.deepEqual([status, body.message], [404, 'Customer Not Found']);
  });
});

describe('a blocked customer', () => {
  test('422 customer_blocked under customer, by id, e-mail and phone, until unblocked; the key is released', async () => {
    const { body } = await api.call('POST', '/customers', { body: { email: 'blocked@shop.example', phone: '+237650000077' } });
    const { id } = body.customer;
    // Whether or not this process has seen the customer pay.
    for (const fields of [{ email: 'blocked@shop.example' }, { email: 'blocked@shop.example' }]) await pay(fields);
    const blocked = await api.call('POST', `/customers/${id}/block`);
    assert.deepEqual([blocked.status, blocked.body.customer.blocked], [200, true]);
    const options = { headers: { 'Idempotency-Key': 'blocked-1' } };
    for (const fields of [{ customer_id: id }, { email: 'Blocked@shop.example' }, { phone: '+237650000077' }]) {
      const { status, body } = await refused(fields, options);
      assert.deepEqual([status, body.error_code, body.errors], [422, 'customer_blocked', { customer: ['is blocked'] }]);
    }
    assert.equal((await api.call('POST', `/customers/${id}/unblock`)).body.customer.blocked, false);
    assert.equal(await customerOf({ email: 'blocked@shop.example' }, options), id);
  });

  test('a blocked customer rejects no other payment of the same batch', async () => {
    const { body } = await api.call('POST', '/customers', { body: { email: 'blocked2@shop.example' } });
    await api.call('POST', `/customers/${body.customer.id}/block`);
    const statuses = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        refused({ email: i % 3 === 0 ? 'blocked2@shop.example' : `free${i}@shop.example` }).then(({ status }) => status),
      ),
    );
    assert.deepEqual(
      statuses,
      Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? 422 : 201)),
    );
  });

  test('an earlier payment is still returned to the same key', async () => {
    const options = { headers: { 'Idempotency-Key': 'before-block' } };
    const id = await pay({ email: 'later.blocked@shop.example' }, options);
    const { body } = await api.call('GET', '/customers?search=later.blocked');
    await api.call('POST', `/customers/${body.items[0].id}/block`);
    assert.equal(await pay({ email: 'later.blocked@shop.example' }, options), id);
  });
});

test('GET /customers/{id}/payments lists only payments of the customer, with paging and filters', async () => {
  const key = (await api.newMerchant()).sandbox.secret;
  const ids = [];
  for (let i = 0; i < 3; i++) ids.unshift(await pay({ email: 'list@shop.example', amount: 1000 + i }, { key }));
  await pay({ email: 'someone@shop.example' }, { key });
  const { body } = await api.call('GET', '/customers?search=list@', { key });
  const path = `/customers/${body.items[0].id}/payments`;
  const list = async (query: string) => (await api.call('GET', `${path}${query}`, { key })).body;
  const idsOf = (answer: { items: { id: string }[] }) => answer.items.map(({ id }) => id);
  const first = await list('?per_page=2');
  assert.deepEqual([idsOf(first), first.meta.total], [ids.slice(0, 2), 3]);
  assert.deepEqual(idsOf(await list(`?cursor=${first.meta.next_cursor}`)), ids.slice(2));
  assert.deepEqual(idsOf(await list('?amount_min=1002')), ids.slice(0, 1));
});

/** A second process's worth of the service on the same databases. */
async function startNode() {
  const { buildApi } = await import('../../src/program/program.ts');
  const { buildDeps } = await import('../../src/program/deps.ts');
  const { openStores } = await import('../../src/platform/db/stores.ts');
  const { freePort } = await import('../setup/api.ts');
  const { config, log, clock } = api.deps;
  const stores = openStores(api.databases, 4, log);
  const port = await freePort();
  const deps = buildDeps({ config: { ...config, port }, stores, log, clock, secrets: new Secrets(Buffer.alloc(32, 7)) });
  const server = buildApi(deps, []);
  await server.listen({ host: config.host, port });
  return {
    url: `http://${config.host}:${port}`,
    stop: async () => {
      await server.close();
      await stores.close();
    },
  };
}
