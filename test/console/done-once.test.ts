import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { type Api, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

/** Operations that take no idempotency key: a form that is submitted again is answered as the first time. */
let api: Api;
let owner: Person;
let base: string;

before(async () => {
  api = await startApi();
  owner = await signedIn(api, 'owner');
  base = `/console/${api.team.id}`;
});
after(() => api.stop());

type Values = Record<string, string>;

/** An object, the page with its form, and where that is sent. */
interface Form {
  page: string;
  send: string;
  values?: Values;
  /** Where each submit leads. */
  to: string;
}

async function made(environment: 'live' | 'sandbox', path: string, body: object): Promise<string> {
  const answer = await api.call('POST', path, { key: api.keys[environment].secret, body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const object = ['beneficiary', 'webhook', 'invoice', 'transaction'].map((name) => answer.body[name]).find(Boolean);
  return object.id;
}

async function disputed(): Promise<string> {
  const store = api.deps.stores.sandbox.of(api.team.id);
  const opening = { team_id: api.team.id, payment_id: await paid(api), reason: 'fraudulent' };
  return `${base}/sandbox/disputes/${(await openDispute(api.deps, store, opening)).id}`;
}

const FORMS: Record<string, () => Promise<Form>> = {
  'the deletion of a beneficiary': async () => {
    const all = `${base}/sandbox/payouts/beneficiaries`;
    const id = await made('sandbox', '/beneficiaries', { name: 'Kofi', channel: 'cm.orange', phone: '690000000' });
    return { page: `${all}/${id}`, send: `${all}/${id}/remove`, to: `${all}?done=remove` };
  },
  'the deletion of an endpoint': async () => {
    const all = `${base}/sandbox/developers/endpoints`;
    const id = await made('sandbox', '/webhooks', { url: 'https://shop.example/hook' });
    return { page: `${all}/${id}/delete`, send: `${all}/${id}/delete`, to: `${all}?done=delete` };
  },
  'the deletion of a draft': async () => {
    const all = `${base}/live/invoices`;
    const items = [{ name: 'Seat', unit_price: 5000 }];
    const id = await made('live', '/invoices', { currency: 'XAF', customer: { phone: '+237650000117' }, items });
    return { page: `${all}/${id}`, send: `${all}/${id}/delete`, to: `${all}?done=delete` };
  },
  'the cancellation of a payment': async () => {
    const id = await made('sandbox', '/payments', { amount: 900, currency: 'XAF', phone: '+237650000000' });
    const page = `${base}/sandbox/payments/${id}`;
    return { page, send: `${page}/cancel`, to: `${page}?done=cancel` };
  },
  'the evidence of a dispute': async () => {
    const page = await disputed();
    const values = { explanation: 'Delivered\r\nby hand', documents: 'https://shop.example/a.pdf' };
    return { page, send: `${page}/evidence`, values, to: `${page}?done=evidence` };
  },
  'the acceptance of a dispute': async () => {
    const page = await disputed();
    return { page: `${page}/accept`, send: `${page}/accept`, values: { confirm: '25000' }, to: `${page}?done=accept` };
  },
};

/** The form in the contents of a page; the frame has others. */
function tokenOf({ text }: Shown): Values {
  return formToken(text.slice(text.indexOf('<main')));
}

for (const [name, make] of Object.entries(FORMS)) {
  test(`a form that is submitted again finds done what it did: ${name}`, async () => {
    const { page, send, values = {}, to } = await make();
    const form = { ...tokenOf(await owner.get(page)), ...values };
    const both = await Promise.all([owner.post(send, form), owner.post(send, form)]);
    const again = await owner.post(send, form);
    for (const answer of [...both, again]) assert.deepEqual([answer.status, answer.to], [303, to], answer.text);
  });
}

test('what was not done is still said to be impossible: another object, another state, other evidence', async () => {
  const token = tokenOf(await owner.get(`${base}/sandbox/payouts/beneficiaries/new`));
  const none = await owner.post(`${base}/sandbox/payouts/beneficiaries/ben_test_${'0'.repeat(26)}/remove`, token);
  assert.equal(none.status, 404);
  const other = await api.newMerchant();
  const { body } = await api.call('POST', '/beneficiaries', {
    key: other.sandbox.secret,
    body: { name: 'Foreign', channel: 'cm.mtn', phone: '650000000' },
  });
  const { id } = body.beneficiary;
  await api.call('DELETE', `/beneficiaries/${id}`, { key: other.sandbox.secret });
  assert.equal((await owner.post(`${base}/sandbox/payouts/beneficiaries/${id}/remove`, token)).status, 404);
  const late = await owner.post(`${base}/sandbox/payments/${await paid(api)}/cancel`, token);
  assert.deepEqual([late.status, /class="alert bad"/.test(late.text)], [400, true]);
  const page = await disputed();
  await owner.post(`${page}/evidence`, { ...token, explanation: 'Delivered' });
  assert.equal((await owner.post(`${page}/evidence`, { ...token, explanation: 'Lost' })).status, 400);
});
