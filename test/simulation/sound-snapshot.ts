import { PAID } from './oracle-money.ts';
import type { Shown, ShopView, Snapshot } from './snapshot.ts';

const TEAM = 1n;
const NUMBER = '+237670000001';
const COMPLETED = Date.UTC(2026, 0, 5, 9);
const URL = 'https://hooks.shop.example/pirogue';

/** A small world in which nothing differs: a payment, one with a refund, one whose late money was returned, and a payout. */
export function soundSnapshot(): Snapshot {
  const moved = [
    movedBy('collect', 'att_1', 1_000_00n),
    movedBy('collect', 'att_2', 2_000_00n),
    movedBy('collect', 'att_3', 700_00n),
    { ...movedBy('refund', 'rfd_2', 500_00n), of: 'key-att_2' },
    { ...movedBy('refund', 'rfd_3', 700_00n), of: 'key-att_3' },
    movedBy('payout', 'po_1', 300_00n),
  ];
  const paymentOf: Record<string, string> = { att_1: 'trx_1', att_2: 'trx_2', att_3: 'trx_3', rfd_2: 'trx_2', rfd_3: 'trx_3' };
  const booked = moved.map(({ flow, key, subject, amount_minor, currency }) => ({
    ...{ team_id: TEAM, key, kind: flow, subject, payment: paymentOf[subject] ?? subject, currency },
    amount_minor: flow === 'collect' ? amount_minor : -amount_minor,
  }));
  const account = (name: string, amount_minor: bigint) => ({ team_id: TEAM, currency: 'XAF', account: name, amount_minor });
  return {
    moved,
    payouts: [{ subject: 'po_1', end: 'succeeded', reason: 'invalid_recipient' }],
    endedByHand: new Set(),
    booked,
    balances: [
      account('clearing', -2_200_00n),
      account('fee_income', 63_00n),
      account('available', 2_137_00n),
      account('reserved', 0n),
    ],
    owners: Object.entries(paymentOf).map(([id, payment]) => ({
      ...{ id, payment, purpose: id },
      kind: id.startsWith('att') ? 'attempt' : id === 'rfd_3' ? 'giveback' : 'merchant',
    })),
    ...{ mismatches: [], kept: [], absorbed: [], open: [], undelivered: 0, complaints: [], leaks: [], verified: [] },
    retention_ms: { mobile_money: 600_000, bank: 1_200_000, card: 3_600_000 },
    releases: [
      { payment: 'trx_1', released_ms: COMPLETED + 600_000 },
      { payment: 'trx_2', released_ms: COMPLETED + 601_000 },
    ],
    audited: [
      ...[1, 2, 3].map((n) => ({ team_id: TEAM, action: 'payment.charge', resource: `trx_${n}`, times: 1 })),
      { team_id: TEAM, action: 'refund.create', resource: 'rfd_2', times: 1 },
      { team_id: TEAM, action: 'transfer.create', resource: 'po_1', times: 1 },
    ],
    shops: [soundShop()],
  };
}

function movedBy(flow: 'collect' | 'refund' | 'payout', subject: string, amount_minor: bigint) {
  const currency = 'XAF';
  const asked = { asked_minor: amount_minor, asked_currency: currency };
  return {
    flow,
    key: `key-${subject}`,
    subject,
    of: null,
    number: NUMBER,
    amount_minor,
    currency,
    late: false,
    denied: false,
    ...asked,
  };
}

function payment(n: number, status: string, more: object): Shown {
  const usual = { currency: 'XAF', channel: 'cm.mtn', bearer: 'merchant', customer: null, amount_refunded: 0, fee: 0 };
  const state = { account: null, metadata: null, settled: PAID.has(status) };
  return { id: `trx_${n}`, reference: `t${n}`, status, ...usual, ...state, ...more };
}

function soundShop(): ShopView {
  const first = payment(1, 'succeeded', { amount: 1_000, amount_total: 1_000, fee: 20 });
  const second = payment(2, 'partially_refunded', { amount: 2_000, amount_total: 2_000, fee: 40, amount_refunded: 500 });
  const third = payment(3, 'failed', { amount: 700, amount_total: 700, amount_refunded: 700 });
  const refund = { id: 'rfd_2', payment: 'trx_2', currency: 'XAF', status: 'succeeded', amount: 500, metadata: { tag: 't2-r' } };
  const transfer = { id: 'po_1', status: 'succeeded', amount: 300, fee: 3, currency: 'XAF', reference: 'p1' };
  const events = [
    ...eventsOf(first, ['payment.created', 'pending'], ['payment.processing', 'processing'], ['payment.succeeded', 'succeeded']),
    ...eventsOf(
      second,
      ['payment.created', 'pending'],
      ['payment.succeeded', 'succeeded'],
      ['payment.partially_refunded', 'partially_refunded'],
    ),
    ...eventsOf(third, ['payment.created', 'pending'], ['payment.failed', 'failed'], ['payment.late_success', 'failed']),
    ...eventsOf(refund, ['refund.created', 'pending'], ['refund.succeeded', 'succeeded']),
    ...eventsOf(transfer, ['transfer.created', 'processing'], ['transfer.succeeded', 'succeeded']),
  ];
  const taken = events.map(({ sequence, ...body }) => ({
    ...{ event_id: body.id, type: body.event, sequence, resource: body.data.id, body: JSON.stringify(body), data: body.data },
  }));
  const wish = (kind: 'payment' | 'refund' | 'transfer', tag: string, id: string) => ({
    kind,
    tag,
    keyed: true,
    sent: 1,
    ids: new Set([id]),
    number: NUMBER,
  });
  return {
    team_id: TEAM,
    ...{
      payments: [first, second, third],
      refunds: [refund],
      transfers: [transfer],
      disputes: [],
      ...{ links: [], invoices: [], customers: [], beneficiaries: [], accounts: [], claims: [] },
      events,
      retrieved: structuredClone([first, second, third, refund, transfer]),
    },
    ...{ foreign: [], typed: new Map(), blocked: new Map() },
    balances: [
      {
        account: null,
        currency: 'XAF',
        total: 2_137,
        available: 2_137,
        pending: 0,
        reserved: 0,
        hold: 0,
        disputed: 0,
        'in.transit': 0,
        credit: 0,
      },
    ],
    totals: {
      ...{ payments: 3, refunds: 1, transfers: 1, events: events.length },
      ...{ disputes: 0, links: 0, invoices: 0, customers: 0, beneficiaries: 0, accounts: 0 },
    },
    intents: [
      wish('payment', 't1', 'trx_1'),
      wish('payment', 't2', 'trx_2'),
      wish('payment', 't3', 'trx_3'),
      wish('refund', 't2-r', 'rfd_2'),
      wish('transfer', 'p1', 'po_1'),
    ],
    endpoints: [{ url: URL, events: ['*'], taken, changed: [] }],
    erased: [],
  };
}

function eventsOf(data: Shown, ...steps: [string, string][]): Shown[] {
  return steps.map(([event, status], i) => {
    const last = i === steps.length - 1;
    return {
      id: `evt_${data.id}_${i}`,
      event,
      created: new Date(COMPLETED).toISOString(),
      sequence: i + 1,
      data: last ? structuredClone(data) : { ...data, status },
    };
  });
}
