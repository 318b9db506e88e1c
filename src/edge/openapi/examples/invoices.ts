import { CREATED, exampleId, PAID } from './ids.ts';

/** A sent invoice. */
export const invoice = {
  id: exampleId('inv'),
  number: 'INV-000042',
  status: 'sent',
  reference: 'order-1042',
  currency: 'XAF',
  items: [
    { name: 'Mangoes', description: 'Amélie, by the kilogramme', quantity: 12.5, unit_price: 850, amount: 10_625 },
    { name: 'Delivery', description: null, quantity: 1, unit_price: 2000, amount: 2000 },
  ],
  amount: 12_625,
  amount_paid: 0,
  amount_refunded: 0,
  amount_due: 12_625,
  allow_partial: true,
  min_amount: 5000,
  customer: exampleId('cus').replace('test_', ''),
  recipient: { name: 'Awa Ngo', email: 'awa@example.com', phone: '+237650000000' },
  due_date: '2030-08-31',
  notes: 'Thank you for your order.',
  locale: 'fr',
  url: 'https://pay.example/invoice/01kyk9g7t0a1b2c3d4e5f6g7h8.2s4k1x9.Zk3n0Q8yR1xVd2mT7pLw4A',
  payment: null,
  metadata: { cart: 'A-7' },
  sandbox: false,
  sent_at: PAID,
  viewed_at: null,
  paid_at: null,
  cancelled_at: null,
  created_at: CREATED,
  updated_at: PAID,
};

/** The same invoice as a draft. */
export const draftInvoice = { ...invoice, number: null, status: 'draft', url: null, sent_at: null, updated_at: CREATED };

export const cancelledInvoice = { ...invoice, status: 'cancelled', amount_due: 0, cancelled_at: PAID };

const [mangoes, delivery] = invoice.items.map(({ amount: _, ...item }) => item);

/** Body of POST /invoices. */
export const newInvoice = {
  items: [mangoes, { name: delivery?.name, unit_price: delivery?.unit_price }],
  currency: invoice.currency,
  customer: { name: 'Awa Ngo', email: 'awa@example.com', phone: '+237650000000' },
  due_date: invoice.due_date,
  notes: invoice.notes,
  reference: invoice.reference,
  allow_partial: invoice.allow_partial,
  min_amount: invoice.min_amount,
  locale: invoice.locale,
  metadata: invoice.metadata,
};
