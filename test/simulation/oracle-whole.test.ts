import {
  type Doctored,
  shopOf,
  movedOf,
  retrievedOf,
  change,
  deliver,
  dropEvents,
  addDispute,
  move,
  addLink,
  addInvoice,
  hold,
} from './doctor.ts';
import { testDoctored } from './doctored.ts';
import type { Shown } from './snapshot.ts';

/** Worlds that are wrong although everything in them agrees. */
const link = { id: 'lnk_1', max_uses: 1, payments_succeeded: 1, payments_open: 0, amount: 10, amount_collected: 10 };

const DOCTORED: Doctored[] = [
  {
    what: 'an exact payment that is held as a mismatch for ever',
    says: /^MISMATCH: att_1 waits with 100000 XAF/,
    doctor: hold,
  },
  {
    what: 'another amount than was asked for that nobody is told of',
    says: /^MISMATCH: of att_1 500 were asked for/,
    doctor: (world) => Object.assign(movedOf(world, 'att_1'), { asked_minor: 500n }),
  },
  {
    what: 'another amount paid out than was asked for',
    says: /^MISMATCH: of po_1/,
    doctor: (world) => Object.assign(movedOf(world, 'po_1'), { asked_minor: 1n }),
  },
  {
    what: 'a payment that was charged back twice in full',
    says: /^CHARGEBACKS: 0 of trx_1 were refunded and 200000 charged back/,
    doctor: (world) => {
      addDispute(world, { of: 'available' });
      addDispute(world, { of: 'available', id: 'dsp_2' });
    },
  },
  {
    what: 'a dispute and a refund that return more than the payment together',
    says: /^CHARGEBACKS: 50000 of trx_2 were refunded and 200000 charged back/,
    doctor: (world) => addDispute(world, { of: 'available', payment: 'trx_2', amount: 2_000 }),
  },
  {
    what: 'a dispute that was charged back in another currency, out of credit',
    says: /^CHARGEBACKS: -100000 XOF of trx_1/,
    doctor: (world) => {
      addDispute(world, {});
      const line = { team_id: 1n, key: null, kind: 'dispute.lost', subject: 'dsp_1', payment: 'trx_1', currency: 'XOF' };
      world.booked.push({ ...line, amount_minor: -1_000_00n });
      world.balances.push({ team_id: 1n, currency: 'XOF', account: 'clearing', amount_minor: 1_000_00n });
      world.balances.push({ team_id: 1n, currency: 'XOF', account: 'credit', amount_minor: -1_000_00n });
    },
  },
  {
    what: 'a dispute that ended otherwise than was decided',
    says: /^DISPUTE: dsp_1 is lost, was decided as won/,
    doctor: (world) => {
      addDispute(world, { of: 'available' });
      Object.assign(shopOf(world).claims[0] as object, { status: 'won' });
    },
  },
  {
    what: 'a dispute that nobody opened',
    says: /^DISPUTE: nobody opened dsp_1/,
    doctor: (world) => {
      addDispute(world, { of: 'available' });
      shopOf(world).claims = [];
    },
  },
  {
    what: 'a dispute that the program lost',
    says: /^DISPUTE: dsp_1 of trx_1 is in no list/,
    doctor: (world) => {
      addDispute(world, { of: 'available' });
      shopOf(world).disputes = [];
    },
  },
  {
    what: 'a dispute that is closed before it is created',
    says: /^ORDER: dsp_1/,
    doctor: (world) => {
      addDispute(world, { of: 'available' });
      const events = shopOf(world).events.filter(({ data }) => data.id === 'dsp_1');
      [events[0].event, events[1].event] = [events[1].event, events[0].event];
      deliver(world);
    },
  },
  {
    what: 'money of the merchant that a sub-account has',
    says: /^SHARE: the team has 113700 XAF, should have 213700/,
    doctor: (world) => move(world, 'available', 'available:acct_9', 1_000_00n),
  },
  {
    what: 'a sub-account that did not get its share',
    says: /^SHARE: acct_9 has 0 XAF, should have 85800/,
    doctor: (world) => {
      shopOf(world).accounts = [{ id: 'acct_9', split: { type: 'percentage', value: 12.5 } }];
      change(world, 'trx_1', { account: 'acct_9' });
    },
  },
  {
    what: 'a payout of a sub-account that the team has paid',
    says: /^SHARE: acct_9 has 0 XAF, should have -30300/,
    doctor: (world) => change(world, 'po_1', { account: 'acct_9' }),
  },
  {
    what: 'money that lies with another team',
    says: /^CLEARING: the ledger says 120000 XAF of 1/,
    doctor: (world) => {
      move(world, 'available', 'clearing', 1_000_00n);
      world.balances.push({ team_id: 2n, currency: 'XAF', account: 'clearing', amount_minor: -1_000_00n });
      world.balances.push({ team_id: 2n, currency: 'XAF', account: 'available', amount_minor: 1_000_00n });
    },
  },
  {
    what: 'money of a team that is no shop',
    says: /^NOBODY: available of 2/,
    doctor: (world) => void world.balances.push({ team_id: 2n, currency: 'XAF', account: 'available', amount_minor: 1n }),
  },
  {
    what: 'credit that is owed although money is available',
    says: /^CREDIT: credit of 1/,
    doctor: (world) => move(world, 'credit', 'available', 5_00n),
  },
  {
    what: 'a payout with another fee',
    says: /^FEE: of po_1 is 303, should be 300/,
    doctor: (world) => {
      change(world, 'po_1', { fee: 303 });
      move(world, 'available', 'fee_income', 300_00n);
    },
  },
  {
    what: 'money that was released too early',
    says: /^RETENTION: of trx_1 was 1000 ms, should be 600000/,
    doctor: (world) => {
      const [first] = world.releases as [Shown];
      first.released_ms -= 599_000;
    },
  },
  {
    what: 'a paid payment that is never settled',
    says: /^SETTLED: trx_1/,
    doctor: (world) => Object.assign(retrievedOf(world, 'trx_1'), { settled: false }),
  },
  {
    what: 'late money that no event tells of',
    says: /^EVENT MISSING: payment.late_success of trx_3/,
    doctor: (world) => dropEvents(world, ({ event }) => event === 'payment.late_success'),
  },
  {
    what: 'late money that is kept, without an event that asks for it',
    says: /^EVENT MISSING: payment.return_required of trx_3/,
    doctor: (world) => {
      world.moved = world.moved.filter(({ subject }) => subject !== 'rfd_3');
      world.booked = world.booked.filter(({ subject }) => subject !== 'rfd_3');
      world.kept = [{ payment: 'trx_3', amount_minor: 700_00n }];
      change(world, 'trx_3', { amount_refunded: 0 });
      move(world, 'clearing', 'available', 700_00n);
    },
  },
  {
    what: 'a refund that a payment does not tell of',
    says: /^EVENT MISSING: 1 refunds of trx_2 were made/,
    doctor: (world) => dropEvents(world, ({ event }) => event === 'payment.partially_refunded'),
  },
  {
    what: 'an invoice that was paid without an event',
    says: /^EVENT MISSING: invoice.paid of inv_1/,
    doctor: (world) => addInvoice(world, 'paid', 1_000),
  },
  {
    what: 'a link that was made without an event',
    says: /^EVENT MISSING: link.created of lnk_1/,
    doctor: (world) => {
      addLink(world, 'trx_1');
      dropEvents(world, ({ event }) => event === 'link.created');
    },
  },
  {
    what: 'an unpaid payment that shows more as refunded than was returned',
    says: /^REFUNDED: trx_3/,
    doctor: (world) => Object.assign(retrievedOf(world, 'trx_3'), { amount_refunded: 123 }),
  },
  {
    what: 'a list that shows another fee',
    says: /^LIST: fee of trx_2 is 999/,
    doctor: (world) => Object.assign(shopOf(world).payments[1], { fee: 999 }),
  },
  {
    what: 'a refund that was taken from another payment',
    says: /^WHOSE: rfd_2 of trx_2 returned key-att_1/,
    doctor: (world) => Object.assign(movedOf(world, 'rfd_2'), { of: 'key-att_1' }),
  },
  {
    what: 'a payout to somebody else',
    says: /^WHOM: po_1 went to [+]237699999999/,
    doctor: (world) => Object.assign(movedOf(world, 'po_1'), { number: '+237699999999' }),
  },
  {
    what: 'a charge of somebody else',
    says: /^WHOM: att_1 charged [+]237699999999/,
    doctor: (world) => Object.assign(movedOf(world, 'att_1'), { number: '+237699999999' }),
  },
  {
    what: 'a return to somebody else',
    says: /^WHOM: rfd_3 returned the money of trx_3 to [+]237699999999/,
    doctor: (world) => Object.assign(movedOf(world, 'rfd_3'), { flow: 'payout', of: null, number: '+237699999999' }),
  },
  {
    what: 'an invoice that was paid twice',
    says: /^INVOICE: 100000 were paid of inv_1, which is over 500/,
    doctor: (world) => addInvoice(world, 'paid', 500, ['invoice.created', 'invoice.sent', 'invoice.paid']),
  },
  {
    what: 'an invoice that is paid and does not say so',
    says: /^INVOICE: inv_1 is sent, 1000 of 1000 are paid/,
    doctor: (world) => addInvoice(world, 'sent', 1_000),
  },
  {
    what: 'a link that counts payments nobody made',
    says: /^LINK: lnk_1 shows 3 payments, 0 succeeded/,
    doctor: (world) => void shopOf(world).links.push({ ...link, payments_succeeded: 3, amount_collected: 30 }),
  },
  {
    what: 'a link that was made twice',
    says: /^DOUBLE: link l1 was made 2 times/,
    doctor: (world) => {
      addLink(world, 'trx_1');
      shopOf(world).links.push({ ...shopOf(world).links[0], id: 'lnk_2' });
    },
  },
  {
    what: 'a refund that nobody asked for',
    says: /^UNWANTED: rfd_2/,
    doctor: (world) => {
      shopOf(world).intents = shopOf(world).intents.filter(({ kind }) => kind !== 'refund');
    },
  },
  {
    what: 'a payment without a reference that nobody asked for',
    says: /^UNWANTED: trx_1 [(]null[)]/,
    doctor: (world) => {
      shopOf(world).intents = shopOf(world).intents.filter(({ tag }) => tag !== 't1');
      change(world, 'trx_1', { reference: null });
    },
  },
  {
    what: 'a payout without an entry of the audit trail',
    says: /^AUDIT: po_1 has 0 entries of transfer.create/,
    doctor: (world) => {
      world.audited = world.audited.filter(({ resource }) => resource !== 'po_1');
    },
  },
  {
    what: 'a refund with two entries of the audit trail',
    says: /^AUDIT: rfd_2 has 2 entries of refund.create/,
    doctor: (world) => {
      for (const entry of world.audited) if (entry.resource === 'rfd_2') entry.times = 2;
    },
  },
  {
    what: 'a lost dispute that was withdrawn by the audit trail',
    says: /^AUDIT: dsp_1 is lost, its entries are dispute.withdraw/,
    doctor: (world) => {
      addDispute(world, { of: 'available' });
      for (const entry of world.audited) if (entry.action === 'dispute.decide') entry.action = 'dispute.withdraw';
    },
  },
  {
    what: 'a payment of another team that can be read',
    says: /^FOREIGN: team 1 gets 200 for [/]payments[/]trx_9/,
    doctor: (world) => {
      shopOf(world).foreign.push({ path: '/payments/trx_9', status: 200 });
    },
  },
];

testDoctored(DOCTORED);
