import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sha256 } from '../../src/kit/crypto.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi } from '../setup/api.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { hiddenOf, type Person, signedIn } from './people.ts';

type Values = Record<string, string>;

let api: Api;
let receiver: Receiver;
let owner: Person;

before(async () => {
  api = await startApi();
  receiver = await startReceiver();
  owner = await signedIn(api, 'owner');
});
after(async () => {
  await api.stop();
  await receiver.close();
});

const calls = (environment: 'live' | 'sandbox') => async (method: string, path: string, body?: object) =>
  (await api.call(method, path, { key: api.keys[environment].secret, ...(body ? { body } : {}) })).body;
const live = calls('live');
const sandbox = calls('sandbox');

interface Form {
  /** Default: live. */
  environment?: 'sandbox';
  /** Below the team's base: the form is shown by `open` and sent to `send`. */
  open: string;
  send: string;
  /** All fields, of which the first was changed and the others left as the form showed them. */
  typed: Values;
  /** What somebody else changes while the form is open. */
  change(): Promise<unknown>;
  /** What the other person changed, as it is stored. */
  stored(): Promise<unknown>;
  /** What the form has of it. */
  old: unknown;
  new: unknown;
}

const FORMS: Record<string, () => Promise<Form>> = {
  'the amount of a payment link': async () => {
    const { link } = await live('POST', '/links', { title: 'Fees', currency: 'XAF', amount: 5000 });
    const path = `/links/${link.id}`;
    return {
      ...{ open: `${path}/edit`, send: `${path}/edit`, typed: { title: 'School fees', amount: '5000', collect: 'phone' } },
      change: () => live('PATCH', path, { amount: 6000 }),
      stored: async () => (await live('GET', path)).link.amount,
      ...{ old: 5000, new: 6000 },
    };
  },
  'the price of an invoice': async () => {
    const items = [{ name: 'Seat', unit_price: 5000 }];
    const { invoice } = await live('POST', '/invoices', { currency: 'XAF', customer: { phone: '+237650000117' }, items });
    const path = `/invoices/${invoice.id}`;
    const line = { line_0_name: 'Seat', line_0_quantity: '1', line_0_price: '5000' };
    return {
      ...{ open: `${path}/edit`, send: `${path}/edit` },
      typed: { notes: 'Row 4', phone: '+237650000117', currency: 'XAF', ...line },
      change: () => live('PATCH', path, { items: [{ name: 'Seat', unit_price: 7000 }] }),
      stored: async () => (await live('GET', path)).invoice.amount,
      ...{ old: 5000, new: 7000 },
    };
  },
  'where the money of a subaccount goes': async () => {
    const settlement = { channel: 'cm.mtn', account_number: '+237650000001' };
    const { account } = await live('POST', '/accounts', { name: 'Seller', email: 's@sellers.example', settlement });
    const path = `/accounts/${account.id}`;
    const form = `/subaccounts/${account.id}/edit`;
    return {
      ...{ open: form, send: form, typed: { name: 'Seller of Douala', email: 's@sellers.example', ...settlement } },
      change: () => live('PATCH', path, { settlement: { channel: 'cm.mtn', account_number: '+237650000002' } }),
      stored: async () => (await live('GET', path)).account.settlement.account_number,
      ...{ old: '+237650000001', new: '+237650000002' },
    };
  },
  'the number of a beneficiary': async () => {
    const { beneficiary } = await live('POST', '/beneficiaries', { name: 'Kofi', channel: 'cm.mtn', phone: '+237650000003' });
    const path = `/beneficiaries/${beneficiary.id}`;
    return {
      ...{ open: `/payouts${path}/edit`, send: `/payouts${path}/edit` },
      typed: { name: 'Kofi Mensah', number: '+237650000003' },
      change: () => live('PATCH', path, { phone: '+237650000004' }),
      stored: async () => (await live('GET', path)).beneficiary.phone,
      ...{ old: '+237650000003', new: '+237650000004' },
    };
  },
  'the address of an endpoint': async () => {
    const { webhook } = await sandbox('POST', '/webhooks', { url: `${receiver.url}/one`, events: ['*'] });
    const path = `/developers/endpoints/${webhook.id}/edit`;
    const { url, api_version } = webhook;
    return {
      environment: 'sandbox',
      ...{ open: path, send: path, typed: { description: 'Orders', url, api_version, events: '*', active: 'yes' } },
      change: () => sandbox('PATCH', `/webhooks/${webhook.id}`, { url: `${receiver.url}/two` }),
      stored: async () => (await sandbox('GET', `/webhooks/${webhook.id}`)).webhook.url,
      ...{ old: `${receiver.url}/one`, new: `${receiver.url}/two` },
    };
  },
  'the use of public keys': async () => {
    const of = async (column: string) =>
      (await api.control.maybe<Values>({ text: 'select * from teams where id = $1', values: [api.team.id] }))?.[column] ?? '';
    const use = (text: string) =>
      api.control.run({ text: 'update teams set public_keys = $2 where id = $1', values: [api.team.id, text] });
    await use('contract');
    const kept = { email: await of('email'), default_currency: await of('default_currency'), public_keys: 'contract' };
    return {
      ...{ open: '/settings', send: '/settings', typed: { name: 'Maison Awa', ...kept } },
      ...{ change: () => use('pay-only'), stored: () => of('public_keys'), old: 'contract', new: 'pay-only' },
    };
  },
  'the colour of the team': async () => {
    const color = async () =>
      (await api.control.maybe<Values>(sql`select brand_color from teams where id = ${api.team.id}`))?.brand_color;
    const set = (value: string) => api.control.run(sql`update teams set brand_color = ${value} where id = ${api.team.id}`);
    await set('#123456');
    const path = '/settings/branding';
    return {
      ...{ open: path, send: path, typed: { brand_color: '#123456' } },
      ...{ change: () => set('#6b1d5c'), stored: color, old: '#123456', new: '#6b1d5c' },
    };
  },
  'the role of a person': async () => {
    const { id } = await signedIn(api, 'support');
    const role = async () => (await api.control.maybe<Values>(sql`select role from memberships where user_id = ${id}`))?.role;
    return {
      ...{ open: `/people/${id}`, send: `/people/${id}/role`, typed: { role: 'support' } },
      change: () => api.control.run(sql`update memberships set role = 'finance' where user_id = ${id}`),
      ...{ stored: role, old: 'support', new: 'finance' },
    };
  },
};

for (const [name, make] of Object.entries(FORMS)) {
  test(`a form that was opened before a change by somebody else does not undo it: ${name}`, async () => {
    const form = await make();
    const base = `/console/${api.team.id}/${form.environment ?? 'live'}`;
    const [field, value] = Object.entries(form.typed)[0] as [string, string];
    const opened = await owner.get(base + form.open);
    assert.equal(opened.status, 200);
    assert.equal(await form.stored(), form.old);
    await form.change();
    assert.equal(await form.stored(), form.new);
    const stale = await owner.post(base + form.send, { ...form.typed, ...hiddenOf(opened) });
    assert.equal(stale.status, 409);
    assert.match(stale.text, /This was changed after you had opened the form/);
    assert.ok(stale.text.includes(value), `what was typed as ${field} is kept`);
    assert.equal(await form.stored(), form.new);
    // Saved again after the warning, it is what the person wants; a second submit of the same form is no conflict.
    const warned = { ...form.typed, ...hiddenOf(stale) };
    assert.equal((await owner.post(base + form.send, warned)).status, 303);
    assert.equal(await form.stored(), form.old);
    assert.equal((await owner.post(base + form.send, warned)).status, 303);
  });
}

const SETTINGS = { name: 'Maison Awa', email: 'awa@shop.example', default_currency: 'XAF' };

interface Restored {
  open: string;
  send: string;
  first: Values;
  restored: Values;
  /** What the form compares when it is opened with the restored values. Default: these. */
  compared?: object;
}

/** Forms that are saved and submitted again after another person restored the former values. */
const RESTORED: Record<string, () => Promise<Restored>> = {
  'the settings': async () => {
    const restored = { ...SETTINGS, public_keys: 'pay-only' };
    const compared = { ...restored, unique_references: false, hosted_retry: false, address: '', tax_id: '' };
    return { open: '/settings', send: '/settings', first: { ...SETTINGS, public_keys: 'contract' }, restored, compared };
  },
  'the colour': async () => {
    const path = '/settings/branding';
    return { open: path, send: path, first: { brand_color: '#123456' }, restored: { brand_color: '#6b1d5c' } };
  },
  'the language': async () => {
    const path = '/settings/languages';
    const restored = { when: 'browser', payer_language: 'fr' };
    return { open: path, send: path, first: { when: 'always', payer_language: 'pt' }, restored };
  },
  'a role': async () => {
    const open = `/people/${(await signedIn(api, 'support')).id}`;
    return { open, send: `${open}/role`, first: { role: 'admin' }, restored: { role: 'support' } };
  },
};

for (const [name, make] of Object.entries(RESTORED)) {
  test(`a form that is submitted again does not undo that somebody restored the former values: ${name}`, async () => {
    const { open, send, first, restored } = await make();
    const base = `/console/${api.team.id}/live`;
    const stored = () =>
      api.control.all(sql`
        select t.name, t.public_keys, t.brand_color, t.payer_language, t.payer_language_always, m.user_id, m.role
        from teams t join memberships m on m.team_id = t.id where t.id = ${api.team.id} order by m.user_id`);
    const fresh = async (values: Values) => ({ ...values, ...hiddenOf(await owner.get(base + open)) });
    assert.equal((await owner.post(base + send, await fresh(restored))).status, 303);
    const form = await fresh(first);
    const before = await stored();
    for (const again of [form, form]) assert.equal((await owner.post(base + send, again)).status, 303);
    assert.notDeepEqual(await stored(), before);
    assert.equal((await owner.post(base + send, await fresh(restored))).status, 303);
    const stale = await owner.post(base + send, form);
    assert.deepEqual([stale.status, /This was changed after you had opened the form/.test(stale.text)], [409, true]);
    assert.deepEqual(await stored(), before);
    assert.equal((await owner.post(base + send, { ...first, ...hiddenOf(stale) })).status, 303);
  });
}

for (const [name, make] of Object.entries(RESTORED)) {
  test(`a form of an earlier release, which has a digest of the values alone, is compared by them: ${name}`, async () => {
    const { open, send, first, restored, compared = restored } = await make();
    const base = `/console/${api.team.id}/live`;
    assert.equal((await owner.post(base + send, { ...restored, ...hiddenOf(await owner.get(base + open)) })).status, 303);
    const entries = Object.entries(compared).sort(([a], [b]) => (a < b ? -1 : 1));
    const seen = sha256(JSON.stringify(entries)).toString('base64url').slice(0, 22);
    const { _form = '' } = hiddenOf(await owner.get(base + open));
    assert.equal((await owner.post(base + send, { ...first, _form, seen })).status, 303);
    const { _form: next = '' } = hiddenOf(await owner.get(base + open));
    const other = { ...restored, name: 'Maison Esi', brand_color: '#00aa88', payer_language: 'en', role: 'read_only' };
    assert.equal((await owner.post(base + send, { ...other, _form: next, seen })).status, 409);
  });
}

test('a form of the settings that is shown again for a mistake does not undo that somebody restored the former values', async () => {
  const path = `/console/${api.team.id}/live/settings`;
  const values = { ...SETTINGS, public_keys: 'pay-only' };
  const save = async (typed: Values) => owner.post(path, { ...typed, ...hiddenOf(await owner.get(path)) });
  assert.equal((await save(values)).status, 303);
  const wrong = await owner.post(path, { ...values, email: 'none', ...hiddenOf(await owner.get(path)) });
  assert.equal(wrong.status, 422);
  for (const name of ['Maison Esi', values.name]) assert.equal((await save({ ...values, name })).status, 303);
  const stale = await owner.post(path, { ...values, public_keys: 'contract', ...hiddenOf(wrong) });
  assert.equal(stale.status, 409);
});

test('a form that is shown again, for a mistake or another line, is still compared with what it was opened with', async () => {
  const base = `/console/${api.team.id}/live`;
  const invoice = await (FORMS['the price of an invoice'] as () => Promise<Form>)();
  const opened = await owner.get(base + invoice.open);
  await invoice.change();
  const longer = await owner.post(base + invoice.send, { ...invoice.typed, ...hiddenOf(opened), do: 'add-line' });
  assert.equal(longer.status, 200);
  assert.equal((await owner.post(base + invoice.send, { ...invoice.typed, ...hiddenOf(longer) })).status, 409);
  assert.equal(await invoice.stored(), invoice.new);
  const link = await (FORMS['the amount of a payment link'] as () => Promise<Form>)();
  const form = await owner.get(base + link.open);
  const wrong = await owner.post(base + link.send, { ...link.typed, max_uses: 'many', ...hiddenOf(form) });
  assert.equal(wrong.status, 422);
  await link.change();
  assert.equal((await owner.post(base + link.send, { ...link.typed, ...hiddenOf(wrong) })).status, 409);
  assert.equal(await link.stored(), link.new);
});

test('a draft that was changed after it was seen is not sent', async () => {
  await api.control.run({ text: 'update teams set verification_level = 2 where id = $1', values: [api.team.id] });
  const invoice = await (FORMS['the price of an invoice'] as () => Promise<Form>)();
  const page = `/console/${api.team.id}/live${invoice.open.replace('/edit', '')}`;
  const seen = await owner.get(page);
  await invoice.change();
  const refused = await owner.post(`${page}/send`, hiddenOf(seen));
  assert.equal(refused.status, 409);
  assert.match(refused.text, /This was changed after you had opened the page/);
  assert.match(refused.text, /Draft/);
  const sent = await owner.post(`${page}/send`, hiddenOf(refused));
  assert.equal(sent.to, `${page}?done=send`);
});
