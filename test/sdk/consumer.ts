import {
  type CreatePaymentBody,
  type List,
  type ListedPayment,
  type Payment,
  PaymentDeclinedError,
  type Pirogue,
  type PirogueEvent,
  type Refund,
  verifyWebhook,
} from '../../sdk/src/index.ts';

/** A program of a merchant, compiled against the built declarations: what it says about types is the test. */
export async function program(pirogue: Pirogue): Promise<void> {
  const order: CreatePaymentBody = { amount: 1, currency: 'XAF', email: undefined };
  // @ts-expect-error an amount is required
  await pirogue.payments.create({ currency: 'XAF' });
  // @ts-expect-error there is no such currency
  await pirogue.payments.create({ amount: 1, currency: 'XXX' });
  // @ts-expect-error a typing mistake in a field
  await pirogue.payments.create({ ...order, refrence: 'order-1' });
  const stall = { account: 'acct_test_1' };
  await pirogue.payments.create(order, stall);
  await pirogue.transfers.create({ ...order, channel: 'cm.mtn', recipient: '650000000' }, stall);
  await pirogue.balance.retrieve({ currency: 'XAF' }, stall);
  // @ts-expect-error a refund is of its payment, whoever that was for
  await pirogue.refunds.create({ payment: 'trx_1' }, stall);
  const list: List<ListedPayment> = pirogue.payments.list({ status: 'succeeded' });
  for await (const { status } of list) {
    // @ts-expect-error there is no such status
    if (status === 'paid') return;
  }
  await pirogue.payments.charge('trx_1', { channel: 'cm.mtn' }).catch((error: unknown) => {
    if (error instanceof PaymentDeclinedError && error.error_code === 'insufficient_funds') return error.payer_message;
    throw error;
  });
  narrows(await verifyWebhook('{}', new Headers(), 'whsec_'));
}

function narrows(event: PirogueEvent): Payment | Refund | null {
  switch (event.event) {
    case 'payment.succeeded':
      return event.data satisfies Payment;
    case 'refund.failed':
      // @ts-expect-error a typing mistake in a field of the event
      if (event.data.refrence) return null;
      return null;
    case 'refund.succeeded':
      return event.data satisfies Refund;
    // @ts-expect-error there is no such type
    case 'payment.paid':
      return null;
    default:
      return null;
  }
}
