import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { PROBLEMS } from '../../src/tenants/api/problems.ts';
import { FakeClock, startApi } from '../setup/api.ts';
import { CUSTOMER, InvoiceFixture, LINES } from './fixture.ts';

const clock = new FakeClock();
const api = await startApi({ clock });
const fixture = await InvoiceFixture.open(api, clock);
after(async () => {
  await fixture.stop();
  await api.stop();
});

const NEW = { items: LINES, currency: 'XAF', customer: CUSTOMER };
const create = (changes: object) => fixture.call('POST', '/invoices', { ...NEW, ...changes });
const mailsWritten = async () => (await api.deps.stores.live.db.all(sql`select 1 from mails`)).length;
const today = () => new Date(clock.now()).toISOString().slice(0, 10);

describe('POST /invoices', () => {
  test('201 with a draft; the customer is matched by e-mail, then by phone, else created', async () => {
    const one = await fixture.draft();
    assert.deepEqual(
      [one.status, one.sandbox, one.recipient, one.locale, one.allow_partial, one.min_amount],
      ['draft', false, CUSTOMER, null, false, null],
    );
    assert.match(one.id, /^inv_[0-9a-z]{26}$/);
    const { customer } = (await fixture.call('GET', `/customers/${one.customer}`)).body;
    assert.deepEqual([customer.name, customer.email, customer.phone], [CUSTOMER.name, CUSTOMER.email, CUSTOMER.phone]);
    assert.deepEqual(await fixture.merchant.events(customer.id), ['customer.created']);
    const same = await fixture.draft({ customer: { email: 'AWA@buyers.example', name: 'Mme Ngo' } });
    assert.deepEqual([same.customer, same.recipient.name, same.recipient.phone], [one.customer, 'Mme Ngo', CUSTOMER.phone]);
    const { customer: _, ...rest } = NEW;
    const named = await fixture.call('POST', '/invoices', { ...rest, customer_id: one.customer });
    assert.deepEqual([named.status, named.body.invoice.recipient], [201, CUSTOMER]);
  });

  test('201 a new customer gets only name, e-mail and phone; other fields of the object are ignored', async () => {
    const others = { company_name: 7, address: 'Rue 1', billing: [], tax_id: 'T'.repeat(500), metadata: '' };
    const named = (email: string) => ({ customer: { ...others, email } });
    const made = await fixture.draft(named('made@buyers.example'));
    const { id } = await fixture.draft();
    const changed = await fixture.call('PATCH', `/invoices/${id}`, named('changed@buyers.example'));
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    for (const found of [made.customer, changed.body.invoice.customer]) {
      const { status, body } = await fixture.call('GET', `/customers/${found}`);
      assert.equal(status, 200);
      for (const field of Object.keys(others)) assert.equal(body.customer[field], null, field);
    }
  });

  test('201 concurrent invoices for a new customer create one customer, in twenty rounds', async () => {
    for (let i = 0; i < 20; i++) {
      const customer = { email: `new${i}@buyers.example`, phone: `+2376702000${10 + i}` };
      const drafts = await Promise.all(Array.from({ length: 8 }, () => fixture.draft({ customer })));
      assert.equal(new Set(drafts.map((draft) => draft.customer)).size, 1);
      assert.deepEqual(await fixture.merchant.events(drafts[0].customer), ['customer.created']);
    }
  });

  test('201 replayed with the same Idempotency-Key, 422 with a different body', async () => {
    const headers = { 'Idempotency-Key': 'invoice-1' };
    const [first, second] = [
      await fixture.call('POST', '/invoices', NEW, headers),
      await fixture.call('POST', '/invoices', NEW, headers),
    ];
    assert.deepEqual([second.status, second.body], [201, first.body]);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    const other = await fixture.call('POST', '/invoices', { ...NEW, currency: 'XOF' }, headers);
    assert.deepEqual([other.status, Object.keys(other.body.errors)], [422, ['idempotency_key']]);
  });

  test('422 names each invalid field by its path', async () => {
    const line = { name: 'x', unit_price: 1 };
    const cases: [object, string[]][] = [
      [{ items: undefined }, ['items']],
      [{ items: [] }, ['items']],
      [{ items: Array(101).fill(line) }, ['items']],
      [{ items: [{ ...line, unit_price: -1 }] }, ['items.0.unit_price']],
      [{ items: [{ ...line, unit_price: 1.001 }] }, ['items.0.unit_price']],
      [{ items: [line, { ...line, quantity: 0 }] }, ['items.1.quantity']],
      [{ items: [{ ...line, quantity: 1.0001 }] }, ['items.0.quantity']],
      [{ items: [{ ...line, quantity: '2' }] }, ['items.0.quantity']],
      [{ items: [{ unit_price: 1 }] }, ['items.0.name']],
      [{ items: [{ ...line, unit_price: 0 }] }, ['items']],
      [{ items: [{ ...line, unit_price: 9_007_199_254_740, quantity: 2 }] }, ['items']],
      [{ allow_partial: true, items: [{ ...line, unit_price: 9_007_199_254_740, quantity: 2 }] }, ['items']],
      [{ allow_partial: true, items: [{ ...line, unit_price: 9_007_199_254_740, quantity: 1_000_000 }] }, ['items']],
      [{ currency: 'BTC' }, ['currency']],
      [{ customer: undefined }, ['customer', 'customer_id']],
      [{ customer: {} }, ['customer.email', 'customer.phone']],
      [{ customer: { phone: 'none' } }, ['customer.phone']],
      [{ customer: { phone: '+00' } }, ['customer.phone']],
      [{ customer: { email: 'nobody' } }, ['customer.email']],
      [{ customer_id: 'cus_1' }, ['customer']],
      [{ due_date: '2020-01-01' }, ['due_date']],
      [{ due_date: '31/01/2099' }, ['due_date']],
      [{ min_amount: 100 }, ['min_amount']],
      [{ allow_partial: true, min_amount: 10_001 }, ['min_amount']],
      [{ allow_partial: true, min_amount: 0.5 }, ['min_amount']],
      [{ allow_partial: true, min_amount: 1.005 }, ['min_amount']],
      [{ locale: 'de' }, ['locale']],
      [{ notes: 'n'.repeat(2001) }, ['notes']],
      [{ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i])) }, ['metadata']],
    ];
    for (const [changes, fields] of cases) {
      const { status, body } = await create(changes);
      assert.deepEqual([status, Object.keys(body.errors ?? {}).sort()], [422, fields], JSON.stringify(changes).slice(0, 120));
    }
  });

  test('201 with a due date of today; null means no due date', async () => {
    assert.equal((await create({ due_date: today() })).status, 201);
    assert.equal((await create({ due_date: null, notes: null, reference: null, locale: null, metadata: null })).status, 201);
  });

  test('404 unknown customer, 422 blocked customer', async () => {
    const { customer: _, ...rest } = NEW;
    const unknown = await fixture.call('POST', '/invoices', { ...rest, customer_id: 'cus_00000000000000000000000000' });
    assert.deepEqual([unknown.status, unknown.body.message], [404, 'Customer Not Found']);
    const { customer } = await fixture.draft({ customer: { email: 'blocked@buyers.example' } });
    await fixture.call('POST', `/customers/${customer}/block`);
    for (const body of [
      { ...rest, customer_id: customer },
      { ...rest, customer: { email: 'blocked@buyers.example' } },
    ]) {
      const blocked = await fixture.call('POST', '/invoices', body);
      assert.deepEqual([blocked.status, blocked.body.error_code], [422, 'customer_blocked']);
    }
  });

  test('422 raw card data in a line', async () => {
    const { status, body } = await create({ items: [{ name: 'card 4242424242424242', unit_price: 1 }] });
    assert.deepEqual([status, body.error_code], [422, 'raw_card_data_not_accepted']);
  });
});

describe('permissions', () => {
  test('403 live_only_feature with a sandbox key, before the body and the id are validated', async () => {
    const { id } = await fixture.draft();
    const key = fixture.merchant.shop.merchant.sandbox.secret;
    for (const [method, path] of [
      ['GET', '/invoices'],
      ['POST', '/invoices'],
      ['GET', `/invoices/${id}`],
      ['PATCH', '/invoices/inv_1'],
      ['DELETE', `/invoices/${id}`],
      ['POST', `/invoices/${id}/send`],
      ['POST', `/invoices/${id}/cancel`],
    ] as const) {
      const { status, body } = await api.call(method, path, { key, ...(method === 'GET' ? {} : { raw: '[' }) });
      assert.deepEqual([status, body.error_code], [403, 'live_only_feature'], `${method} ${path}`);
    }
  });

  test('406 with a public key, 403 without the scope', async () => {
    const { team, live } = fixture.merchant.shop.merchant;
    assert.equal((await api.call('GET', '/invoices', { key: live.public })).status, 406);
    const { key } = await api.newKey(team, 'live', 'restricted', { scopes: ['invoice.read'] });
    assert.equal((await api.call('GET', '/invoices', { key })).status, 200);
    const { status, body } = await api.call('POST', '/invoices', { key, body: NEW });
    assert.deepEqual([status, body.error_code], [403, 'scope_missing']);
  });

  test('404 Invoice Not Found for an invoice of another team, a malformed id and an unknown id, on every operation', async () => {
    const { id } = await fixture.draft();
    const key = (await api.newMerchant({ verification_level: 4 })).live.secret;
    for (const path of [id, 'inv_00000000000000000000000000', 'inv_test_00000000000000000000000000', 'x', "inv_'--"]) {
      for (const [method, tail] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/send'],
        ['POST', '/cancel'],
      ] as const) {
        const { status, body } = await api.call(method, `/invoices/${encodeURIComponent(path)}${tail}`, {
          key,
          ...(method === 'GET' ? {} : { body: {} }),
        });
        assert.deepEqual([status, body.message], [404, 'Invoice Not Found'], `${method} ${path}${tail}`);
      }
    }
    assert.deepEqual((await api.call('GET', '/invoices', { key })).body.items, []);
    assert.equal((await fixture.invoice(id)).status, 'draft');
  });
});

describe('PATCH and DELETE', () => {
  test('200 the given fields change, and the total is updated', async () => {
    const { id, customer } = await fixture.draft({ allow_partial: true, min_amount: 4000, notes: 'n' });
    const patch = async (body: object) => (await fixture.call('PATCH', `/invoices/${id}`, body)).body;
    const items = (await patch({ items: [{ name: 'One', unit_price: 12_000.5 }] })).invoice;
    assert.deepEqual([items.amount, items.notes, items.min_amount], [12_001, 'n', 4000]);
    assert.equal((await patch({ currency: 'EUR' })).invoice.amount, 12_000.5);
    const whole = (await patch({ allow_partial: false, notes: null })).invoice;
    assert.deepEqual([whole.allow_partial, whole.min_amount, whole.notes], [false, null, null]);
    const other = (await patch({ customer: { email: 'other@buyers.example' } })).invoice;
    assert.notEqual(other.customer, customer);
    assert.deepEqual(other.recipient, { name: null, email: 'other@buyers.example', phone: null });
    assert.deepEqual(Object.keys((await patch({ min_amount: 1 })).errors), ['min_amount']);
    assert.deepEqual((await patch({ items: [{ name: 'x', unit_price: 1.005 }] })).errors !== undefined, true);
    const unchanged = await fixture.invoice(id);
    assert.deepEqual([unchanged.amount, unchanged.customer], [12_000.5, other.customer]);
  });

  test('400 after the invoice was sent, except for metadata', async () => {
    const { id } = await fixture.createSent();
    for (const body of [{ notes: 'x' }, { items: LINES }, { metadata: { a: 1 }, due_date: null }]) {
      assert.equal((await fixture.call('PATCH', `/invoices/${id}`, body)).status, 400, JSON.stringify(body));
    }
    const { status, body } = await fixture.call('PATCH', `/invoices/${id}`, { metadata: { a: 1 }, unknown: 7 });
    assert.deepEqual([status, body.invoice.metadata], [200, { a: 1 }]);
    assert.equal((await fixture.call('PATCH', `/invoices/${id}`, { metadata: null })).body.invoice.metadata, null);
  });

  test('200 a draft is deleted and a cancelled event is emitted; 400 for an invoice that was sent', async () => {
    const { id } = await fixture.draft();
    const gone = await fixture.call('DELETE', `/invoices/${id}`);
    assert.deepEqual([gone.status, gone.body.invoice.status], [200, 'cancelled']);
    assert.equal((await fixture.call('GET', `/invoices/${id}`)).status, 404);
    assert.deepEqual(await fixture.merchant.events(id), ['invoice.created', 'invoice.cancelled']);
    const sent = await fixture.createSent();
    assert.equal((await fixture.call('DELETE', `/invoices/${sent.id}`)).status, 400);
    assert.equal((await fixture.invoice(sent.id)).status, 'sent');
  });

  test('200 a draft goes to another customer and back, as often as wanted', async () => {
    const { id } = await fixture.draft();
    for (const name of ['one', 'two', 'one', 'two']) {
      const { status, body } = await fixture.call('PATCH', `/invoices/${id}`, { customer: { email: `${name}@buyers.example` } });
      assert.deepEqual([status, body.invoice?.recipient.email], [200, `${name}@buyers.example`]);
    }
  });
});

describe('POST /invoices/{id}/send', () => {
  test('numbers have no gaps, whatever is drafted, rejected and sent at the same time', async () => {
    const merchant = await api.newMerchant({ verification_level: 1 });
    const key = merchant.live.secret;
    const draft = async (changes: object) => {
      const { status, body } = await api.call('POST', '/invoices', { key, body: { ...NEW, ...changes } });
      assert.equal(status, 201, JSON.stringify(body));
      return body.invoice.id;
    };
    const ids = await Promise.all(Array.from({ length: 8 }, () => draft({})));
    const refused = await draft({ customer: { email: 'refused@numbers.example' } });
    const { customer } = (await api.call('GET', `/invoices/${refused}`, { key })).body.invoice;
    await api.call('POST', `/customers/${customer}/block`, { key });
    await api.call('DELETE', `/invoices/${ids.pop()}`, { key });
    const send = (id: string) => api.call('POST', `/invoices/${id}/send`, { key });
    const answers = await Promise.all([...ids.slice(0, 3), refused, ...ids.slice(3)].map(send));
    assert.equal(answers.filter(({ status }) => status === 422).length, 1);
    const numbers = answers.flatMap(({ body }) => body.invoice?.number ?? []).sort();
    assert.deepEqual(
      numbers,
      Array.from({ length: 7 }, (_, i) => `INV-00000${i + 1}`),
    );
  });

  test('200 for a customer with only a phone number: no mail is sent, the response has the URL of the page', async () => {
    const { id, customer } = await fixture.draft({ customer: { phone: '+237670105555' } });
    const before = await mailsWritten();
    const { status, body } = await fixture.call('POST', `/invoices/${id}/send`);
    assert.deepEqual([status, body.invoice.status, body.invoice.recipient.email], [200, 'sent', null]);
    assert.ok((await fixture.page(body.invoice.url)).text.includes('Pay this invoice'));
    assert.equal(await mailsWritten(), before);
    const again = await fixture.call('POST', `/invoices/${id}/send`);
    assert.deepEqual([again.status, again.body.errors], [422, { customer: ['has no e-mail address'] }]);
    await fixture.call('PATCH', `/customers/${customer}`, { email: 'since@buyers.example' });
    const reminder = await fixture.call('POST', `/invoices/${id}/send`);
    assert.deepEqual([reminder.status, reminder.body.invoice.recipient.email], [200, 'since@buyers.example']);
    await fixture.mails('since@buyers.example', 1);
  });

  test('402 for a team that is not verified: no mail is sent in its name', async () => {
    const key = (await api.newMerchant()).live.secret;
    const { id } = (await api.call('POST', '/invoices', { key, body: { ...NEW, customer: { email: 'never@buyers.example' } } }))
      .body.invoice;
    const { status, body } = await api.call('POST', `/invoices/${id}/send`, { key });
    assert.deepEqual([status, body.error_code], [402, 'merchant_not_verified']);
    assert.deepEqual(await fixture.mails('never@buyers.example', 0), []);
  });

  test('422 blocked customer, 422 past due date, 400 when the total is zero', async () => {
    const blocked = await fixture.draft({ customer: { email: 'later-blocked@buyers.example' } });
    await fixture.call('POST', `/customers/${blocked.customer}/block`);
    assert.equal((await fixture.call('POST', `/invoices/${blocked.id}/send`)).body.error_code, 'customer_blocked');
    const cancelled = await fixture.createSent();
    await fixture.call('POST', `/invoices/${cancelled.id}/cancel`);
    assert.equal((await fixture.call('POST', `/invoices/${cancelled.id}/send`)).status, 400);
    assert.equal((await fixture.createSent({ due_date: '9999-12-31' })).due_date, '9999-12-31');
    const due = await fixture.draft({ due_date: today() });
    clock.advance(86_400_000);
    const { status, body } = await fixture.call('POST', `/invoices/${due.id}/send`);
    assert.deepEqual([status, Object.keys(body.errors)], [422, ['due_date']]);
  });

  test('sending again is a reminder, in both languages when none is set: 429 within a day, one event only', async () => {
    const { id, number, status } = await fixture.createSent({ customer: { email: 'twice@buyers.example' } });
    const early = await fixture.call('POST', `/invoices/${id}/send`);
    assert.deepEqual([early.status, early.headers.get('retry-after')], [429, String(early.body.retry_after)]);
    assert.deepEqual([early.body.type, early.body.retry_after > 86_000], ['endpoint', true]);
    const { when: _, status: code, ...documented } = PROBLEMS.invoice_reminded;
    assert.deepEqual(Object.keys(early.body).sort(), Object.keys({ code, status, ...documented }).sort());
    clock.advance(86_400_000);
    const again = await fixture.call('POST', `/invoices/${id}/send`);
    assert.deepEqual([again.status, again.body.invoice.number, again.body.invoice.status], [200, number, status]);
    const mails = await fixture.mails('twice@buyers.example', 2);
    const subjects = mails.map(({ headers }) => headers.subject).sort();
    assert.deepEqual(subjects, [
      `Facture ${number} de Chez Awa / Invoice ${number} from Chez Awa`,
      `Rappel\u00a0: facture ${number} de Chez Awa / Reminder: invoice ${number} from Chez Awa`,
    ]);
    assert.deepEqual(await fixture.merchant.events(id), ['invoice.created', 'invoice.sent']);
  });

  test('100 invoices a day are mailed to one address, in any spelling; the next is 429 and stays a draft', async () => {
    for (let i = 0; i < 100; i++) await fixture.createSent({ customer: { email: 'flooded@buyers.example' } });
    const { id } = await fixture.draft({ customer: { email: 'Flooded@Buyers.example' } });
    const refused = await fixture.call('POST', `/invoices/${id}/send`);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, String(refused.body.retry_after)]);
    assert.deepEqual([refused.body.type, (await fixture.invoice(id)).status], ['endpoint', 'draft']);
    await fixture.createSent({ customer: { email: 'another@buyers.example' } });
  });

  test('the same Idempotency-Key sends once', async () => {
    const { id } = await fixture.draft({ customer: { email: 'once@buyers.example' } });
    const send = () => fixture.call('POST', `/invoices/${id}/send`, undefined, { 'Idempotency-Key': 'send-1' });
    const answers = await Promise.all([send(), send()]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.equal((await fixture.mails('once@buyers.example', 1)).length, 1);
  });
});

describe('GET /invoices', () => {
  test('filters by status, customer, days and text; pages by number and cursor', async () => {
    const key = (await api.newMerchant({ verification_level: 1 })).live.secret;
    const made: string[] = [];
    for (let i = 0; i < 5; i++) {
      const body = { ...NEW, reference: `order-${i}`, customer: { email: `c${i % 2}@list.example`, name: `Person ${i % 2}` } };
      made.unshift((await api.call('POST', '/invoices', { key, body })).body.invoice.id);
      clock.advance(1);
    }
    const list = async (query: string) => (await api.call('GET', `/invoices${query}`, { key })).body;
    const ids = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id);
    await api.call('POST', `/invoices/${made[0]}/send`, { key });
    const all = await list('');
    assert.deepEqual([ids(all), all.meta.total, all.meta.current_page], [made, 5, 1]);
    assert.deepEqual(ids(await list('?status=sent')), [made[0]]);
    assert.deepEqual(ids(await list(`?customer=${all.items[1].customer}`)), [made[1], made[3]]);
    assert.deepEqual(ids(await list('?search=ORDER-3')), [made[1]]);
    assert.deepEqual(ids(await list('?search=c1@LIST')), [made[1], made[3]]);
    assert.deepEqual(ids(await list('?search=INV-000001')), [made[0]]);
    assert.deepEqual(ids(await list('?search=%25')), []);
    const day = today();
    assert.equal((await list(`?date_from=${day}&date_to=${day}`)).meta.total, 5);
    assert.equal((await list('?date_to=2020-01-01')).meta.total, 0);
    assert.deepEqual(Object.keys((await list('?date_from=2026-01-02&date_to=2026-01-01')).errors), ['date_to']);
    assert.deepEqual(Object.keys((await list('?status=lost')).errors), ['status']);
    assert.deepEqual(ids(await list('?per_page=2&page=2')), made.slice(2, 4));
    const first = await list('?per_page=3&cursor=');
    const second = await list(`?per_page=3&cursor=${first.meta.next_cursor}`);
    assert.deepEqual([...ids(first), ...ids(second)], made);
    assert.deepEqual([first.meta.has_more, second.meta.has_more], [true, false]);
  });
});
