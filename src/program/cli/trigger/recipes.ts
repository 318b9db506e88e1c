import type { EventType } from '../../../money/events/catalogue.ts';
import { commandClock } from '../command-clock.ts';
import { advancePayment } from '../../../edge/sandbox-clock/service.ts';
import { Failure } from '../failure.ts';
import { operator } from '../operator.ts';
import { inStore } from '../in-store.ts';
import { notify } from './disputes.ts';
import { type Maker, PHONES } from './maker.ts';
import { teamOfPayment } from './team.ts';

/**
 * Makes an event happen.
 * @returns the id of the event's resource
 */
type Recipe = (maker: Maker) => Promise<string>;

/** For each event type, how to make it happen, or why that is not possible. */
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
    await maker.call('POST', `/disputes/${dispute}/evidence`, { evidence: { receipt: 'signed by the customer' } });
    return dispute;
  },
  'dispute.closed': async (maker) => {
    const dispute = await disputed(maker);
    await maker.call('POST', `/disputes/${dispute}/accept`);
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
  await maker.call('PATCH', `${path}/${id}`, { name: 'Awa Ndiaye Fall' });
  return id;
}

async function deleted(maker: Maker, path: string, id: string): Promise<string> {
  await maker.call('DELETE', `${path}/${id}`);
  return id;
}

/** Makes a payment expire. The shortest validity is five minutes, so the clock of this payment alone is advanced. */
async function expired(maker: Maker): Promise<string> {
  const payment_id = await maker.payment({ expires: { in: 5 } });
  const team = await teamOfPayment(payment_id);
  const advance = { team_id: team, by_ms: 6 * 60_000, payment_id };
  await inStore('sandbox', { team }, (store) => advancePayment({ clock: commandClock }, store, advance, operator()));
  return payment_id;
}

async function disputed(maker: Maker): Promise<string> {
  const payment = await maker.paid();
  return (await notify('dispute.created', { payment, team: await teamOfPayment(payment) })).id;
}

async function tested(maker: Maker): Promise<string> {
  const { items } = await maker.call('GET', '/webhooks?per_page=100');
  const endpoint = items.find(({ active }: { active: boolean }) => active);
  if (!endpoint) throw new Failure('no webhook endpoint is active', 'Register one with POST /webhooks first.');
  await maker.call('POST', `/webhooks/${endpoint.id}/test`);
  return endpoint.id;
}
