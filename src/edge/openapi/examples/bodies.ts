import type { Example } from '../types.ts';
import { exampleId } from './ids.ts';
import { newInvoice } from './invoices.ts';
import { RESOURCES } from './resources.ts';

const { Account: account, Beneficiary: beneficiary, Customer: customer, Link: link, WebhookEndpoint: webhook } = RESOURCES;

const newAccount = {
  name: account.name,
  email: account.email,
  phone: account.phone,
  split: account.split,
  settlement: account.settlement,
};

const newBeneficiary = {
  name: beneficiary.name,
  channel: beneficiary.channel,
  phone: '650000000',
  email: beneficiary.email,
  reference: beneficiary.reference,
};

const newCustomer = { name: customer.name, email: customer.email, phone: customer.phone, address: customer.address };

const newWebhook = { url: webhook.url, events: webhook.events, description: webhook.description };

/** Request bodies by operation. test/openapi/examples.test.ts sends each of them to a running service. */
const BODIES: Record<string, Record<string, Example>> = {
  createPayment: {
    simple: {
      summary: 'Minimal',
      value: { amount: 25_000, currency: 'XAF', phone: '+237650000000' },
    },
    complete: {
      summary: 'With order details',
      value: {
        amount: 25_000,
        currency: 'XAF',
        customer: { email: 'awa@example.com', phone: '+237650000000', name: 'Awa Ngo' },
        description: 'Two baskets of mangoes',
        reference: 'order-1042',
        callback: 'https://shop.example/thanks',
        expires: { in: 60 },
        items: [{ name: 'Basket of mangoes', quantity: 2 }],
        metadata: { cart: 'A-7' },
        bearer: 'merchant',
      },
    },
  },
  chargePayment: {
    mobile_money: { summary: 'Mobile Money', value: { channel: 'cm.mtn', data: { phone: '650000000' } } },
    bank: { summary: 'Bank transfer', value: { channel: 'cm.bank', data: { account_number: '1000200000' } } },
    card: { summary: 'Card: the response has the address of the card page', value: { channel: 'cm.card' } },
  },
  createRefund: {
    all: {
      summary: 'The remaining amount',
      value: { payment: exampleId('trx'), reason: 'requested_by_customer' },
    },
    part: {
      summary: 'A part',
      value: { payment: exampleId('trx'), amount: 10_000, reason: 'product_not_received', metadata: { ticket: 'T-88' } },
    },
  },
  submitDisputeEvidence: {
    delivered: {
      summary: 'Proof of delivery',
      value: { evidence: { explanation: 'Handed over on 2 August.', receipt_url: 'https://shop.example/receipts/1042' } },
    },
  },
  createTransfer: {
    saved: {
      summary: 'To a saved beneficiary',
      value: {
        amount: 5000,
        currency: 'XAF',
        beneficiary: exampleId('ben'),
        reference: 'payroll-08',
        description: 'August delivery',
      },
    },
    phone: {
      summary: 'To a phone number',
      value: { amount: 5000, currency: 'XAF', recipient: '+237650000000', channel: 'cm.mtn' },
    },
    written_out: {
      summary: 'To a new beneficiary',
      value: { amount: 5000, currency: 'XAF', beneficiary: { name: 'Awa Ngo', channel: 'cm.mtn', phone: '650000000' } },
    },
  },
  createBeneficiary: {
    mobile_money: { summary: 'Mobile Money', value: newBeneficiary },
    bank: {
      summary: 'Bank account',
      value: { name: 'Ngozi Eze', channel: 'ng.bank', account_number: '0123456789', bank_code: '058' },
    },
  },
  replaceBeneficiary: { phone: { summary: 'Another number', value: { ...newBeneficiary, phone: '650000001' } } },
  updateBeneficiary: { name: { summary: 'Another name', value: { name: 'Awa Ngo Mbarga' } } },
  createAccount: { percentage: { summary: 'The platform keeps 10 %', value: newAccount } },
  replaceAccount: {
    fixed: { summary: 'The platform keeps 500', value: { ...newAccount, split: { type: 'fixed', value: 500 } } },
  },
  updateAccount: { name: { summary: 'Another name', value: { name: 'Boutique Bonanjo II' } } },
  createCustomer: { person: { summary: 'A person', value: { ...newCustomer, metadata: customer.metadata } } },
  replaceCustomer: { person: { summary: 'All fields', value: newCustomer } },
  updateCustomer: { tax_id: { summary: 'A tax number', value: { tax_id: 'P047712345678K' } } },
  createInvoice: { complete: { summary: 'Two lines, payable in parts', value: newInvoice } },
  updateInvoice: { later: { summary: 'More time to pay', value: { due_date: '2030-09-30' } } },
  createLink: {
    fixed: {
      summary: 'A fixed amount, twenty times',
      value: {
        title: link.title,
        description: link.description,
        reference: link.reference,
        amount: link.amount,
        currency: link.currency,
        expires_at: link.expires_at,
        max_uses: link.max_uses,
        collect: link.collect,
        callback: link.callback,
        metadata: link.metadata,
      },
    },
    open: { summary: 'The payer chooses', value: { title: 'A gift for the school', currency: 'XAF', min_amount: 500 } },
  },
  updateLink: {
    off: { summary: 'Switch it off', value: { active: false } },
    longer: { summary: 'Take payments for longer', value: { expires_at: '2030-09-30T22:00:00.000Z' } },
  },
  resolveIdentity: {
    phone: { summary: 'A phone number', value: { channel: 'cm.mtn', phone: '650000000' } },
    account: { summary: 'A bank account', value: { channel: 'ng.bank', account_number: '0123456789', bank_code: '058' } },
  },
  createWebhook: {
    some: { summary: 'Some types', value: newWebhook },
    all: { summary: 'Everything', value: { url: webhook.url } },
  },
  replaceWebhook: { some: { summary: 'Other types', value: { ...newWebhook, events: ['transfer.*'] } } },
  updateWebhook: { on: { summary: 'Switch it on again', value: { active: true } } },
};

/**
 * Returns the request examples of an operation.
 * @param operationId `createSubaccount` has the bodies of `createAccount`
 */
export function bodyExamples(operationId: string): Record<string, Example> {
  return BODIES[operationId.replace('Subaccount', 'Account')] ?? {};
}
