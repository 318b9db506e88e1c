import { invoice } from './invoices.ts';
import { CREATED, exampleId, PAID } from './ids.ts';
import { attempt, createdPayment, listedPayment, open, payment, refund } from './payments.ts';

const beneficiary = {
  id: exampleId('ben'),
  name: 'Awa Ngo',
  type: 'mobile_money',
  channel: 'cm.mtn',
  phone: '+237650000000',
  account_number: null,
  email: 'awa@suppliers.example',
  bank_code: null,
  country: 'CM',
  currency: 'XAF',
  description: 'Fruit supplier',
  reference: 'supplier-12',
  metadata: null,
  sandbox: true,
  created_at: CREATED,
  updated_at: CREATED,
};

const transfer = {
  id: exampleId('po'),
  reference: 'payroll-08',
  amount: 5000,
  currency: 'XAF',
  fee: 50,
  amount_total: 5050,
  status: 'succeeded',
  reason: null,
  message: null,
  beneficiary: beneficiary.id,
  channel: 'cm.mtn',
  account: null,
  description: 'August delivery',
  metadata: null,
  sandbox: true,
  created_at: '2026-08-01T12:00:00.000Z',
  updated_at: '2026-08-01T12:00:03.517Z',
  completed_at: '2026-08-01T12:00:03.517Z',
};

const account = {
  id: exampleId('acct'),
  name: 'Boutique Bonanjo',
  email: 'owner@bonanjo.example',
  phone: '+237650000000',
  business_profile: { category: 'groceries' },
  split: { type: 'percentage', value: 10 },
  settlement: { channel: 'cm.mtn', account_number: '+237650000000' },
  metadata: null,
  active: true,
  verification: 'pending',
  sandbox: true,
  created_at: CREATED,
  updated_at: CREATED,
};

const figures = {
  total: 74_450,
  available: 49_450,
  pending: 24_500,
  reserved: 0,
  hold: 0,
  disputed: 0,
  'in.transit': 500,
  credit: 0,
  currency: 'XAF',
};

const balanceHistory = {
  id: `${exampleId('att')}/payment.succeeded/0/credit`,
  kind: 'payment.succeeded',
  bucket: 'available',
  amount: 24_500,
  currency: 'XAF',
  source: exampleId('att'),
  subject: payment.id,
  created_at: PAID,
};

const webhook = {
  id: exampleId('wh'),
  url: 'https://shop.example/hooks/pirogue',
  events: ['payment.*', 'refund.succeeded'],
  description: 'The shop',
  active: true,
  metadata: null,
  api_version: '2026-08-01',
  failing_since: null,
  disabled_reason: null,
  backlog_full_since: null,
  sandbox: true,
  created_at: CREATED,
  updated_at: CREATED,
};

const delivery = {
  id: exampleId('whd'),
  webhook: webhook.id,
  event_id: exampleId('evt'),
  event: 'payment.succeeded',
  attempt: 1,
  status: 'succeeded',
  response_status: 204,
  response_body: '',
  error: null,
  duration_ms: 84,
  next_attempt_at: null,
  created_at: '2026-08-01T09:30:41.310Z',
};

/** Builds an event as delivered. */
export function eventExample(type: string, data: object): object {
  return {
    id: exampleId('evt'),
    event: type,
    livemode: false,
    created: PAID,
    api_version: '2026-08-01',
    pending_webhooks: 1,
    request: { id: null, idempotency_key: 'req_test_01kyh5e9p0a1b2c3d4e5f6g7h8' },
    data,
  };
}

const dispute = {
  id: exampleId('dsp'),
  payment: payment.id,
  amount: 25_000,
  currency: 'XAF',
  status: 'needs_response',
  reason: 'fraudulent',
  evidence: null,
  due_at: '2026-08-10T09:00:00.000Z',
  sandbox: true,
  created_at: '2026-08-03T09:00:00.000Z',
  updated_at: '2026-08-03T09:00:00.000Z',
  closed_at: null,
};

const customer = {
  id: exampleId('cus'),
  name: 'Awa Ngo',
  email: 'awa@example.com',
  phone: '+237650000000',
  company_name: null,
  address: { line1: '12 rue Joss', city: 'Douala', country: 'CM' },
  billing: null,
  tax_id: null,
  metadata: { loyalty: 'gold' },
  blocked: false,
  sandbox: true,
  archived_at: null,
  created_at: CREATED,
  updated_at: CREATED,
};

const paymentMethod = {
  id: exampleId('pm'),
  customer: customer.id,
  type: 'mobile_money',
  channel: 'cm.mtn',
  brand: null,
  last4: '0000',
  sandbox: true,
  created_at: PAID,
  last_used_at: PAID,
};

const link = {
  id: exampleId('lnk'),
  title: 'Evening class, one month',
  description: 'Mondays and Thursdays at six.',
  reference: 'class-08',
  amount: 15_000,
  min_amount: null,
  max_amount: null,
  currency: 'XAF',
  status: 'active',
  url: 'https://pay.example/l/01kym0h8v0a1b2c3d4e5f6g7h8.2s4k1x9.Zk3n0Q8yR1xVd2mT7pLw4A',
  expires_at: '2030-08-31T22:00:00.000Z',
  max_uses: 20,
  collect: ['name', 'phone'],
  callback: 'https://shop.example/thanks',
  payments: 4,
  payments_open: 1,
  payments_succeeded: 2,
  amount_collected: 30_000,
  theming: null,
  metadata: { course: 'evening' },
  sandbox: false,
  created_at: CREATED,
  updated_at: CREATED,
};

const limits = { currency: 'XAF', min: 100, max: 500_000, step: 1 };

/** One example per resource, by component name. */
export const RESOURCES = {
  Payment: payment,
  ListedPayment: listedPayment,
  CreatedPayment: createdPayment,
  PendingPayment: { ...payment, ...open, status: 'processing', updated_at: CREATED, attempts: [{ ...attempt, status: 'open' }] },
  CancelledPayment: { ...payment, ...open, status: 'cancelled', channel: null, completed_at: PAID, attempts: [] },
  Refund: refund,
  PendingRefund: { ...refund, status: 'pending', updated_at: refund.created_at, completed_at: null },
  Beneficiary: beneficiary,
  Transfer: transfer,
  PendingTransfer: { ...transfer, status: 'processing', updated_at: transfer.created_at, completed_at: null },
  Account: account,
  Balance: figures,
  BalanceHistory: balanceHistory,
  WebhookEndpoint: webhook,
  WebhookDelivery: delivery,
  Event: eventExample('payment.succeeded', payment),
  Dispute: dispute,
  Customer: customer,
  ErasedCustomer: {
    ...customer,
    name: 'Deleted User 7f3a91c2',
    email: null,
    phone: null,
    address: null,
    metadata: null,
    archived_at: PAID,
    updated_at: PAID,
  },
  PaymentMethod: paymentMethod,
  Link: link,
  Invoice: invoice,
  Identity: {
    resolved: true,
    name: 'Sandbox Account Holder',
    channel: 'cm.mtn',
    phone: '+237650000000',
    account_number: null,
    bank_code: null,
    country: 'CM',
    sandbox: true,
  },
  Channel: {
    id: 'cm.mtn',
    name: 'MTN Mobile Money',
    kind: 'mobile_money',
    country: 'CM',
    ...limits,
    currencies: [limits],
    ussd_hint: '*126#',
    status: 'operational',
  },
  Country: { code: 'CM', name: 'Cameroon', calling_code: '237', currencies: ['XAF'] },
  CurrencyEntry: { code: 'XAF', name: 'Central African CFA franc', decimals: 0 },
  Bank: { country: 'NG', code: '058', name: 'Guaranty Trust Bank' },
  Onboarding: {
    url: 'https://pay.example/onboarding/c2FuZGJveC5hY2N0LjAxa3ZjeTJxODA',
    expires_at: '2026-08-08T09:30:00.000Z',
  },
} as const;
