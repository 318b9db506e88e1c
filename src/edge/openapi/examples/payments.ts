import { CREATED, exampleId, PAID } from './ids.ts';

export const listedPayment = {
  id: exampleId('trx'),
  reference: 'order-1042',
  amount: 25_000,
  currency: 'XAF',
  status: 'succeeded',
  channel: 'cm.mtn',
  description: 'Two baskets of mangoes',
  sandbox: true,
  created_at: CREATED,
};

const { channel: _, ...created } = { ...listedPayment, status: 'pending' };

export const createdPayment = created;

export const attempt = {
  id: exampleId('att'),
  provider: 'sandbox',
  channel: 'cm.mtn',
  status: 'succeeded',
  reason: null,
  explanation: 'No rule matched: in the sandbox the built-in provider takes what no rule sends elsewhere.',
  created_at: '2026-08-01T09:30:12.400Z',
};

export const payment = {
  ...listedPayment,
  settled: true,
  reason: null,
  metadata: { cart: 'A-7' },
  amount_total: 25_000,
  amount_captured: 25_000,
  amount_refunded: 0,
  fee: 500,
  bearer: 'merchant',
  message: null,
  customer: null,
  payment_method: null,
  account: null,
  retry_of: null,
  retried_by: null,
  callback: 'https://shop.example/thanks',
  items: [{ name: 'Basket of mangoes', quantity: 2 }],
  address: null,
  shipping: null,
  theming: null,
  expires_at: '2026-08-02T09:30:00.000Z',
  completed_at: PAID,
  updated_at: PAID,
  attempts: [attempt],
};

export const open = { settled: false, amount_captured: 0, completed_at: null };

export const refund = {
  id: exampleId('rfd'),
  payment: payment.id,
  amount: 10_000,
  currency: 'XAF',
  status: 'succeeded',
  reason: 'requested_by_customer',
  failure_reason: null,
  message: null,
  fee: 0,
  sandbox: true,
  metadata: null,
  created_at: '2026-08-01T11:02:10.000Z',
  updated_at: '2026-08-01T11:02:10.140Z',
  completed_at: '2026-08-01T11:02:10.140Z',
};
