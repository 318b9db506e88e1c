import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi } from '../setup/api.ts';
import { approvalPath, countApprovals, openShop, press } from './approvals.ts';
import { hiddenFor, type Person, signedIn } from './people.ts';

/** Forms that change an object. A form that is submitted again changes nothing, however its values are stored. */
let api: Api;
let owner: Person;
let base: string;

before(async () => {
  api = await startApi({ workers: false });
  owner = await signedIn(api, 'owner');
  base = `/console/${api.team.id}/live`;
});
after(() => api.stop());

type Values = Record<string, string>;

const live = async (method: string, path: string, body?: object) =>
  (await api.call(method, path, { key: api.keys.live.secret, ...(body ? { body } : {}) })).body;

interface Form {
  /** Path of the object in the API. */
  path: string;
  /** Path of its form, at which it is shown and to which it is sent. */
  page: string;
  typed: Values;
  /** Another input. */
  other: Values;
  /** What somebody else changes after the form was saved. */
  change: object;
}

const WALLET = { channel: 'cm.mtn', phone: '+237650000003' };
const SELLER = { name: 'Seller', email: 's@sellers.example' };

/** The inputs are stored in another form than they are typed, and some are left out of a body when they are stored already. */
const FORMS: Record<string, () => Promise<Form>> = {
  'a beneficiary': async () => {
    const { id } = (await live('POST', '/beneficiaries', { name: 'Kofi', ...WALLET })).beneficiary;
    return {
      ...{ path: `/beneficiaries/${id}`, page: `${base}/payouts/beneficiaries/${id}/edit` },
      ...{ typed: { name: 'Mine', number: '670 00 00 03' }, other: { number: '670 00 00 04' }, change: { name: 'Theirs' } },
    };
  },
  'a payment link': async () => {
    const { id } = (await live('POST', '/links', { title: 'Fees', currency: 'XAF', amount: 5_000 })).link;
    const typed = { title: 'Mine', amount: '25 000', last_day: '2099-12-31', collect: 'phone' };
    return {
      ...{ path: `/links/${id}`, page: `${base}/links/${id}/edit`, typed, other: { amount: '26 000' } },
      change: { title: 'Theirs' },
    };
  },
  'a draft': async () => {
    const items = [{ name: 'Seat', unit_price: 5_000 }];
    const { id } = (await live('POST', '/invoices', { currency: 'XAF', customer: { phone: '+237650000117' }, items })).invoice;
    const line = { line_0_name: 'Seat', line_0_quantity: '1', line_0_price: '25 000' };
    return {
      ...{ path: `/invoices/${id}`, page: `${base}/invoices/${id}/edit` },
      ...{ typed: { name: 'Awa Ngo', phone: '+237650000118', currency: 'XAF', ...line }, other: { line_0_price: '26 000' } },
      change: { notes: 'Theirs' },
    };
  },
  'the destination of a subaccount': async () => {
    const { id } = (await live('POST', '/accounts', SELLER)).account;
    const settlement = { channel: 'cm.mtn', account_number: '+237 650 00 00 09' };
    return {
      ...{ path: `/accounts/${id}`, page: `${base}/subaccounts/${id}/edit` },
      ...{ typed: { ...SELLER, split_type: 'percentage', split_value: '2,5', ...settlement }, other: { split_value: '3,5' } },
      change: { settlement: null },
    };
  },
  'the name of a subaccount': async () => {
    const { id } = (await live('POST', '/accounts', SELLER)).account;
    return {
      ...{ path: `/accounts/${id}`, page: `${base}/subaccounts/${id}/edit` },
      ...{ typed: { ...SELLER, name: 'Mine' }, other: { name: 'Other' }, change: { name: 'Theirs' } },
    };
  },
  'an endpoint': async () => {
    const { id, url, api_version } = (await live('POST', '/webhooks', { url: 'https://shop.example/hook' })).webhook;
    return {
      ...{ path: `/webhooks/${id}`, page: `${base}/developers/endpoints/${id}/edit` },
      typed: { description: 'Mine', url, api_version, events: '*', active: 'yes' },
      ...{ other: { description: 'Other' }, change: { description: 'Theirs' } },
    };
  },
};

/** Changes of an object: those in the audit trail, and those that caused an event. */
async function changesOf(path: string): Promise<{ entries: number; events: number }> {
  const id = path.split('/').at(-1);
  const { db } = api.deps.stores.live;
  const entries = await db.all(sql`select 1 from audit_entries where resource_id = ${id} and action like '%.update'`);
  const events = await db.all(sql`select 1 from events where resource_id = ${id} and type like '%.updated'`);
  return { entries: entries.length, events: events.length };
}

for (const [name, make] of Object.entries(FORMS)) {
  test(`a form that was saved changes nothing when it is submitted again: ${name}`, async () => {
    const { path, page, typed, other, change } = await make();
    // A change of a draft or an endpoint causes no event.
    const times = (n: number) => ({ entries: n, events: /^\/(?:invoices|webhooks)\//.test(path) ? 0 : n });
    const form = { ...typed, ...hiddenFor(await owner.get(page), page) };
    const submit = () => owner.post(page, form);
    const first = await submit();
    assert.equal(first.status, 303, first.text);
    const saved = await live('GET', path);
    for (const answer of [await submit(), ...(await Promise.all([submit(), submit()]))])
      assert.deepEqual([answer.status, answer.to], [303, first.to], answer.text);
    assert.deepEqual([await live('GET', path), await changesOf(path)], [saved, times(1)]);
    await live('PATCH', path, change);
    const changed = await live('GET', path);
    const late = await submit();
    assert.deepEqual([late.status, late.to], [303, first.to], late.text);
    // Other input is not what was saved. It is compared with what the form was opened with.
    assert.equal((await owner.post(page, { ...form, ...other })).status, 409);
    assert.deepEqual([await live('GET', path), await changesOf(path)], [changed, times(2)]);
  });

  test(`a form that is submitted twice at once changes the object once: ${name}`, async () => {
    const { path, page, typed } = await make();
    const form = { ...typed, ...hiddenFor(await owner.get(page), page) };
    const [one, two] = await Promise.all([owner.post(page, form), owner.post(page, form)]);
    assert.deepEqual([one.status, two.status, two.to], [303, 303, one.to], one.text + two.text);
    assert.equal((await changesOf(path)).entries, 1);
  });
}

test('a change by the API has no key, whatever header is sent', async () => {
  for (const [name, make] of Object.entries(FORMS)) {
    const { path, change } = await make();
    const options = { key: api.keys.live.secret, headers: { 'Idempotency-Key': 'one' } };
    const changed = async (body: object) => (await api.call('PATCH', path, { ...options, body })).status;
    assert.deepEqual([await changed(change), await changed({}), await changed(change)], [200, 200, 200], name);
    assert.equal((await changesOf(path)).entries, 3, name);
  }
});

test('a form of the settings that is submitted again saves nothing', async () => {
  const settings = { name: 'Maison Awa', email: 'AWA@shop.example', default_currency: 'XAF', public_keys: 'contract' };
  const forms: Record<string, Values> = {
    '': { ...settings, address: 'Rue Joffre 12 \r\n\r\n Douala' },
    '/branding': { brand_color: '#6B1D5C' },
    '/languages': { when: 'always', payer_language: 'fr' },
  };
  const saves = async () => (await api.control.all(sql`select 1 from audit_entries where action = 'team.update'`)).length;
  for (const [tab, typed] of Object.entries(forms)) {
    const page = `${base}/settings${tab}`;
    const form = { ...typed, ...hiddenFor(await owner.get(page), page) };
    const before = await saves();
    for (const answer of [...(await Promise.all([1, 2].map(() => owner.post(page, form)))), await owner.post(page, form)])
      assert.deepEqual([answer.status, answer.to], [303, `${page}?done=save`], answer.text);
    assert.equal(await saves(), before + 1, page);
  }
});

test('a form that asked a second person leads to its approval when it is submitted again, also after it ran', async () => {
  const shop = await openShop(api);
  const { maker, checker, key } = shop;
  const { id } = (await api.call('POST', '/accounts', { key, body: SELLER })).body.account;
  const page = `${shop.base}/subaccounts/${id}/edit`;
  const values = {
    ...SELLER,
    split_type: 'percentage',
    split_value: '2,5',
    channel: 'cm.mtn',
    account_number: '+237 650 00 00 09',
  };
  const form = { ...values, ...hiddenFor(await maker.get(page), page) };
  const asked = approvalPath(await maker.post(page, form));
  assert.equal((await maker.post(page, form)).to, asked);
  // Corrected input is another request: an approval of the first one does not apply to it.
  const corrected = approvalPath(await maker.post(page, { ...form, account_number: '+237 650 00 00 10' }));
  assert.notEqual(corrected, asked);
  await press(checker, asked, 'approve');
  assert.equal((await maker.post(page, form)).to, asked);
  await api.call('PATCH', `/accounts/${id}`, { key, body: { name: 'Theirs', settlement: null } });
  assert.equal((await maker.post(page, form)).to, asked);
  const { account } = (await api.call('GET', `/accounts/${id}`, { key })).body;
  assert.deepEqual([account.name, account.settlement, await countApprovals(shop)], ['Theirs', null, 2]);
});
