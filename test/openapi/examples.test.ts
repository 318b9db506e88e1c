import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { saveMethod } from '../../src/core/customers/methods.ts';
import { openDispute } from '../../src/core/disputes/service.ts';
import { exampleId } from '../../src/edge/openapi/examples/ids.ts';
import type { Example, Operation, Parameter } from '../../src/edge/openapi/types.ts';
import { type Answer, type Api, type Merchant, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { contractOf } from './contract.ts';

/**
 * Every request that the document shows is sent to a running service: with its example parameters and each example of its
 * body, ids of examples replaced by ones that exist. It must succeed, with the message that the example of the answer has.
 */
let api: Api;
let merchant: Merchant;
/** Counted, not random: digits drawn by lot can be a card number, which no header may hold. */
let sentCount = 0;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

const create = async (path: string, body: object): Promise<Record<string, Record<string, string>>> => {
  const answer = await api.call('POST', path, { key: merchant.sandbox.secret, body });
  assert.ok(answer.status < 300, `${path} ${JSON.stringify(answer.body)}`);
  return answer.body;
};
const pending = async () =>
  (await create('/payments', { amount: 25_000, currency: 'XAF', phone: '650000000' })).transaction?.id as string;

const paidOne = () => paid(api, { key: merchant.sandbox.secret });

/** Makes a resource of this prefix in the state in which most operations take it. */
const MAKE: Record<string, (made: Record<string, string>) => Promise<string>> = {
  trx: paidOne,
  rfd: async () => (await create('/refunds', { payment: await paidOne(), reason: 'duplicate' })).refund?.id as string,
  ben: async () =>
    (await create('/beneficiaries', { name: 'Awa', channel: 'cm.mtn', phone: '650000000' })).beneficiary?.id as string,
  po: async () => {
    await paidOne();
    const body = { amount: 500, currency: 'XAF', recipient: '+237650000000', channel: 'cm.mtn' };
    return (await create('/transfers', body)).transfer?.id as string;
  },
  acct: async () => (await create('/accounts', { name: 'Awa', email: 'awa@shop.example' })).account?.id as string,
  wh: async () => (await create('/webhooks', { url: 'https://shop.example/hooks', events: ['invoice.*'] })).webhook?.id as string,
  cus: async () =>
    (await create('/customers', { name: 'Awa', phone: `+23765${String(++sentCount).padStart(7, '0')}` })).customer?.id as string,
  pm: ({ cus = '' }) => savedMethod(cus),
  evt: async () => {
    await MAKE.ben?.({});
    return (await api.call('GET', '/events', { key: merchant.sandbox.secret })).body.items[0].id;
  },
  inv: async () => {
    const body = { items: [{ name: 'Mangoes', unit_price: 500 }], currency: 'XAF', customer: { email: 'awa@shop.example' } };
    return (await api.call('POST', '/invoices', { key: merchant.live.secret, body })).body.invoice.id;
  },
  lnk: async () => {
    const body = { title: 'Class', amount: 500, currency: 'XAF' };
    return (await api.call('POST', '/links', { key: merchant.live.secret, body })).body.link.id;
  },
  dsp: async () => {
    const payment_id = await paidOne();
    return (await openDispute(api.deps, api.deps.stores.sandbox, { team_id: merchant.team.id, payment_id, reason: 'fraudulent' }))
      .id;
  },
};

/** A number saved for the customer of the same request: the API has no call for it. */
async function savedMethod(customer_id: string): Promise<string> {
  const { secrets, stores } = api.deps;
  const means = {
    type: 'mobile_money',
    channel: 'cm.mtn',
    token: '+237650000000',
    provider_account: null,
    brand: null,
    last4: '0000',
  } as const;
  const made = await stores.sandbox.db.transaction((tx) =>
    saveMethod(tx, secrets, { environment: 'sandbox', at: Date.now() }, { team_id: merchant.team.id, id: customer_id }, means),
  );
  return made.id;
}

/** Where the path's payment must not have been paid yet. */
const PENDING = new Set(['cancelPayment', 'chargePayment']);

/** The text with every example id in it replaced by one that was made for it. */
async function real(text: string, operationId: string): Promise<string> {
  let found = text;
  const made: Record<string, string> = {};
  for (const [prefix, make] of Object.entries(MAKE)) {
    if (!found.includes(exampleId(prefix))) continue;
    const id = prefix === 'trx' && PENDING.has(operationId) ? await pending() : await make(made);
    made[prefix] = id;
    found = found.replaceAll(exampleId(prefix), id);
  }
  return found;
}

async function send(name: string, operation: Operation, example: Example | undefined): Promise<Answer> {
  const [method = '', template = ''] = name.split(' ');
  const contract = contractOf();
  const parameters = operation.parameters.map((found) => contract.resolve<Parameter>(found));
  const path = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, String(parameter.example)), template);
  const asked = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined);
  const query = new URLSearchParams(asked.map(({ name: key, example: value }) => [key, String(value)])).toString();
  const headers = { 'Idempotency-Key': `example-${++sentCount}`, 'X-Service-Version': '2026-08-01' };
  const whole = JSON.stringify({ path: query ? `${path}?${query}` : path, body: example?.value });
  const sent = JSON.parse(await real(whole, operation.operationId));
  const { secret } = merchant[operation['x-live-only'] ? 'live' : 'sandbox'];
  return api.call(method, sent.path, { key: secret, headers, ...(example ? { body: sent.body } : {}) });
}

function messageOf(operation: Operation, status: number): string | undefined {
  const response = contractOf().resolve(operation.responses[status] ?? { description: '' });
  const shown = response.content?.['application/json'].examples?.answer as Example | undefined;
  return (shown?.value as { message?: string } | undefined)?.message;
}

test('every example request succeeds as shown', async (t) => {
  for (const [template, methods] of Object.entries(contractOf().document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${template}`;
      const examples = operation.requestBody?.content['application/json'].examples ?? { 'as it is': undefined };
      for (const [title, example] of Object.entries(examples)) {
        await t.test(`${name}: ${title}`, async () => {
          // Nobody's earlier request stands in the way, such as a customer who has the number already.
          merchant = await api.newMerchant({ verification_level: operation.operationId === 'sendInvoice' ? 1 : 0 });
          if (operation.operationId === 'createTransfer') await paidOne();
          const { status, body } = await send(name, operation, example as Example | undefined);
          assert.ok(status >= 200 && status < 300, `${status} ${JSON.stringify(body)}`);
          assert.equal(body.message, messageOf(operation, status));
        });
      }
    }
  }
});
