import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { readConfig } from '../../src/platform/config/config.ts';
import { sql } from '../../src/kit/sql.ts';
import type { OutgoingMail } from '../../src/edge/mail/outgoing.ts';
import { mailSweep } from '../../src/edge/mail/sweeps.ts';
import { Payer } from '../checkout/payer.ts';
import { newLink, payBy } from '../links/browser.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';

/** By the payer's number: taken at once, refused, or under way. */
const provider: TestProvider = {
  name: 'prompt',
  collects: () => true,
  submit: async ({ payer, amount_minor, currency }) =>
    payer?.endsWith('1')
      ? { kind: 'refused', reason: 'insufficient_funds', message: 'no' }
      : { kind: 'succeeded', provider_ref: 'p', amount_minor, currency },
  read: async () => ({ kind: 'pending', poll_after_ms: 3_600_000 }),
};

let api: Api;
let key: string;
let publicKey: string;
before(async () => {
  api = await startApi({ workers: false, providers: new Registry({ sandbox: [provider], live: [provider] }) });
  ({ secret: key, public: publicKey } = (await api.newMerchant({ verification_level: 4 })).live);
});
after(() => api.stop());

const live = () => api.deps.stores.live;
beforeEach(() => live().db.run(sql`delete from mails`));

async function pay(fields: object, phone = '650000000', by = key): Promise<{ id: string; url: string }> {
  const made = await api.call('POST', '/payments', {
    key: by,
    body: { amount: 25_000, currency: 'XAF', reference: 'ORDER-1042', ...fields },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body.transaction;
  await charge(id, phone, by);
  return { id, url: made.body.authorization_url };
}

function charge(id: string, phone = '650000000', by = key) {
  return api.call('POST', `/payments/${id}`, { key: by, body: { channel: 'cm.mtn', data: { phone } } });
}

/** Charges the payment to whose page a link or an invoice led. */
async function chargeOf({ headers }: { headers: Headers }): Promise<void> {
  const token = /\/pay\/([^.?]+)/.exec(headers.get('location') ?? '') ?? assert.fail('it leads to no payment');
  const { body } = await charge(`trx_${token[1]}`);
  assert.equal(body.transaction?.status, 'succeeded', JSON.stringify(body));
}

const written = () =>
  live().db.all<{ kind: string; recipient: string }>(sql`select kind, recipient from mails order by created_at`);

async function sent(deps = api.deps): Promise<OutgoingMail[]> {
  const mails: OutgoingMail[] = [];
  const mailer = { send: async (mail: OutgoingMail) => ({ kind: 'sent' as const, _: mails.push(mail) }) };
  await mailSweep(deps, live(), mailer).round();
  return mails;
}

const flat = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

test('a successful live payment mails its receipt to the payer, once, with the name of the merchant', async () => {
  const { id, url } = await pay({ email: 'awa@buyers.example', bearer: 'customer', theming: { locale: 'fr-CM' } });
  assert.deepEqual(await written(), [{ kind: 'receipt', recipient: 'awa@buyers.example' }]);
  const [mail, ...others] = await sent();
  assert.deepEqual(others, []);
  assert.ok(mail);
  assert.deepEqual([mail.to, mail.from_name, mail.subject], ['awa@buyers.example', 'Chez Awa', 'Votre reçu de Chez Awa']);
  const text = flat(mail.text);
  assert.match(text, /Vous avez payé 25 500 FCFA à Chez Awa\./);
  assert.match(text, /Date : .* \(UTC\+1\)\nRéférence : ORDER-1042\nTransaction : trx_/);
  assert.ok(text.includes(id) && text.includes(`\n${url}/receipt\n`));
  assert.doesNotMatch(text, /650000000|English/);
  const page = await new Payer(url).get('/receipt');
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.body, /••••|awa@buyers/);
  assert.deepEqual(await sent(), []);
});

test('a receipt is in both languages when the payment has none', async () => {
  await pay({ email: 'kofi@buyers.example' });
  const [mail] = await sent();
  assert.equal(mail?.subject, 'Votre reçu de Chez Awa / Your receipt from Chez Awa');
  assert.match(flat(mail?.text ?? ''), /^\(English below\)[\s\S]*25 000 FCFA[\s\S]*You paid FCFA 25,000 to Chez Awa\./);
});

test('text of the merchant stays on one line', async () => {
  await pay({ email: 'ama@buyers.example', reference: 'A\nTransaction: trx_other\u202e\u2028B', theming: { locale: 'en' } });
  const [mail] = await sent();
  assert.match(mail?.text ?? '', /\nReference: A Transaction: trx_other B\n/);
});

test('the address of the customer is used when the payment has none', async () => {
  const { body } = await api.call('POST', '/customers', { key, body: { name: 'Yao', email: 'yao@buyers.example' } });
  await pay({ customer_id: body.customer.id });
  assert.deepEqual(await written(), [{ kind: 'receipt', recipient: 'yao@buyers.example' }]);
});

test('a number that is typed into a public page brings its owner no receipt', async () => {
  const phone = '+237650000055';
  const { body } = await api.call('POST', '/customers', { key, body: { name: 'Yao', email: 'owner@buyers.example', phone } });
  const recipients = async () => (await sent()).map(({ to }) => to);
  const byKey = await pay({ phone }, '650000000', publicKey);
  await chargeOf(await payBy((await newLink(api, key)).url, { phone }));
  const payments = await live().db.all(sql`select id from payments where customer_id = ${body.customer.id}`);
  assert.deepEqual([payments.length, (await written()).length], [2, 2], `${byKey.id} and the one of the link name the owner`);
  assert.deepEqual([await recipients(), await written()], [[], []]);
  await pay({ phone, email: 'typed@buyers.example' }, '650000000', publicKey);
  assert.deepEqual(await recipients(), ['typed@buyers.example']);
  await pay({ phone });
  assert.deepEqual(await recipients(), ['owner@buyers.example']);
});

test('the payer of an invoice gets the receipt at the address of the customer', async () => {
  const items = [{ name: 'Mangoes', unit_price: 10_000 }];
  const wanted = { items, currency: 'XAF', customer: { phone: '+237650000066' } };
  const { id, customer } = (await api.call('POST', '/invoices', { key, body: wanted })).body.invoice;
  const { url } = (await api.call('POST', `/invoices/${id}/send`, { key })).body.invoice;
  await api.call('PATCH', `/customers/${customer}`, { key, body: { email: 'since@buyers.example' } });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await chargeOf(await fetch(url, { method: 'POST', redirect: 'manual', headers, body: '' }));
  assert.deepEqual(
    (await sent()).map(({ to }) => to),
    ['since@buyers.example'],
  );
});

test('no mail is sent without an address, or after a failure', async () => {
  await pay({ phone: '+237650000077' });
  await pay({ email: 'poor@buyers.example' }, '650000001');
  assert.deepEqual(await written(), []);
});

test('the address of the payment takes precedence over the address of the customer', async () => {
  const { body } = await api.call('POST', '/customers', { key, body: { name: 'Ada', email: 'ada@buyers.example' } });
  await pay({ customer_id: body.customer.id, email: 'office@buyers.example' });
  assert.deepEqual(await written(), [{ kind: 'receipt', recipient: 'office@buyers.example' }]);
});

test('no mail is sent in the sandbox, where addresses are fictitious', async () => {
  const { id } = await pay({ email: 'awa@buyers.example' }, '650000000', api.keys.sandbox.secret);
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.status, 'succeeded');
  assert.deepEqual(await api.deps.stores.sandbox.db.all(sql`select kind from mails`), []);
});

test('with RECEIPT_MAIL=off no mail is sent or queued', async () => {
  await pay({ email: 'esi@buyers.example' });
  const { receipt_mail } = readConfig({ RECEIPT_MAIL: 'off' });
  assert.deepEqual(await sent({ ...api.deps, config: { ...api.deps.config, receipt_mail } }), []);
  assert.deepEqual(await written(), []);
});

test('an erasure deletes unsent mails, including those queued while it waits for the payment', async () => {
  const { body } = await api.call('POST', '/customers', { key, body: { name: 'Zoe', email: 'zoe@buyers.example' } });
  const customer_id = body.customer.id;
  const { id } = await pay({ customer_id, email: 'office@buyers.example' });
  const erasing = await live().db.transaction(async (tx) => {
    await tx.run(sql`select 1 from payments where id = ${id} for update`);
    const erased = api.call('DELETE', `/customers/${customer_id}`, { key });
    await until(
      () =>
        live().db.maybe(sql`
          select 1 as waits from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database() limit 1`),
      (waits) => waits !== undefined,
    );
    await tx.run(sql`
      insert into mails (team_id, kind, facts, recipient)
      select team_id, kind, facts, 'zoe@late.example' from mails where kind = 'receipt'`);
    return { erased };
  });
  assert.equal((await erasing.erased).status, 200);
  assert.deepEqual(await sent(), []);
  assert.deepEqual(await written(), []);
});
