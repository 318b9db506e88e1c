import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi } from '../setup/api.ts';
import { formsOf } from '../setup/html-forms.ts';
import { type Person, type Shown, signedIn } from './people.ts';

/** Forms that switch an object between two states: submitted again, they do not undo what somebody did since. */
let api: Api;
let owner: Person;
let base: string;

before(async () => {
  api = await startApi({ workers: false });
  owner = await signedIn(api, 'owner');
  base = `/console/${api.team.id}/live`;
});
after(() => api.stop());

const live = async (method: string, path: string, body?: object) =>
  (await api.call(method, path, { key: api.keys.live.secret, ...(body ? { body } : {}) })).body;

/** Hidden fields of the form in a page that is sent to `action`. */
function hiddenOf({ text }: Shown, action: string): [string, string][] {
  return formsOf(text).find((form) => form.action === action)?.hidden ?? assert.fail(`no form ${action}`);
}

interface Switch {
  id: string;
  page: string;
  /** What the person does, and what undoes it. */
  verbs: [string, string];
  /** Undoes it, as somebody else does. */
  undo(): Promise<unknown>;
  isDone(): Promise<boolean>;
}

const SWITCHES: Record<string, () => Promise<Switch>> = {
  'a payment link': async () => {
    const { link } = await live('POST', '/links', { title: 'Fees', currency: 'XAF', amount: 5_000 });
    const path = `/links/${link.id}`;
    return {
      ...{ id: link.id, page: base + path, verbs: ['deactivate', 'activate'] },
      undo: () => live('PATCH', path, { active: true }),
      isDone: async () => (await live('GET', path)).link.status === 'inactive',
    };
  },
  'a customer': async () => {
    const { customer } = await live('POST', '/customers', { name: 'Awa', email: 'awa@buyers.example' });
    const path = `/customers/${customer.id}`;
    return {
      ...{ id: customer.id, page: base + path, verbs: ['block', 'unblock'] },
      undo: () => live('POST', `${path}/unblock`),
      isDone: async () => (await live('GET', path)).customer.blocked,
    };
  },
  'a subaccount': async () => {
    const { account } = await live('POST', '/accounts', { name: 'Seller', email: 's@sellers.example' });
    const path = `/accounts/${account.id}`;
    return {
      ...{ id: account.id, page: `${base}/subaccounts/${account.id}`, verbs: ['deactivate', 'reactivate'] },
      undo: () => live('POST', `${path}/reactivate`),
      isDone: async () => !(await live('GET', path)).account.active,
    };
  },
};

for (const [name, make] of Object.entries(SWITCHES)) {
  test(`${name} is switched once by a form, and back by nobody but who asks for it`, async () => {
    const { id, page, verbs, undo, isDone } = await make();
    const [verb, back] = verbs;
    const events = () => api.deps.stores.live.db.all(sql`select 1 from events where resource_id = ${id}`);
    const form = hiddenOf(await owner.get(page), `${page}/${verb}`);
    const count = (await events()).length;
    const both = await Promise.all([owner.post(`${page}/${verb}`, form), owner.post(`${page}/${verb}`, form)]);
    for (const answer of both) assert.deepEqual([answer.status, answer.to], [303, `${page}?done=${verb}`]);
    assert.deepEqual([await isDone(), (await events()).length], [true, count + 1]);
    await undo();
    const late = await owner.post(`${page}/${verb}`, form);
    assert.deepEqual([late.status, /This was changed after you had opened the page/.test(late.text)], [409, true]);
    assert.equal(await isDone(), false);
    assert.equal((await owner.post(`${page}/${verb}`, hiddenOf(late, `${page}/${verb}`))).to, `${page}?done=${verb}`);
    assert.equal(await isDone(), true);
    assert.equal(
      (await owner.post(`${page}/${back}`, hiddenOf(await owner.get(page), `${page}/${back}`))).to,
      `${page}?done=${back}`,
    );
    assert.equal(await isDone(), false);
  });
}
