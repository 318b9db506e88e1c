import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Doctored,
  shopOf,
  eventOf,
  endpointOf,
  takenOf,
  movedOf,
  balanceOf,
  retrievedOf,
  addDispute,
  addLink,
  payLate,
} from './doctor.ts';
import { testDoctored } from './doctored.ts';
import { judge } from './oracle.ts';
import { soundSnapshot } from './sound-snapshot.ts';

test('nothing differs in a sound world', () => {
  assert.deepEqual(judge(soundSnapshot()), []);
});

test('nothing differs in a sound world in which a failed payout reached its recipient all the same', () => {
  const world = soundSnapshot();
  payLate(world);
  assert.deepEqual(judge(world), []);
});

const link = { id: 'lnk_1', max_uses: 1, payments_succeeded: 1, payments_open: 0, amount: 10, amount_collected: 10 };

const DOCTORED: Doctored[] = [
  {
    what: 'an operation at the provider that the ledger lacks',
    says: /^LOST: .*key-att_1/,
    doctor: (world) => void world.booked.shift(),
  },
  {
    what: 'a booking for which no provider moved money',
    says: /^MISREPORTED: .*key-po_1/,
    doctor: (world) => void world.moved.pop(),
  },
  {
    what: 'an operation booked with another amount',
    says: /^AMOUNT: .*key-att_2/,
    doctor: (world) => Object.assign(world.booked[1] as object, { amount_minor: 1_999_00n }),
  },
  {
    what: 'a payer charged twice',
    says: /^CHARGED: trx_1/,
    doctor: (world) => void world.moved.push({ ...movedOf(world, 'att_1'), key: 'key-again' }),
  },
  {
    what: 'a key that moved money twice',
    says: /^TWICE: key-att_1/,
    doctor: (world) => void world.moved.push(movedOf(world, 'att_1')),
  },
  {
    what: 'late money that was not returned',
    says: /^CHARGED: trx_3/,
    doctor: (world) => void world.moved.splice(4, 1),
  },
  {
    what: 'a refund above what was collected',
    says: /^REFUNDED TOO MUCH: trx_2/,
    doctor: (world) => Object.assign(movedOf(world, 'rfd_2'), { amount_minor: 2_001_00n }),
  },
  {
    what: 'a refund that no payment shows',
    says: /^REFUNDED: trx_2/,
    doctor: (world) => Object.assign(eventOf(world, 'evt_trx_2_2').data, { amount_refunded: 400 }),
  },
  {
    what: 'a failed refund whose money left',
    says: /^REFUND: rfd_2/,
    doctor: (world) => Object.assign(shopOf(world).refunds[0], { status: 'failed' }),
  },
  {
    what: 'a payout that was made twice',
    says: /^PAYOUT: po_1/,
    doctor: (world) => void world.moved.push({ ...movedOf(world, 'po_1'), key: 'key-po_1-1' }),
  },
  {
    what: 'a failed payout that was made',
    says: /^PAYOUT: po_1/,
    doctor: (world) => Object.assign(shopOf(world).transfers[0], { status: 'failed' }),
  },
  {
    what: 'a failed payout that says that it was made after all, and was not',
    says: /^PAYOUT: po_1/,
    doctor: (world) => {
      payLate(world);
      world.moved.pop();
    },
  },
  {
    what: 'a failed payout that was made after all, and whose amount the merchant still has',
    says: /^SHARE: the team/,
    doctor: (world) => {
      payLate(world);
      Object.assign(balanceOf(world, 'available'), { amount_minor: 2_440_00n });
    },
  },
  {
    what: 'a failed refund that says that it was made after all, and was not',
    says: /^REFUND: rfd_2/,
    doctor: (world) => {
      const message = 'Part 1 reached the payer after the refund had failed.';
      Object.assign(shopOf(world).refunds[0] as object, { status: 'failed', message });
      world.moved = world.moved.filter(({ subject }) => subject !== 'rfd_2');
    },
  },
  {
    what: 'a payment of which a late refund and a chargeback took too much, and that nobody reports',
    says: /^VERIFY: of trx_2 too much went back/,
    doctor: (world) => {
      addDispute(world, { payment: 'trx_2', amount: 2_000, of: 'available' });
      const message = 'Part 1 reached the payer after the refund had failed.';
      Object.assign(shopOf(world).refunds[0] as object, { status: 'failed', message });
      Object.assign(movedOf(world, 'rfd_2'), { late: true });
    },
  },
  {
    what: 'a payout that was called failed while its provider made it, with a message that it arrived late',
    says: /^PAYOUT: po_1/,
    doctor: (world) => {
      payLate(world);
      Object.assign(movedOf(world, 'po_1'), { late: false });
    },
  },
  {
    what: 'a refund that was called failed while its provider made it, with a message that it arrived late',
    says: /^REFUND: rfd_2/,
    doctor: (world) => {
      const message = 'Part 1 reached the payer after the refund had failed.';
      Object.assign(shopOf(world).refunds[0] as object, { status: 'failed', message });
    },
  },
  {
    what: 'money that went back twice, neither time late, and that the platform bears',
    says: /^BORNE: trx_3/,
    doctor: (world) => {
      world.moved.push({ ...movedOf(world, 'rfd_3'), key: 'key-again' } as never);
      world.absorbed.push({ payment: 'trx_3', currency: 'XAF', amount_minor: 700_00n });
    },
  },
  {
    what: 'money that went back once, and that the platform is said to have borne',
    says: /^CHARGED: trx_3/,
    doctor: (world) => void world.absorbed.push({ payment: 'trx_3', currency: 'XAF', amount_minor: 700_00n }),
  },
  {
    what: 'a loss of the platform that its income does not show',
    says: /^ACCOUNT: fee_income/,
    doctor: (world) => void world.absorbed.push({ payment: 'trx_3', currency: 'XAF', amount_minor: 700_00n }),
  },
  {
    what: 'an attempt that was left unknown',
    says: /^OPEN: attempt att_9/,
    doctor: (world) => void world.open.push({ kind: 'attempt', id: 'att_9', waits: false }),
  },
  {
    what: 'a delivery that still waits',
    says: /^OPEN: 1 deliveries/,
    doctor: (world) => Object.assign(world, { undelivered: 1 }),
  },
  {
    what: 'a balance that is one hundredth off',
    says: /^LEDGER: the accounts/,
    doctor: (world) => Object.assign(balanceOf(world, 'available'), { amount_minor: 2_137_01n }),
  },
  {
    what: 'a balance shown one franc off',
    says: /^BALANCE: available/,
    doctor: (world) => Object.assign(shopOf(world).balances[0], { available: 2_136, total: 2_136 }),
  },
  {
    what: 'a total that is not the sum of its parts',
    says: /^BALANCE: the total/,
    doctor: (world) => Object.assign(shopOf(world).balances[0], { total: 2_138 }),
  },
  {
    what: 'a guarded balance below zero',
    says: /^BELOW ZERO: reserved/,
    doctor: (world) => Object.assign(balanceOf(world, 'reserved'), { amount_minor: -1n }),
  },
  {
    what: 'money left where it only passes through',
    says: /^LEFT OVER: reserved/,
    doctor: (world) => Object.assign(balanceOf(world, 'reserved'), { amount_minor: 1n }),
  },
  {
    what: 'clearing that is not what the providers hold',
    says: /^CLEARING: /,
    doctor: (world) => Object.assign(balanceOf(world, 'clearing'), { amount_minor: -2_100_00n }),
  },
  {
    what: 'a fee that is not the published one',
    says: /^FEE: of trx_1/,
    doctor: (world) => Object.assign(eventOf(world, 'evt_trx_1_2').data, { fee: 21 }),
  },
  {
    what: 'a fee that was kept of a payout that failed',
    says: /^ACCOUNT: fee_income/,
    doctor: (world) => Object.assign(shopOf(world).transfers[0], { fee: 0 }),
  },
  {
    what: 'money set aside for nothing',
    says: /^ACCOUNT: hold/,
    doctor: (world) => void world.balances.push({ ...balanceOf(world, 'reserved'), account: 'hold', amount_minor: 1n }),
  },
  {
    what: 'a missing event',
    says: /^EVENT LOST: payment.succeeded evt_trx_1_2/,
    doctor: (world) => void takenOf(world).splice(2, 1),
  },
  {
    what: 'an event that was recorded twice',
    says: /^SEQUENCE: .*trx_1/,
    doctor: (world) => void shopOf(world).events.splice(2, 0, { ...eventOf(world, 'evt_trx_1_1'), id: 'evt_again' }),
  },
  {
    what: 'an event out of order',
    says: /^ORDER: trx_1/,
    doctor: (world) => Object.assign(eventOf(world, 'evt_trx_1_1'), { event: 'payment.refunded' }),
  },
  {
    what: 'a delivery that the API does not show',
    says: /^EVENT UNKNOWN: /,
    doctor: (world) => void takenOf(world).push({ ...takenOf(world)[0], event_id: 'evt_strange', sequence: 9 }),
  },
  {
    what: 'two deliveries with one number',
    says: /^EVENT TWICE: /,
    doctor: (world) => void takenOf(world).push({ ...takenOf(world)[0], event_id: 'evt_strange' }),
  },
  {
    what: 'a delivery with another body',
    says: /^EVENT DIFFERS: /,
    doctor: (world) => Object.assign(takenOf(world)[0], { body: '{}' }),
  },
  {
    what: 'a repeated delivery with another body',
    says: /^EVENT CHANGED: /,
    doctor: (world) => void endpointOf(world).changed.push('evt_trx_1_0'),
  },
  {
    what: 'a last event that is not what GET shows',
    says: /^LAST EVENT: fee of trx_2/,
    doctor: (world) => Object.assign(retrievedOf(world, 'trx_2'), { fee: 41 }),
  },
  {
    what: 'a list that shows another status',
    says: /^LIST: status of trx_1/,
    doctor: (world) => Object.assign(shopOf(world).payments[0], { status: 'failed' }),
  },
  {
    what: 'a count that is not that of the list',
    says: /^LIST: .*payments/,
    doctor: (world) => Object.assign(shopOf(world).totals, { payments: 4 }),
  },
  {
    what: 'a wish that became two payments',
    says: /^DOUBLE: payment t1/,
    doctor: (world) => void shopOf(world).payments.push({ ...shopOf(world).payments[0], id: 'trx_9' }),
  },
  {
    what: 'a key that was answered with two payments',
    says: /^DOUBLE: payment t1 was answered/,
    doctor: (world) => void (shopOf(world).intents[0] as { ids: Set<string> }).ids.add('trx_9'),
  },
  {
    what: 'a payment that was answered and is in no list',
    says: /^VANISHED: payment t1/,
    doctor: (world) => void shopOf(world).payments.shift(),
  },
  {
    what: 'a payment that nobody asked for',
    says: /^UNWANTED: trx_1/,
    doctor: (world) => void (shopOf(world).intents as unknown[]).shift(),
  },
  {
    what: 'a lost dispute that was not booked',
    says: /^CHARGEBACKS: /,
    doctor: (world) => addDispute(world, {}),
  },
  {
    what: 'a link that was used too often',
    says: /^LINK: lnk_1 was paid 2 times of 1/,
    doctor: (world) => {
      addLink(world, 'trx_1', 'trx_2');
    },
  },
  {
    what: 'a link with a payment that was never decided',
    says: /^LINK: lnk_1 still has 1/,
    doctor: (world) => void shopOf(world).links.push({ ...link, payments_open: 1 }),
  },
  {
    what: 'a link that shows another sum than it collected',
    says: /^LINK: lnk_1 collected 20/,
    doctor: (world) => void shopOf(world).links.push({ ...link, amount_collected: 20 }),
  },
  {
    what: 'an invoice that shows more as paid than was paid',
    says: /^INVOICE: inv_1 shows 500/,
    doctor: (world) =>
      void shopOf(world).invoices.push({ id: 'inv_1', number: 'INV-1', status: 'partial', amount: 900, amount_paid: 500 }),
  },
  { what: 'a 500', says: /^COMPLAINT: /, doctor: (world) => void world.complaints.push('POST /payments: 500') },
  { what: 'a share that is not as it must be', says: /^VERIFY: /, doctor: (world) => void world.verified.push('share of trx_1') },
  {
    what: 'retained money that was never released',
    says: /^LEFT OVER: pending/,
    doctor: (world) => {
      balanceOf(world, 'available').amount_minor -= 100n;
      world.balances.push({ ...balanceOf(world, 'available'), account: 'pending', amount_minor: 100n });
    },
  },
  {
    what: 'an event that differs, although another customer was erased',
    says: /^EVENT DIFFERS: payment.succeeded evt_trx_1_2/,
    doctor: (world) => {
      Object.assign(shopOf(world), { erased: ['cus_2'] });
      eventOf(world, 'evt_trx_1_2').data.metadata = { changed: true };
    },
  },
  {
    what: 'a last event that shows something else, although another customer was erased',
    says: /^LAST EVENT: amount of rfd_2/,
    doctor: (world) => {
      Object.assign(shopOf(world), { erased: ['cus_2'] });
      retrievedOf(world, 'rfd_2').amount = 499;
    },
  },
  { what: 'data of an erased customer', says: /^LEAK: /, doctor: (world) => void world.leaks.push('t1@payer.example') },
];

testDoctored(DOCTORED);
