import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDispute, addLink, change, deliver, type Doctored, eventOf, move, movedOf, payLate, shopOf } from './doctor.ts';
import { testDoctored } from './doctored.ts';
import { judge } from './oracle.ts';
import { soundSnapshot } from './sound-snapshot.ts';
import type { Shown } from './snapshot.ts';

/** Worlds that are wrong in an outcome of a provider, or in what a merchant or payer did, that is rare. */

const attempt = (id: string, status: string, reason: string | null) => ({ id, status, reason });

/** A payout of which another amount moved than was asked for, and which waits for reconciliation. */
function payOtherwise(world: Shown): void {
  Object.assign(movedOf(world, 'po_1'), { amount_minor: 299_00n });
  world.booked = world.booked.filter(({ subject }: Shown) => subject !== 'po_1');
  world.open = [{ kind: 'transfer', id: 'po_1', waits: false }];
  const shop = shopOf(world);
  shop.events = shop.events.filter(({ id }) => id !== 'evt_po_1_1');
  change(world, 'po_1', { status: 'processing' });
  move(world, 'clearing', 'in.transit', 300_00n);
  move(world, 'fee_income', 'reserved', 3_00n);
}

const DOCTORED: Doctored[] = [
  {
    what: 'an attempt that was ended by the rejection of one of several codes, and that collected',
    says: /^ENDED: att_1 was shown as failed/,
    doctor: (world) => {
      eventOf(world, 'evt_trx_1_1').data.attempts = [attempt('att_1', 'failed', 'operator_declined')];
    },
  },
  {
    what: 'a payout that waits because another amount moved, and of which nothing is in transit',
    says: /^LEFT OVER: in\.transit/,
    doctor: (world) => {
      payOtherwise(world);
      move(world, 'in.transit', 'available', 100_00n);
    },
  },
  {
    what: 'a payout of which another amount moved, and that was booked all the same',
    says: /^MISREPORTED: .*key-po_1/,
    doctor: (world) => {
      const booked = structuredClone(world.booked);
      payOtherwise(world);
      world.booked = booked;
    },
  },
  {
    what: 'a payout of which another amount moved, and that is called paid',
    says: /^PAYOUT: po_1 is succeeded/,
    doctor: (world) => {
      payOtherwise(world);
      change(world, 'po_1', { status: 'succeeded' });
    },
  },
  {
    what: 'a payout that failed for another reason than its provider said',
    says: /^REASON: po_1 is failed because of invalid_recipient, should be recipient_unregistered/,
    doctor: (world) => {
      payLate(world);
      world.payouts = [{ subject: 'po_1', end: 'failed', reason: 'recipient_unregistered' }];
      change(world, 'po_1', { reason: 'invalid_recipient' });
    },
  },
  {
    what: 'a payout that has a reason although it was paid',
    says: /^REASON: po_1 is succeeded because of invalid_recipient/,
    doctor: (world) => change(world, 'po_1', { reason: 'invalid_recipient' }),
  },
  {
    what: 'a dispute about another part than was asked for',
    says: /^DISPUTE: dsp_1 is about 400, was opened for 30000/,
    doctor: (world) => {
      addDispute(world, { amount: 400, of: 'available' });
      Object.assign(shopOf(world).claims[0] as object, { amount_minor: 300_00n });
    },
  },
  {
    what: 'two disputes about parts that took more than the payment together',
    says: /^CHARGEBACKS: 0 of trx_1 were refunded and 120000 charged back/,
    doctor: (world) => {
      addDispute(world, { amount: 600, of: 'available' });
      addDispute(world, { amount: 600, of: 'available', id: 'dsp_2' });
    },
  },
  {
    what: 'a payment of a link over an amount that no payer typed',
    says: /^LINK: trx_1 of lnk_1 is over 1000, which nobody typed/,
    doctor: (world) => {
      addLink(world, 'trx_1');
      shopOf(world).typed = new Map([['lnk_1', [999]]]);
    },
  },
  {
    what: 'a customer who is blocked although the merchant took it back',
    says: /^BLOCKED: cus_1 is shown as blocked/,
    doctor: (world) => {
      shopOf(world).customers = [{ id: 'cus_1', blocked: true }];
      shopOf(world).blocked = new Map([['cus_1', false]]);
    },
  },
  {
    what: 'a payment that is paid and was tried again',
    says: /^RETRY: trx_1 is paid, and was tried again by trx_2/,
    doctor: (world) => {
      change(world, 'trx_1', { retried_by: 'trx_2' });
      change(world, 'trx_2', { retry_of: 'trx_1' });
    },
  },
  {
    what: 'two payments that follow the same failed one',
    says: /^RETRY: trx_2 tries trx_3 again, which says trx_1/,
    doctor: (world) => {
      change(world, 'trx_3', { retried_by: 'trx_1' });
      change(world, 'trx_1', { retry_of: 'trx_3' });
      change(world, 'trx_2', { retry_of: 'trx_3' });
    },
  },
  {
    what: 'a payment that follows one that nobody asked for',
    says: /^UNWANTED: trx_2/,
    doctor: (world) => {
      shopOf(world).intents = shopOf(world).intents.filter(({ tag }) => tag !== 't2' && tag !== 't3');
      change(world, 'trx_2', { retry_of: 'trx_3' });
    },
  },
];

testDoctored(DOCTORED);

/** Worlds that look strange, and are right. */
const SOUND: { what: string; doctor(world: Shown): void }[] = [
  { what: 'a payout waits because another amount moved than was asked for', doctor: payOtherwise },
  {
    what: 'a charge that its provider did not show came to money later',
    doctor: (world) => {
      eventOf(world, 'evt_trx_1_1').data.attempts = [attempt('att_1', 'expired', 'channel_unavailable')];
      deliver(world);
    },
  },
  {
    what: 'a payment was charged back in two parts',
    doctor: (world) => {
      addDispute(world, { amount: 300, of: 'available' });
      addDispute(world, { amount: 700, of: 'available', id: 'dsp_2' });
    },
  },
];

for (const { what, doctor } of SOUND) {
  test(`nothing differs where ${what}`, () => {
    const world = soundSnapshot();
    doctor(world);
    assert.deepEqual(judge(world), []);
  });
}
