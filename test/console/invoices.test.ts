import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

let api: Api;
let finance: Person;
let base: string;

before(async () => {
  api = await startApi();
  finance = await signedIn(api, 'finance');
  base = `/console/${api.team.id}/live/invoices`;
});
after(() => api.stop());

const GOOD = {
  name: 'Awa Ngo',
  email: 'awa@buyers.example',
  currency: 'XAF',
  line_0_name: 'Mangoes',
  line_0_quantity: '2,5',
  line_0_price: '2 000',
  line_2_name: 'Delivery',
  line_2_price: '5000',
};

const live = (method: string, path: string) => api.call(method, path, { key: api.keys.live.secret });
const invoices = async () => (await live('GET', '/invoices')).body.items as { id: string; amount: number }[];

/** The form in the contents of a page; the frame has others. */
function tokenOf({ text }: Shown): Record<string, string> {
  return formToken(text.slice(text.indexOf('<main')));
}

/** Creates a draft as a person does. @returns the path of its page, without the query */
async function draft(changes: Record<string, string> = {}): Promise<string> {
  const { status, to } = await finance.submit(`${base}/new`, base, { ...GOOD, ...changes });
  assert.equal(status, 303);
  return (to ?? '').replace(/\?.*/, '');
}

test('a form that was shown is one draft, however often it is submitted; empty lines are left out', async () => {
  assert.match((await finance.get(base)).text, /No invoices yet/);
  const token = tokenOf(await finance.get(`${base}/new`));
  const answers = await Promise.all([1, 2, 3].map(() => finance.post(base, { ...token, ...GOOD })));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]));
  assert.equal(new Set(answers.map(({ to }) => to)).size, 1);
  const [only, ...others] = await invoices();
  assert.deepEqual([only?.amount, others], [10_000, []]);
  const { invoice } = (await live('GET', `/invoices/${only?.id}`)).body;
  assert.deepEqual(
    invoice.items.map(({ name, quantity, unit_price }: Record<string, unknown>) => [name, quantity, unit_price]),
    [
      ['Mangoes', 2.5, 2000],
      ['Delivery', 1, 5000],
    ],
  );
  assert.deepEqual(invoice.recipient, { name: 'Awa Ngo', email: 'awa@buyers.example', phone: null });
  const list = (await finance.get(base)).text;
  assert.ok(list.includes(invoice.id) && list.includes('Awa Ngo'));
});

test('another line is added without script, and what was typed is kept; nothing is saved', async () => {
  const before = (await invoices()).length;
  const typed = { ...GOOD, notes: '  Merci <b>', line_2_name: '"><script>alert(1)</script>' };
  const { status, text } = await finance.submit(`${base}/new`, base, { ...typed, do: 'add-line' });
  assert.equal(status, 200);
  assert.ok(text.includes('name="line_2_name"') && text.includes('value="2,5"') && text.includes('Merci &lt;b&gt;'));
  assert.ok(text.includes('&quot;&gt;&lt;script&gt;') && !text.includes('<script>alert'));
  assert.equal((await invoices()).length, before);
});

test('what is rejected is shown beside its field, with all that was typed; nothing is saved', async () => {
  const before = (await invoices()).length;
  const wrong: [Record<string, string>, string][] = [
    [{ line_0_price: '25,000' }, 'line_0_price'],
    [{ line_0_quantity: '1.2345' }, 'line_0_quantity'],
    [{ line_0_quantity: '1,500' }, 'line_0_quantity'],
    [{ line_0_quantity: '1.500' }, 'line_0_quantity'],
    [{ line_0_quantity: '12 500,000' }, 'line_0_quantity'],
    [{ line_0_name: '' }, 'line_0_name'],
    // The line after the empty one is shown as the second, and its error with it.
    [{ line_2_price: 'free' }, 'line_1_price'],
    [{ email: 'awa at buyers' }, 'email'],
    [{ email: '' }, 'phone'],
    [{ currency: 'BTC' }, 'currency'],
    [{ due_date: '2001-01-01' }, 'due_date'],
    [{ due_date: 'soon' }, 'due_date'],
    [{ min_amount: '500' }, 'min_amount'],
    [{ locale: 'xx' }, 'locale'],
  ];
  for (const [changes, field] of wrong) {
    const { status, text } = await finance.submit(`${base}/new`, base, { ...GOOD, ...changes });
    assert.equal(status, 422, JSON.stringify(changes));
    assert.ok(text.includes(`id="f-${field}-error"`), `${JSON.stringify(changes)}: ${field}`);
    assert.ok(text.includes('value="Mangoes"') || changes.line_0_name === '', 'typed values are kept');
  }
  const none = await finance.submit(`${base}/new`, base, { currency: 'XAF', email: 'awa@buyers.example' });
  assert.equal(none.status, 422);
  assert.match(none.text, /class="error"/);
  assert.equal((await invoices()).length, before);
});

test('a draft is changed, sent, reminded once a day, and cancelled; what is not possible says why', async () => {
  await api.control.run({ text: 'update teams set verification_level = 2 where id = $1', values: [api.team.id] });
  const page = await draft({ name: '<img src=x onerror=alert(1)>', notes: '<script>1</script>', email: 'kofi@buyers.example' });
  const id = page.split('/').at(-1);
  const shown = await finance.get(page);
  assert.ok(shown.text.includes('&lt;img src=x') && !shown.text.includes('<img src=x') && !shown.text.includes('<script>1'));
  const edited = await finance.submit(`${page}/edit`, `${page}/edit`, {
    ...GOOD,
    email: 'kofi@buyers.example',
    line_0_price: '4000',
  });
  assert.deepEqual([edited.status, edited.to], [303, `${page}?done=update`]);
  assert.equal((await live('GET', `/invoices/${id}`)).body.invoice.amount, 15_000);

  const token = tokenOf(await finance.get(page));
  const sent = await finance.post(`${page}/send`, token);
  assert.equal(sent.to, `${page}?done=send`);
  const { invoice } = (await live('GET', `/invoices/${id}`)).body;
  assert.deepEqual([invoice.status, invoice.number], ['sent', 'INV-000001']);
  const now = await finance.get(`${page}?done=send`);
  assert.ok(now.text.includes('INV-000001') && now.text.includes(invoice.url) && now.text.includes('data:image/png;base64,'));
  assert.match(now.text, /The invoice was sent/);
  assert.equal((await finance.get(`${page}/edit`)).to, page, 'sent: not changed any more');

  const again = await finance.post(`${page}/send`, tokenOf(now));
  assert.equal(again.status, 429);
  assert.match(again.text, /mailed less than 24 hours ago/);
  assert.equal((await finance.post(`${page}/delete`, token)).status, 400);
  assert.equal((await finance.post(`${page}/cancel`, tokenOf(await finance.get(page)))).to, `${page}?done=cancel`);
  assert.equal((await live('GET', `/invoices/${id}`)).body.invoice.status, 'cancelled');
  assert.ok(!/<main[\s\S]*<form/.test((await finance.get(page)).text), 'of a cancelled one nothing is left to do');
  const entries = await api.deps.stores.live.db.all({
    text: `select action from audit_entries where resource_id = $1 and split_part(actor_id, ':', 1) = $2 order by id`,
    values: [id, finance.id],
  });
  assert.deepEqual(
    entries.map((entry) => (entry as { action: string }).action),
    ['invoice.create', 'invoice.update', 'invoice.send', 'invoice.cancel'],
  );
});

test('a form that is submitted again says what it did: the draft was sent, or a reminder', async () => {
  await api.control.run({ text: 'update teams set verification_level = 2 where id = $1', values: [api.team.id] });
  const page = await draft({ email: 'moussa@buyers.example' });
  const ofDraft = tokenOf(await finance.get(page));
  const both = await Promise.all([finance.post(`${page}/send`, ofDraft), finance.post(`${page}/send`, ofDraft)]);
  for (const { to } of [...both, await finance.post(`${page}/send`, ofDraft)]) assert.equal(to, `${page}?done=send`);
  await api.deps.stores.live.db.run({
    text: `update invoices set mailed_at = mailed_at - interval '2 days' where id = $1`,
    values: [page.split('/').at(-1)],
  });
  const reminder = tokenOf(await finance.get(page));
  for (const form of [reminder, reminder]) assert.equal((await finance.post(`${page}/send`, form)).to, `${page}?done=remind`);
  assert.equal((await finance.post(`${page}/send`, ofDraft)).to, `${page}?done=send`);
});

test('a recipient that stayed as it was keeps the customer, and a draft is deleted', async () => {
  const { body } = await api.call('POST', '/customers', {
    key: api.keys.live.secret,
    body: { name: 'Only Phone', phone: '+237650000123' },
  });
  const made = await api.call('POST', '/invoices', {
    key: api.keys.live.secret,
    body: {
      ...{ currency: 'XAF', customer_id: body.customer.id, metadata: { order: 7 } },
      items: [{ name: 'Seat', description: 'Row 4', unit_price: 100 }],
    },
  });
  const page = `${base}/${made.body.invoice.id}`;
  const form = (await finance.get(`${page}/edit`)).text;
  assert.ok(form.includes('value="Row 4"'));
  const kept = { name: 'Only Phone', phone: '+237650000123', currency: 'XAF', line_0_name: 'Seat', line_0_price: '200' };
  assert.equal((await finance.submit(`${page}/edit`, `${page}/edit`, kept)).status, 303);
  const { invoice } = (await live('GET', `/invoices/${made.body.invoice.id}`)).body;
  assert.deepEqual([invoice.customer, invoice.amount, invoice.metadata], [body.customer.id, 200, { order: 7 }]);
  const gone = await finance.post(`${page}/delete`, tokenOf(await finance.get(page)));
  assert.equal(gone.to, `${base}?done=delete`);
});

test('the sandbox explains that invoices exist in live only', async () => {
  const { status, text } = await finance.get(base.replace('/live/', '/sandbox/'));
  assert.equal(status, 403);
  assert.match(text, /Only in live/);
  assert.ok(text.includes(`href="${base}"`) && text.includes('aria-current="page"'));
  const refused = await finance.post(base.replace('/live/', '/sandbox/'), { ...formToken(text), ...GOOD });
  assert.equal(refused.status, 403);
});

test('who reads only sees no buttons; filters, search and the search of the frame lead to invoices', async () => {
  const page = await draft({ reference: 'order-77' });
  const id = page.split('/').at(-1) ?? '';
  const reader = await signedIn(api, 'read_only');
  const { text } = await reader.get(page);
  assert.ok(!/<main[\s\S]*<form/.test(text) && !text.includes('/edit"'));
  const found = (await reader.get(`${base}?search=order-77`)).text;
  assert.ok(found.includes(id));
  assert.match((await reader.get(`${base}?status=paid`)).text, /No invoice matches/);
  const wrong = await reader.get(`${base}?date_from=yesterday`);
  assert.ok(wrong.status === 200 && wrong.text.includes('id="f-date_from-error"'));
  assert.equal((await reader.get(`/console/${api.team.id}/live/search?q=${id}`)).to, page);
  const other = await signedIn(api, 'owner', (await api.newMerchant()).team);
  assert.equal((await other.get(page)).status, 404);
});
