import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { hiddenFor, type Person, signedIn } from './people.ts';

/** A form that is stored while somebody else's change of the same object is being stored. */
let api: Api;
let owner: Person;
let base: string;

before(async () => {
  api = await startApi({ workers: false });
  owner = await signedIn(api, 'owner');
  base = `/console/${api.team.id}/live`;
  await api.control.run(sql`update teams set verification_level = 2 where id = ${api.team.id}`);
});
after(() => api.stop());

type Values = Record<string, string>;

const live = async (method: string, path: string, body?: object) =>
  (await api.call(method, path, { key: api.keys.live.secret, ...(body ? { body } : {}) })).body;

interface Form {
  page: string;
  send: string;
  typed?: Values;
  /** Table of the object, which somebody else changes with this statement. */
  table: string;
  id: string | bigint;
  change: string;
  /** Where that table is. Default: live. */
  database?: 'control';
}

const TEAM = () => ({ table: 'teams', id: api.team.id, database: 'control' }) as const;

const FORMS: Record<string, () => Promise<Form>> = {
  'the sending of a draft': async () => {
    const { id, page } = await draft();
    return { page, send: `${page}/send`, table: 'invoices', id, change: `notes = 'changed'` };
  },
  'a change of a draft': async () => {
    const { id, page } = await draft();
    const line = { line_0_name: 'Seat', line_0_quantity: '1', line_0_price: '5000' };
    const typed = { phone: '+237650000117', currency: 'XAF', reference: 'mine', ...line };
    return { page: `${page}/edit`, send: `${page}/edit`, typed, table: 'invoices', id, change: `notes = 'changed'` };
  },
  'a change of a payment link': async () => {
    const { link } = await live('POST', '/links', { title: 'Fees', currency: 'XAF', amount: 5_000 });
    const page = `${base}/links/${link.id}/edit`;
    const typed = { title: 'Fees', amount: '5000', collect: 'phone', reference: 'mine' };
    return { page, send: page, typed, table: 'links', id: link.id, change: `description = 'changed'` };
  },
  'a change of a subaccount': async () => {
    const { account } = await live('POST', '/accounts', { name: 'Seller', email: 's@sellers.example' });
    const page = `${base}/subaccounts/${account.id}/edit`;
    const typed = { name: 'Mine', email: 's@sellers.example' };
    return { page, send: page, typed, table: 'accounts', id: account.id, change: `name = 'changed'` };
  },
  'a change of a beneficiary': async () => {
    const { beneficiary } = await live('POST', '/beneficiaries', { name: 'Kofi', channel: 'cm.mtn', phone: '+237650000003' });
    const page = `${base}/payouts/beneficiaries/${beneficiary.id}/edit`;
    const typed = { name: 'Mine', number: '+237650000003' };
    return { page, send: page, typed, table: 'beneficiaries', id: beneficiary.id, change: `name = 'changed'` };
  },
  'a change of an endpoint': async () => {
    const { webhook } = await live('POST', '/webhooks', { url: 'https://shop.example/hook', events: ['*'] });
    const page = `${base}/developers/endpoints/${webhook.id}/edit`;
    const typed = { description: 'mine', url: webhook.url, api_version: webhook.api_version, events: '*', active: 'yes' };
    return { page, send: page, typed, table: 'webhook_endpoints', id: webhook.id, change: `description = 'changed'` };
  },
  'a change of the settings': async () => {
    const page = `${base}/settings`;
    const typed = { name: 'Mine', email: 'awa@shop.example', default_currency: 'XAF', public_keys: 'contract' };
    return { page, send: page, typed, ...TEAM(), change: `public_keys = 'pay-only'` };
  },
  'a change of the colour': async () => {
    const page = `${base}/settings/branding`;
    return { page, send: page, typed: { brand_color: '#123456' }, ...TEAM(), change: `brand_color = '#6b1d5c'` };
  },
  'a change of the language': async () => {
    const page = `${base}/settings/languages`;
    return { page, send: page, typed: { when: 'always', payer_language: 'fr' }, ...TEAM(), change: `payer_language = 'pt'` };
  },
};

async function draft() {
  const items = [{ name: 'Seat', unit_price: 5_000 }];
  const { invoice } = await live('POST', '/invoices', { currency: 'XAF', customer: { phone: '+237650000117' }, items });
  return { id: invoice.id as string, page: `${base}/invoices/${invoice.id}` };
}

for (const [name, make] of Object.entries(FORMS)) {
  test(`${name} waits for a change by somebody else, and does not apply to it`, async () => {
    const { page, send, typed = {}, table, id, change, database } = await make();
    const db = database ? api.control : api.deps.stores.live.db;
    const form = { ...typed, ...hiddenFor(await owner.get(page), send) };
    const stored = async () => (await db.all({ text: `select * from ${table} where id = $1`, values: [id] }))[0];
    const { answer } = await db.transaction(async (tx) => {
      await tx.run({ text: `update ${table} set ${change} where id = $1`, values: [id] });
      const answer = owner.post(send, form);
      await untilLocked(api.databases[database ?? 'live'], table);
      return { answer };
    });
    const changed = await stored();
    const refused = await answer;
    assert.deepEqual([refused.status, /This was changed after you had opened/.test(refused.text)], [409, true]);
    assert.deepEqual(await stored(), changed);
    assert.equal((await owner.post(send, { ...typed, ...hiddenFor(refused, send) })).status, 303);
  });
}
