import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Api, type CallOptions, startApi } from '../setup/api.ts';
import { sql } from '../../src/kit/sql.ts';
import { saveMethod, vaultPlace } from '../../src/core/customers/methods.ts';
import { createCustomer } from '../../src/core/customers/service.ts';
import { untilLocked } from '../setup/locks.ts';

let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

let made = 0;
/** Nobody else's. */
const fresh = () => ({ email: `awa.${++made}@shop.example`, phone: `+2376501${String(made).padStart(5, '0')}` });

async function create(fields: object = {}, options: CallOptions = {}) {
  const answer = await api.call('POST', '/customers', { ...options, body: { ...fresh(), ...fields } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.customer;
}

const eventsOf = async (type: string, id: string) => {
  const { body } = await api.call('GET', `/events?type=${type}&per_page=100`);
  return body.items.filter((event: { data: { id: string } }) => event.data.id === id);
};

describe('POST /customers', () => {
  test('201 with every field, and customer.created has the same data as GET', async () => {
    const body = {
      name: 'Awa Ngo',
      email: 'Awa.Ngo@Shop.example',
      phone: '00237 6 99-12 (34) 56',
      company_name: 'Chez Awa SARL',
      address: { line1: 'Rue 12', city: 'Douala' },
      billing: { name: 'Chez Awa', city: 'Douala' },
      tax_id: 'M0123',
      metadata: { tier: 'gold' },
    };
    const { status, body: answer } = await api.call('POST', '/customers', { body });
    assert.equal(status, 201);
    const { id, created_at, updated_at, ...rest } = answer.customer;
    assert.match(id, /^cus_test_[0-9a-z]{26}$/);
    assert.equal(created_at, updated_at);
    assert.deepEqual(rest, { ...body, phone: '+237699123456', blocked: false, sandbox: true, archived_at: null });
    const { body: shown } = await api.call('GET', `/customers/${id}`);
    assert.deepEqual(shown.customer, answer.customer);
    assert.deepEqual(
      (await eventsOf('customer.created', id)).map((event: { data: object }) => event.data),
      [answer.customer],
    );
  });

  test('422 without e-mail and phone, reported under both', async () => {
    const { status, body } = await api.call('POST', '/customers', { body: { name: 'Awa' } });
    assert.equal(status, 422);
    assert.deepEqual(Object.keys(body.errors), ['email', 'phone']);
  });

  test('422 for all failing fields at once', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i]));
    const wrong = await api.call('POST', '/customers', { body: { email: 'nobody', phone: 7, address: 'Rue 12' } });
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors).sort()], [422, ['address', 'email', 'phone']]);
    const later = await api.call('POST', '/customers', { body: { phone: '---', metadata } });
    assert.deepEqual([later.status, Object.keys(later.body.errors).sort()], [422, ['metadata', 'phone']]);
    for (const phone of ['+', '+0', '000000']) {
      const { status, body } = await api.call('POST', '/customers', { body: { phone, email: 'zeros@shop.example' } });
      assert.deepEqual([status, Object.keys(body.errors)], [422, ['phone']], phone);
    }
    const large = { a: 'x'.repeat(17_000) };
    const { body } = await api.call('POST', '/customers', { body: { phone: '---', address: large, billing: large } });
    assert.deepEqual(Object.keys(body.errors).sort(), ['address', 'billing', 'phone']);
  });

  test('422 when the address or number belongs to another customer, in any spelling', async () => {
    const { id, email, phone } = await create();
    const again = await api.call('POST', '/customers', { body: { email: email.toUpperCase(), phone: phone.replace('+', '00') } });
    assert.equal(again.status, 422);
    assert.deepEqual(again.body.errors, { email: [`belongs to customer ${id}`], phone: [`belongs to customer ${id}`] });
  });

  test('one customer and one 422 for two concurrent requests', async () => {
    const body = fresh();
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.call('POST', '/customers', { body })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422, 422, 422]);
    const message = `belongs to customer ${answers.find(({ status }) => status === 201)?.body.customer.id}`;
    for (const { body } of answers.filter(({ status }) => status === 422)) {
      assert.deepEqual(body.errors, { email: [message], phone: [message] });
    }
  });

  test('422 names the customer that another request is creating at this moment, also in a change', async () => {
    const { db } = api.deps.stores.sandbox.of(api.team.id);
    const taken = fresh();
    const other = await create();
    const send = () => [
      api.call('POST', '/customers', { body: { email: taken.email } }),
      api.call('PATCH', `/customers/${other.id}`, { body: { phone: taken.phone } }),
    ];
    const { id, sent } = await db.transaction(async (tx) => {
      const made = await createCustomer(tx, { environment: 'sandbox', at: Date.now() }, api.team.id, taken);
      const requests = send();
      await untilLocked(api.databases.sandbox, 'customers', requests.length);
      return { id: made.id, sent: requests };
    });
    const answers = await Promise.all(sent);
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.errors]),
      [
        [422, { email: [`belongs to customer ${id}`] }],
        [422, { phone: [`belongs to customer ${id}`] }],
      ],
    );
  });

  test('201 replayed with the same Idempotency-Key, 422 with another payload', async () => {
    const headers = { 'Idempotency-Key': 'customer-1' };
    const body = fresh();
    const first = await api.call('POST', '/customers', { headers, body });
    const again = await api.call('POST', '/customers', { headers, body });
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
    assert.deepEqual(again.body, first.body);
    assert.equal((await api.call('POST', '/customers', { headers, body: fresh() })).status, 422);
  });

  test('another team may have a customer with the same address', async () => {
    const { email } = await create();
    const other = await api.newMerchant();
    assert.equal((await api.call('POST', '/customers', { key: other.sandbox.secret, body: { email } })).status, 201);
  });
});

describe('GET /customers', () => {
  test('pages by number and by cursor, newest first', async () => {
    const { sandbox } = await api.newMerchant();
    const key = sandbox.secret;
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await create({}, { key })).id);
    const first = await api.call('GET', '/customers?per_page=2', { key });
    assert.deepEqual(
      first.body.items.map((item: { id: string }) => item.id),
      ids.slice(0, 2),
    );
    const { next_cursor, ...meta } = first.body.meta;
    assert.deepEqual(meta, { current_page: 1, last_page: 3, per_page: 2, total: 5 });
    const next = await api.call('GET', `/customers?per_page=2&cursor=${next_cursor}`, { key });
    assert.deepEqual(
      next.body.items.map((item: { id: string }) => item.id),
      ids.slice(2, 4),
    );
    assert.equal((await api.call('GET', `/customers?cursor=${next_cursor}`)).status, 422, "another team's cursor");
  });

  test('search matches parts of names, addresses and numbers, ignores accents, and returns nothing of another team', async () => {
    const { sandbox } = await api.newMerchant();
    const key = sandbox.secret;
    const { id } = await create({ name: 'Aïcha Bâ', email: 'aicha@dakar.example', phone: '+221771234567' }, { key });
    await create({ name: 'Someone Else' }, { key });
    await create({ name: 'Aïcha Bâ' });
    for (const search of ['aicha', 'AÏCHA', 'ïch', 'dakar.ex', '77123', '+221 77 123', '00221', 'a ba', id]) {
      const { body } = await api.call('GET', `/customers?search=${encodeURIComponent(search)}`, { key });
      assert.deepEqual(
        body.items.map((item: { id: string }) => item.id),
        [id],
        search,
      );
      assert.equal(body.meta.total, 1);
    }
    const none = await api.call('GET', '/customers?search=100%25', { key });
    assert.deepEqual(none.body.items, []);
  });

  test('search reflects a change', async () => {
    const { id } = await create({ name: 'Before' });
    await api.call('PATCH', `/customers/${id}`, { body: { name: 'Zuleikha' } });
    const found = async (search: string) => (await api.call('GET', `/customers?search=${search}`)).body.items.length;
    assert.deepEqual([await found('zuleikha'), await found('before')], [1, 0]);
  });

  test('blocked=true lists blocked customers only', async () => {
    const { sandbox } = await api.newMerchant();
    const key = sandbox.secret;
    const { id } = await create({}, { key });
    const other = await create({}, { key });
    await api.call('POST', `/customers/${id}/block`, { key });
    const ids = async (blocked: boolean) =>
      (await api.call('GET', `/customers?blocked=${blocked}`, { key })).body.items.map((item: { id: string }) => item.id);
    assert.deepEqual([await ids(true), await ids(false)], [[id], [other.id]]);
  });
});

describe('changing a customer', () => {
  test('PATCH keeps omitted fields and accepts null; PUT clears them; each emits an event', async () => {
    const before = await create({ name: 'Awa', metadata: { a: 1 }, tax_id: 'T1' });
    const patched = await api.call('PATCH', `/customers/${before.id}`, { body: { phone: null, tax_id: 'T2' } });
    assert.deepEqual([patched.status, patched.body.customer.phone, patched.body.customer.tax_id], [200, null, 'T2']);
    assert.deepEqual([patched.body.customer.name, patched.body.customer.email], ['Awa', before.email]);
    const put = await api.call('PUT', `/customers/${before.id}`, { body: { email: before.email } });
    const { name, metadata, tax_id, email } = put.body.customer;
    assert.deepEqual({ name, metadata, tax_id, email }, { name: null, metadata: null, tax_id: null, email: before.email });
    assert.equal((await eventsOf('customer.updated', before.id)).length, 2);
  });

  test('422 for the address of another customer, and when neither address nor number would remain', async () => {
    const [one, other] = [await create(), await create()];
    const taken = await api.call('PATCH', `/customers/${one.id}`, { body: { email: other.email } });
    assert.deepEqual([taken.status, taken.body.errors], [422, { email: [`belongs to customer ${other.id}`] }]);
    const nothing = await api.call('PATCH', `/customers/${one.id}`, { body: { email: null, phone: null } });
    assert.deepEqual([nothing.status, Object.keys(nothing.body.errors)], [422, ['email', 'phone']]);
  });

  test('404 Customer Not Found for an unknown id, another team and another environment', async () => {
    const { id } = await create();
    const other = await api.newMerchant();
    const calls: [string, string, CallOptions][] = [
      ['GET', `/customers/${id}x`, {}],
      ['GET', `/customers/${id}`, { key: other.sandbox.secret }],
      ['GET', `/customers/${id}`, { key: api.keys.live.secret }],
      ['PATCH', `/customers/${id}`, { key: other.sandbox.secret, body: {} }],
      ['PUT', `/customers/${id}`, { key: other.sandbox.secret, body: { email: 'a@b.example' } }],
      ['DELETE', `/customers/${id}`, { key: other.sandbox.secret }],
      ['POST', `/customers/${id}/block`, { key: other.sandbox.secret }],
      ['GET', `/customers/${id}/payments`, { key: other.sandbox.secret }],
      ['GET', `/customers/${id}/payment_methods`, { key: other.sandbox.secret }],
    ];
    for (const [method, path, options] of calls) {
      const { status, body } = await api.call(method, path, options);
      assert.deepEqual([status, body.message], [404, 'Customer Not Found'], `${method} ${path}`);
    }
  });
});

describe('keys', () => {
  test('406 for a public key, 403 for a restricted key without the scope', async () => {
    const open = await api.call('GET', '/customers', { key: api.keys.sandbox.public });
    assert.deepEqual([open.status, open.body.message], [406, 'Private Key Required']);
    const { key } = await api.newKey(api.team, 'sandbox', 'restricted', { scopes: ['customer.read'] });
    assert.equal((await api.call('GET', '/customers', { key })).status, 200);
    assert.equal((await api.call('POST', '/customers', { key, body: fresh() })).status, 403);
    const { id } = await create();
    assert.equal((await api.call('GET', `/customers/${id}/payment_methods`, { key })).status, 403);
    assert.equal((await api.call('GET', `/customers/${id}/payments`, { key })).status, 403);
  });
});

describe('payment methods', () => {
  const save = async (customer_id: string, token: string) => {
    const { stores, secrets } = api.deps;
    const context = { environment: 'sandbox' as const, at: Date.now() };
    const means = {
      type: 'mobile_money' as const,
      channel: 'cm.mtn',
      provider_account: null,
      brand: null,
      last4: token.slice(-4),
    };
    return stores.sandbox.db.transaction((tx) =>
      saveMethod(tx, secrets, context, { team_id: api.team.id, id: customer_id }, { ...means, token }),
    );
  };

  test('the same number is saved once, encrypted, and shown by its last four digits', async () => {
    const { id } = await create();
    const [one, again] = [await save(id, '+237650111222'), await save(id, '+237650111222')];
    assert.equal(one.id, again.id);
    const { body } = await api.call('GET', `/customers/${id}/payment_methods`);
    const { created_at: _, last_used_at: __, ...shown } = body.items[0];
    assert.deepEqual(shown, {
      id: one.id,
      customer: id,
      type: 'mobile_money',
      channel: 'cm.mtn',
      brand: null,
      last4: '1222',
      sandbox: true,
    });
    assert.equal(body.meta.total, 1);
    const { token_sealed } = (await api.deps.stores.sandbox.db.maybe<{ token_sealed: string }>(
      sql`select token_sealed from payment_methods where id = ${one.id}`,
    )) as { token_sealed: string };
    assert.equal(api.deps.secrets.open(token_sealed, vaultPlace(api.team.id, one.id)), '+237650111222');
  });

  test('200 deleting one, then 404 Resource Not Found; another customer’s is not found', async () => {
    const [mine, other] = [await create(), await create()];
    const { id } = await save(mine.id, '+237650333444');
    assert.equal((await api.call('DELETE', `/customers/${other.id}/payment_methods/${id}`)).status, 404);
    const { status, body } = await api.call('DELETE', `/customers/${mine.id}/payment_methods/${id}`);
    assert.deepEqual([status, body.payment_method.id], [200, id]);
    const again = await api.call('DELETE', `/customers/${mine.id}/payment_methods/${id}`);
    assert.deepEqual([again.status, again.body.message], [404, 'Resource Not Found']);
  });
});
