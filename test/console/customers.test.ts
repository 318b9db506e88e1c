import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { formToken, type Person, signedIn } from './people.ts';

let api: Api;
let support: Person;
let base: string;

before(async () => {
  api = await startApi();
  support = await signedIn(api, 'support');
  base = `/console/${api.team.id}/sandbox/customers`;
});
after(() => api.stop());

let made = 0;
async function newCustomer(changes: object = {}): Promise<{ id: string; email: string }> {
  made += 1;
  const body = { name: `Ama ${made}`, email: `Ama${made}@shop.example`, phone: `+23765000010${made}`, ...changes };
  const answer = await api.call('POST', '/customers', { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.customer;
}

test('the list is searched, and shows who is blocked', async () => {
  assert.match((await support.get(base)).text, /No customers yet/);
  const free = await newCustomer({ name: '<img src=x onerror=alert(1)>' });
  const blocked = await newCustomer({ name: 'Blocked Kofi' });
  await api.call('POST', `/customers/${blocked.id}/block`);
  const all = (await support.get(base)).text;
  assert.ok(all.includes(free.id) && all.includes(blocked.id) && all.includes('&lt;img src=x') && !all.includes('<img'));
  const found = (await support.get(`${base}?search=kofi`)).text;
  assert.ok(!found.includes(free.id) && found.includes(blocked.id));
  const only = (await support.get(`${base}?blocked=false`)).text;
  assert.ok(only.includes(free.id) && !only.includes(blocked.id));
  assert.match((await support.get(`${base}?search=nobody`)).text, /No customer matches/);
});

test('one customer is shown with payments, and is blocked and unblocked', async () => {
  const { id } = await newCustomer();
  const payment = await paid(api, { fields: { customer_id: id, reference: 'first' } });
  const page = `${base}/${id}`;
  const { status, text } = await support.get(page);
  assert.equal(status, 200);
  assert.ok(text.includes(payment) && text.includes('first'));
  const form = contentsToken(text);
  assert.deepEqual((await support.post(`${page}/block`, form)).to, `${page}?done=block`);
  const refused = await api.call('POST', '/payments', { body: { amount: 100, currency: 'XAF', customer_id: id } });
  assert.equal(refused.body.error_code, 'customer_blocked');
  const shown = (await support.get(`${page}?done=block`)).text;
  assert.match(shown, /The customer is blocked/);
  assert.deepEqual((await support.post(`${page}/unblock`, contentsToken(shown))).to, `${page}?done=unblock`);
  const accepted = await api.call('POST', '/payments', { body: { amount: 100, currency: 'XAF', customer_id: id } });
  assert.equal(accepted.status, 201);
  assert.doesNotMatch((await support.get(`${page}?done=constructor`)).text, /native code/);
});

test('an erasure needs the id or the e-mail address typed, and nothing of an erased person is shown', async () => {
  for (const typed of ['id', 'email'] as const) {
    const customer = await newCustomer({ name: 'Secret Name', metadata: { note: 'secret note' } });
    const payment = await paid(api, { fields: { customer_id: customer.id, name: 'Secret Name', reference: 'kept-reference' } });
    const page = `${base}/${customer.id}`;
    for (const wrong of ['', 'yes', customer.id.slice(0, -1)]) {
      const refused = await support.submit(`${page}/erase`, `${page}/erase`, { confirm: wrong });
      assert.equal(refused.status, 422, wrong);
      assert.match(refused.text, /id="f-confirm-error"/);
    }
    assert.equal((await api.call('GET', `/customers/${customer.id}`)).body.customer.archived_at, null);
    const confirm = typed === 'email' ? customer.email.toUpperCase() : customer.id;
    const done = await support.submit(`${page}/erase`, `${page}/erase`, { confirm });
    assert.deepEqual([done.status, done.to], [303, `${page}?done=erase`]);
    for (const path of [page, base, `/console/${api.team.id}/sandbox/payments/${payment}`]) {
      const { text } = await support.get(path);
      for (const secret of ['Secret Name', customer.email, 'secret note'])
        assert.ok(!text.includes(secret), `${secret} on ${path}`);
    }
    const { text } = await support.get(page);
    assert.match(text, /Erased customer/);
    assert.ok(text.includes(payment) && !text.includes('/erase"') && !text.includes('/block"'));
    assert.equal((await support.get(`${page}/erase`)).to, page, 'once is enough');
  }
});

test('who reads only sees no buttons, and changes nothing', async () => {
  const customer = await newCustomer();
  const reader = await signedIn(api, 'read_only');
  const page = `${base}/${customer.id}`;
  const { text } = await reader.get(page);
  assert.ok(!/<main[\s\S]*<form/.test(text) && !text.includes('/erase"'));
  const token = formToken(text);
  for (const action of ['block', 'unblock', 'erase', 'payment_methods/pm_1/delete']) {
    assert.equal((await reader.post(`${page}/${action}`, { ...token, confirm: customer.id })).status, 403, action);
  }
  const { body } = await api.call('GET', `/customers/${customer.id}`);
  assert.deepEqual([body.customer.blocked, body.customer.archived_at], [false, null]);
});

test("404 for another team's customer", async () => {
  const { sandbox } = await api.newMerchant();
  const { body } = await api.call('POST', '/customers', {
    key: sandbox.secret,
    body: { name: 'Foreign', email: 'f@shop.example' },
  });
  const foreign = `${base}/${body.customer.id}`;
  assert.equal((await support.get(foreign)).status, 404);
  const token = formToken((await support.get(base)).text);
  for (const action of ['block', 'erase']) {
    assert.equal((await support.post(`${foreign}/${action}`, { ...token, confirm: body.customer.id })).status, 404, action);
  }
});

/** The token of the form in the contents; the frame has others. */
function contentsToken(page: string): Record<string, string> {
  return formToken(page.slice(page.indexOf('<main')));
}
