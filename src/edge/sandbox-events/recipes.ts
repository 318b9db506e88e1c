import type { EventType } from '../../money/events/catalogue.ts';
import { type Maker, PHONES } from './maker.ts';
import { NotTriggered } from './sandbox.ts';

/**
 * Triggers an event.
 * @returns the id of the event's resource
 */
type Recipe = (maker: Maker) => Promise<string>;

/** For each event type, the function that triggers it, or the reason why that is not possible. */
export const RECIPES: Record<EventType, Recipe | string> = {
  'payment.created': (maker) => maker.payment(),
  'payment.processing': (maker) => maker.charged(),
  // Above 500,000 XAF a charge is split into tranches. The first captured one makes the payment partial.
  'payment.partial': (maker) => maker.charged(PHONES.succeeds, { amount: 600_000 }),
  'payment.succeeded': (maker) => maker.charged(),
  'payment.failed': (maker) => maker.charged(PHONES.fails),
  'payment.cancelled': (maker) => maker.charged(PHONES.cancelled),
  'payment.expired': expired,
  'payment.refunded': async (maker) => {
    const payment = await maker.paid();
    await maker.refund(payment);
    return payment;
  },
  'payment.partially_refunded': async (maker) => {
    const payment = await maker.paid();
    await maker.refund(payment, 1_000);
    return payment;
  },
  'payment.late_success': 'in the sandbox, money never arrives after a payment has ended',
  'payment.return_required': 'the sandbox can always refund or pay out a return',
  'refund.created': async (maker) => maker.refund(await maker.paid()),
  'refund.succeeded': async (maker) => maker.refund(await maker.paid()),
  'refund.failed': async (maker) => maker.refund(await maker.paid(PHONES.not_refundable)),
  'transfer.created': (maker) => maker.transfer(),
  'transfer.succeeded': (maker) => maker.transfer(),
  'transfer.failed': (maker) => maker.transfer(PHONES.fails),
  'transfer.cancelled': (maker) => maker.transfer(PHONES.cancelled),
  'customer.created': (maker) => maker.customer(),
  'customer.updated': async (maker) => changed(maker, '/customers', await maker.customer()),
  'customer.deleted': async (maker) => deleted(maker, '/customers', await maker.customer()),
  'beneficiary.created': (maker) => maker.beneficiary(),
  'beneficiary.updated': async (maker) => changed(maker, '/beneficiaries', await maker.beneficiary()),
  'beneficiary.deleted': async (maker) => deleted(maker, '/beneficiaries', await maker.beneficiary()),
  'dispute.created': disputed,
  'dispute.updated': async (maker) => {
    const dispute = await disputed(maker);
    const body = { evidence: { receipt: 'signed by the customer' } };
    await maker.call('POST /disputes/:id/evidence', { params: { id: dispute }, body });
    return dispute;
  },
  'dispute.closed': async (maker) => {
    const dispute = await disputed(maker);
    await maker.call('POST /disputes/:id/accept', { params: { id: dispute } });
    return dispute;
  },
  'invoice.created': 'invoices are live only',
  'invoice.sent': 'invoices are live only',
  'invoice.paid': 'invoices are live only',
  'invoice.overdue': 'invoices are live only',
  'invoice.cancelled': 'invoices are live only',
  'link.created': 'payment links are live only',
  'link.updated': 'payment links are live only',
  'account.created': (maker) => maker.account(),
  'account.updated': async (maker) => changed(maker, '/accounts', await maker.account()),
  'webhook.test': tested,
};

async function changed(maker: Maker, path: string, id: string): Promise<string> {
  await maker.call(`PATCH ${path}/:id`, { params: { id }, body: { name: 'Awa Ndiaye Fall' } });
  return id;
}

async function deleted(maker: Maker, path: string, id: string): Promise<string> {
  await maker.call(`DELETE ${path}/:id`, { params: { id } });
  return id;
}

/** Makes a payment expire. The shortest validity is five minutes, so the clock of this payment alone is advanced. */
async function expired(maker: Maker): Promise<string> {
  const payment = await maker.payment({ expires: { in: 5 } });
  await maker.sandbox.expire(payment);
  return payment;
}

async function disputed(maker: Maker): Promise<string> {
  return maker.sandbox.dispute(await maker.paid());
}

async function tested(maker: Maker): Promise<string> {
  const { items } = await maker.call('GET /webhooks', { query: { per_page: 100 } });
  const endpoint = items.find(({ active }: { active: boolean }) => active);
  if (!endpoint) throw new NotTriggered('no_endpoint', 'no webhook endpoint is active');
  await maker.call('POST /webhooks/:id/test', { params: { id: endpoint.id } });
  return endpoint.id;
}

/** How far `Sandbox.expire` advances the clock of a payment. */
export const BEYOND_EXPIRY_MS = 6 * 60_000;
