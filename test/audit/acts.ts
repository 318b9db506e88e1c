import { saveMethod } from '../../src/core/customers/methods.ts';
import { openDispute } from '../../src/core/disputes/service.ts';
import type { Environment } from '../../src/kit/environment.ts';
import type { Answer, Api, Merchant } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';

/** One shop in the sandbox. What is prepared for an act is done with another key than the act. */
export interface Shop {
  api: Api;
  merchant: Merchant;
  /** A call that has to succeed, in the sandbox unless told. */
  done(method: string, path: string, body?: unknown, environment?: Environment): Promise<Answer['body']>;
}

export interface Act {
  action: string;
  /** Default: sandbox. */
  environment?: Environment;
  /** Makes what it is done to. @returns the path's parameters, and the body */
  prepare(shop: Shop): Promise<{ params?: Record<string, string>; body?: unknown }>;
  /** The id of what it was done to. Left out: the parameter `id`. */
  resource?(body: Answer['body'], params: Record<string, string>): string;
}

const customer = async (shop: Shop) =>
  (await shop.done('POST', '/customers', { name: 'Aminata Diallo', email: unique() })).customer.id as string;
const beneficiary = async (shop: Shop) => (await shop.done('POST', '/beneficiaries', PAYEE)).beneficiary.id as string;
const account = async (shop: Shop) => (await shop.done('POST', '/accounts', SELLER)).account.id as string;
const webhook = async (shop: Shop) => (await shop.done('POST', '/webhooks', ENDPOINT)).webhook.id as string;
const payment = async (shop: Shop) =>
  (await shop.done('POST', '/payments', { amount: 5_000, currency: 'XAF', phone: '+237650000000', email: unique() })).transaction
    .id as string;

/** Personal data of people who appear in these acts: nothing of it may stand in the trail. */
export const PERSONAL = [
  'Diallo',
  'Aminata',
  'payer.example',
  '650000000',
  'Chez Awa',
  'shop.example',
  '690000000',
  '41.202.219.73',
];

const PAYEE = { name: 'Aminata Diallo', channel: 'cm.mtn', phone: '650000000', email: 'aminata@payer.example' };
const SELLER = { name: 'Aminata Diallo', email: 'aminata@payer.example', phone: '+237690000000' };
const ENDPOINT = { url: 'https://hooks.shop.example/pirogue' };

const LINK = { title: 'Tontine', amount: 5_000, currency: 'XAF' };
const INVOICE = {
  currency: 'XAF',
  items: [{ name: 'Bag', unit_price: 1_000, quantity: 1 }],
  customer: { name: 'Aminata Diallo', email: 'aminata@payer.example' },
};
const link = async (shop: Shop) => (await shop.done('POST', '/links', LINK, 'live')).link.id as string;
const invoice = async (shop: Shop) => (await shop.done('POST', '/invoices', INVOICE, 'live')).invoice.id as string;
const live = (act: Act): Act => ({ ...act, environment: 'live' });

let serial = 0;
function unique(): string {
  serial += 1;
  return `aminata.${serial}@payer.example`;
}

const on = (make: (shop: Shop) => Promise<string>, body?: unknown): Act['prepare'] => {
  return async (shop) => ({ params: { id: await make(shop) }, ...(body === undefined ? {} : { body }) });
};

async function method(shop: Shop): Promise<{ params: Record<string, string> }> {
  const { stores, secrets } = shop.api.deps;
  const id = await customer(shop);
  const means = { type: 'mobile_money', channel: 'cm.mtn', provider_account: null, brand: null, last4: '0000' } as const;
  const row = await stores.sandbox.db.transaction((tx) =>
    saveMethod(
      tx,
      secrets,
      { environment: 'sandbox', at: Date.now() },
      { team_id: shop.merchant.team.id, id },
      {
        ...means,
        token: '+237650000000',
      },
    ),
  );
  return { params: { id, method: row.id } };
}

async function dispute(shop: Shop): Promise<string> {
  const payment_id = await paid(shop.api, { key: shop.merchant.sandbox.secret });
  const { deps } = shop.api;
  return (await openDispute(deps, deps.stores.sandbox, { team_id: shop.merchant.team.id, payment_id, reason: 'fraudulent' })).id;
}

const accounts = (base: string): Record<string, Act> => ({
  [`POST ${base}`]: { action: 'account.create', prepare: async () => ({ body: SELLER }), resource: (body) => body.account.id },
  [`PATCH ${base}/:id`]: { action: 'account.update', prepare: on(account, { name: 'Aminata Diallo et fils' }) },
  [`PUT ${base}/:id`]: { action: 'account.update', prepare: on(account, SELLER) },
  [`POST ${base}/:id/deactivate`]: { action: 'account.deactivate', prepare: on(account) },
  [`POST ${base}/:id/reactivate`]: { action: 'account.reactivate', prepare: on(account) },
  [`POST ${base}/:id/onboarding`]: { action: 'account.onboard', prepare: on(account) },
});

/** What writes no entry, and why. */
export const NO_ENTRY: Record<string, string> = {
  'POST /payments': 'the row of the payment carries key and request',
  'POST /identity/resolve': 'it changes nothing',
};

/** Every other operation that changes something, by one call that succeeds. */
export const ACTS: Record<string, Act> = {
  'POST /payments/:id': {
    action: 'payment.charge',
    prepare: on(payment, { channel: 'cm.mtn', data: { phone: '650000000' }, client_ip: '41.202.219.73' }),
  },
  'DELETE /payments/:id': { action: 'payment.cancel', prepare: on(payment) },
  'POST /refunds': {
    action: 'refund.create',
    prepare: async (shop) => {
      const id = await paid(shop.api, { key: shop.merchant.sandbox.secret });
      return { body: { payment: id, amount: 100, reason: 'duplicate' } };
    },
    resource: (body) => body.refund.id,
  },
  'POST /disputes/:id/evidence': {
    action: 'dispute.submit_evidence',
    prepare: on(dispute, { evidence: { note: 'Aminata Diallo has it' } }),
  },
  'POST /disputes/:id/accept': { action: 'dispute.accept', prepare: on(dispute) },
  'POST /transfers': {
    action: 'transfer.create',
    prepare: async () => ({ body: { amount: 100, currency: 'XAF', beneficiary: PAYEE } }),
    resource: (body) => body.transfer.id,
  },
  'POST /beneficiaries': {
    action: 'beneficiary.create',
    prepare: async () => ({ body: PAYEE }),
    resource: (body) => body.beneficiary.id,
  },
  'PUT /beneficiaries/:id': {
    action: 'beneficiary.update',
    prepare: on(beneficiary, { name: 'Aminata Diallo', phone: '650000000' }),
  },
  'PATCH /beneficiaries/:id': { action: 'beneficiary.update', prepare: on(beneficiary, { name: 'Aminata Diallo' }) },
  'DELETE /beneficiaries/:id': { action: 'beneficiary.delete', prepare: on(beneficiary) },
  'POST /customers': {
    action: 'customer.create',
    prepare: async () => ({ body: { name: 'Aminata Diallo', email: unique() } }),
    resource: (body) => body.customer.id,
  },
  'PUT /customers/:id': {
    action: 'customer.update',
    prepare: async (shop) => ({ params: { id: await customer(shop) }, body: { name: 'Aminata', email: unique() } }),
  },
  'PATCH /customers/:id': { action: 'customer.update', prepare: on(customer, { name: 'Aminata' }) },
  'DELETE /customers/:id': { action: 'customer.erase', prepare: on(customer) },
  'POST /customers/:id/block': { action: 'customer.block', prepare: on(customer) },
  'POST /customers/:id/unblock': { action: 'customer.unblock', prepare: on(customer) },
  'DELETE /customers/:id/payment_methods/:method': {
    action: 'payment_method.delete',
    prepare: method,
    resource: (_, params) => params.method as string,
  },
  ...accounts('/accounts'),
  ...accounts('/subaccounts'),
  'POST /links': live({ action: 'link.create', prepare: async () => ({ body: LINK }), resource: (body) => body.link.id }),
  'PATCH /links/:id': live({ action: 'link.update', prepare: on(link, { active: false }) }),
  'POST /invoices': live({
    action: 'invoice.create',
    prepare: async () => ({ body: INVOICE }),
    resource: (body) => body.invoice.id,
  }),
  'PATCH /invoices/:id': live({ action: 'invoice.update', prepare: on(invoice, { metadata: { a: 'Aminata' } }) }),
  'DELETE /invoices/:id': live({ action: 'invoice.delete', prepare: on(invoice) }),
  'POST /invoices/:id/send': live({ action: 'invoice.send', prepare: on(invoice) }),
  'POST /invoices/:id/cancel': live({ action: 'invoice.cancel', prepare: on(invoice) }),
  'POST /webhooks': { action: 'webhook.create', prepare: async () => ({ body: ENDPOINT }), resource: (body) => body.webhook.id },
  'PATCH /webhooks/:id': { action: 'webhook.update', prepare: on(webhook, { description: 'Aminata' }) },
  'PUT /webhooks/:id': { action: 'webhook.update', prepare: on(webhook, ENDPOINT) },
  'DELETE /webhooks/:id': { action: 'webhook.delete', prepare: on(webhook) },
  'POST /webhooks/:id/rotate-secret': { action: 'webhook.rotate_secret', prepare: on(webhook) },
  'POST /webhooks/:id/test': { action: 'webhook.test', prepare: on(webhook) },
  'POST /events/:id/resend': {
    action: 'event.resend',
    prepare: on(async (shop) => {
      await customer(shop);
      return (await shop.done('GET', '/events?per_page=1')).items[0].id;
    }),
  },
};
