import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { createKey, type KeyOptions } from '../../src/tenants/keys/service.ts';
import { type Api, startApi } from '../setup/api.ts';
import { hiddenFor, type Person, signedIn } from './people.ts';

/** Forms that switch an object between two states: submitted again, they do not undo what somebody did since. */
let api: Api;
let owner: Person;
let colleague: Person;
let base: string;

before(async () => {
  api = await startApi({ workers: false });
  owner = await signedIn(api, 'owner');
  colleague = await signedIn(api, 'owner');
  base = `/console/${api.team.id}/live`;
});
after(() => api.stop());

const live = async (method: string, path: string, body?: object) =>
  (await api.call(method, path, { key: api.keys.live.secret, ...(body ? { body } : {}) })).body;

interface Switch {
  page: string;
  /** What the person does, and what undoes it. */
  verbs: [string, string];
  /** Undoes it, as somebody else does. */
  undo(): Promise<unknown>;
  isDone(): Promise<boolean>;
  /** Records of the changes. */
  changes(): Promise<unknown[]>;
}

const KEY: Omit<KeyOptions, 'team_id'> = { environment: 'live', kind: 'public', scopes: [], allowed_ips: [], expires_at: null };
const eventsOf = (id: string) => api.deps.stores.live.db.all(sql`select 1 from events where resource_id = ${id}`);

const SWITCHES: Record<string, () => Promise<Switch>> = {
  'a payment link': async () => {
    const { link } = await live('POST', '/links', { title: 'Fees', currency: 'XAF', amount: 5_000 });
    const path = `/links/${link.id}`;
    return {
      ...{ page: base + path, verbs: ['deactivate', 'activate'], changes: () => eventsOf(link.id) },
      undo: () => live('PATCH', path, { active: true }),
      isDone: async () => (await live('GET', path)).link.status === 'inactive',
    };
  },
  'a customer': async () => {
    const { customer } = await live('POST', '/customers', { name: 'Awa', email: 'awa@buyers.example' });
    const path = `/customers/${customer.id}`;
    return {
      ...{ page: base + path, verbs: ['block', 'unblock'], changes: () => eventsOf(customer.id) },
      undo: () => live('POST', `${path}/unblock`),
      isDone: async () => (await live('GET', path)).customer.blocked,
    };
  },
  'a subaccount': async () => {
    const { account } = await live('POST', '/accounts', { name: 'Seller', email: 's@sellers.example' });
    const path = `/accounts/${account.id}`;
    return {
      ...{ page: `${base}/subaccounts/${account.id}`, verbs: ['deactivate', 'reactivate'] },
      changes: () => eventsOf(account.id),
      undo: () => live('POST', `${path}/reactivate`),
      isDone: async () => !(await live('GET', path)).account.active,
    };
  },
  'an API key': async () => {
    const { id } = await createKey(api.control, { ...KEY, team_id: api.team.id }, new Date());
    const page = `${base}/developers/keys/${id}`;
    return {
      ...{ page, verbs: ['deactivate', 'activate'] },
      undo: () => colleague.submit(page, `${page}/activate`),
      isDone: async () => (await api.control.maybe(sql`select 1 from api_keys where id = ${id} and active`)) === undefined,
      changes: () => api.control.all(sql`select 1 from audit_entries where resource_id = ${id}`),
    };
  },
};

for (const [name, make] of Object.entries(SWITCHES)) {
  test(`${name} is switched once by a form, and back by nobody but who asks for it`, async () => {
    const { page, verbs, undo, isDone, changes } = await make();
    const [verb, back] = verbs;
    const form = hiddenFor(await owner.get(page), `${page}/${verb}`);
    const count = (await changes()).length;
    const both = await Promise.all([owner.post(`${page}/${verb}`, form), owner.post(`${page}/${verb}`, form)]);
    for (const answer of both) assert.deepEqual([answer.status, answer.to], [303, `${page}?done=${verb}`]);
    assert.deepEqual([await isDone(), (await changes()).length], [true, count + 1]);
    await undo();
    const late = await owner.post(`${page}/${verb}`, form);
    assert.deepEqual([late.status, /This was changed after you had opened the page/.test(late.text)], [409, true]);
    assert.equal(await isDone(), false);
    assert.equal((await owner.post(`${page}/${verb}`, hiddenFor(late, `${page}/${verb}`))).to, `${page}?done=${verb}`);
    assert.equal(await isDone(), true);
    assert.equal(
      (await owner.post(`${page}/${back}`, hiddenFor(await owner.get(page), `${page}/${back}`))).to,
      `${page}?done=${back}`,
    );
    assert.equal(await isDone(), false);
  });
}
