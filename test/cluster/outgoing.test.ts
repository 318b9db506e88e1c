import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { orderOf, requestedOf } from '../../cluster/load/orders.ts';
import { type Evidence, judge, passes, waitingFor } from '../../cluster/oracle/judge.ts';
import { deliveriesOf, eventsOf, finds, sound } from './evidence.ts';

/** Refunds, payouts and cancellations in the load of a cluster: what merchants request, and what the oracle finds. */

const changed = <One extends { id: string }>(list: readonly One[], id: string, change: Partial<One>): One[] =>
  list.map((one) => (one.id === id ? { ...one, ...change } : one));
const outgoingOf = (reference: string, change: object): ((all: Evidence) => Partial<Evidence>) => {
  return ({ orders }) => ({
    orders: orders.map((one) =>
      one.reference === reference && one.outgoing ? { ...one, outgoing: { ...one.outgoing, ...change } } : one,
    ),
  });
};

describe('the oracle on money that leaves', () => {
  test('finds a refund and a payout that were answered and do not exist, or are for another amount', () => {
    for (const [id, reference] of [
      ['rfd_4', 'o-4'],
      ['po_5', 'o-5'],
    ] as const) {
      finds(
        'lost',
        new RegExp(`${reference}: ${id} was answered and does not exist`),
        ({ outgoing_listed }) => ({ outgoing_listed: outgoing_listed.filter((one) => one.id !== id) }),
        ['events'],
      );
      finds(
        'lost',
        new RegExp(`${reference}: ${id} is a (refund|payout) of 7 instead of`),
        ({ outgoing_listed }) => ({ outgoing_listed: changed(outgoing_listed, id, { amount: 7 }) }),
        ['events'],
      );
    }
  });

  test('finds two refunds or payouts for one key, answered or not, and one that nobody requested', () => {
    for (const [reference, id] of [
      ['o-4', 'rfd_4'],
      ['o-5', 'po_5'],
    ] as const) {
      finds('twice', new RegExp(`${reference}: ${id}, other`), outgoingOf(reference, { ids: new Set([id, 'other']) }), ['lost']);
    }
    const payout = { id: 'po_1', kind: 'payout', reference: 'o-1', status: 'succeeded', amount: 5 } as const;
    const events = eventsOf('po_1', 'transfer', ['created', 'succeeded']);
    finds('twice', /o-1: po_1/, (all) => ({
      outgoing_listed: [...all.outgoing_listed, payout],
      events: [...all.events, ...events],
      deliveries: [...all.deliveries, ...deliveriesOf(events)],
    }));
  });

  test('finds a refund and a payout that a provider moved twice, under one key or two', () => {
    for (const [id, kind, first] of [
      ['rfd_4', 'refund', 'key-r4'],
      ['po_5', 'payout', 'key-p5'],
    ] as const) {
      for (const key of [first, 'again']) {
        finds(
          'twice',
          new RegExp(`${id}: moved 2 times`),
          ({ moves, outgoing_booked }) => ({
            moves: [...moves, { kind, key, amount_minor: 1, moved: true }],
            outgoing_booked: changed(outgoing_booked, id, { provider_keys: [first, 'again'] }),
          }),
          ['books'],
        );
      }
    }
  });

  test('finds a payout that a provider made and nobody knows of', () =>
    finds('lost', /key-9: moved by the provider, unknown to us/, ({ moves }) => ({
      moves: [...moves, { kind: 'payout', key: 'key-9', amount_minor: 5, moved: true }],
    })));

  test('finds a ledger that has more or less than the provider, and an amount that nobody requested', () => {
    finds('books', /po_5: the ledger has 0, the provider -250000/, ({ outgoing_booked }) => ({
      outgoing_booked: changed(outgoing_booked, 'po_5', { booked_minor: 0 }),
    }));
    finds('books', /rfd_4: the ledger has -150000, the provider 0/, ({ moves }) => ({
      moves: moves.filter(({ kind }) => kind !== 'refund'),
    }));
    finds('books', /trx_4: the ledger has 400000, the provider 250000/, ({ booked }) => ({
      booked: booked.map((one) => (one.payment_id === 'trx_4' ? { ...one, booked_minor: 400_000 } : one)),
    }));
    finds('books', /po_5: 2499 left for 2500/, ({ moves, outgoing_booked }) => ({
      moves: moves.map((one) => (one.key === 'key-p5' ? { ...one, amount_minor: 249_900 } : one)),
      outgoing_booked: changed(outgoing_booked, 'po_5', { booked_minor: -249_900 }),
    }));
  });

  test('finds a refund and a payout that are under way, failed, or were never answered', () => {
    for (const status of ['processing', 'failed']) {
      finds(
        'stuck',
        new RegExp(`o-5: its payout po_5 is ${status}`),
        ({ outgoing_listed }) => ({ outgoing_listed: changed(outgoing_listed, 'po_5', { status }) }),
        ['events'],
      );
    }
    finds('stuck', /o-4: its refund was never answered/, outgoingOf('o-4', { answered: false }));
  });

  test('one that never reached its provider waits while it is polled, and is stuck when nobody asks', () => {
    const interrupted = (polled: boolean, reached: boolean): Evidence => {
      const all = sound();
      return {
        ...all,
        outgoing_listed: changed(all.outgoing_listed, 'po_5', { status: 'processing' }),
        outgoing_booked: changed(all.outgoing_booked, 'po_5', { booked_minor: 0, polled }),
        moves: all.moves.flatMap((one) => (one.key !== 'key-p5' ? [one] : reached ? [{ ...one, moved: false }] : [])),
        events: all.events.filter(({ id }) => id !== 'evt_po_5_1'),
      };
    };
    assert.deepEqual(waitingFor(interrupted(true, false)), ['po_5']);
    assert.ok(passes(judge(interrupted(true, false))));
    for (const stuck of [interrupted(false, false), interrupted(true, true)]) {
      assert.deepEqual(waitingFor(stuck), []);
      assert.match(judge(stuck).stuck.join('\n'), /o-5: its payout po_5 is processing/);
    }
  });

  test('finds events that are missing, repeated, or in another order, of a refund, a payout and the refunded payment', () => {
    const among = (change: (events: Evidence['events']) => Evidence['events']) => (all: Evidence) => {
      const events = change(all.events);
      return { events, deliveries: deliveriesOf(events) };
    };
    for (const [id, last] of [
      ['rfd_4', 'evt_rfd_4_1'],
      ['po_5', 'evt_po_5_1'],
      ['trx_4', 'evt_trx_4_3'],
    ] as const) {
      finds(
        'events',
        new RegExp(`${id} is .*succeeded|${id} is partially_refunded`),
        among((events) => events.filter((event) => event.id !== last)),
      );
      finds(
        'events',
        new RegExp(`^${id} is`, 'm'),
        among((events) => [
          ...events,
          ...events.filter((event) => event.id === last).map((event) => ({ ...event, sequence: event.sequence + 1 })),
        ]),
      );
    }
    const type = 'payment.refunded';
    finds(
      'events',
      /trx_4 is partially_refunded/,
      among((events) => changed(events, 'evt_trx_4_3', { type })),
    );
    finds('events', /trx_1 is refunded and has the events/, ({ listed, events, deliveries }) => {
      const event = { id: 'evt_x', type, resource_id: 'trx_1', sequence: 4 };
      return {
        listed: changed(listed, 'trx_1', { status: 'refunded' }),
        events: [...events, event],
        deliveries: [...deliveries, ...deliveriesOf([event])],
      };
    });
  });

  test('finds a cancellation that was answered and did not happen, and one that was never answered', () => {
    finds(
      'lost',
      /o-3: its cancellation was answered, and it is succeeded/,
      ({ listed }) => ({ listed: changed(listed, 'trx_3', { status: 'succeeded' }) }),
      ['events'],
    );
    finds('stuck', /o-3: its cancellation was never answered/, ({ orders }) => ({
      orders: orders.map((one) => (one.reference === 'o-3' ? { ...one, cancelled: false } : one)),
    }));
  });
});

describe('what merchants request', () => {
  test('every merchant uses every plan, and pays out and refunds less than it collects', () => {
    for (let merchant = 0; merchant < 24; merchant++) {
      const orders = Array.from({ length: 40 }, (_, turn) => orderOf('o', '1', merchant + turn * 24, merchant, turn));
      const plans = new Set(orders.map(({ plan }) => plan));
      assert.deepEqual([...plans].sort(), ['cancel', 'keep', 'pay out', 'refund', 'refund in part']);
      const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
      const collected = sum(orders.filter(({ plan }) => plan !== 'cancel').map(({ amount }) => amount));
      const left = sum(orders.map((order) => requestedOf(order)?.amount ?? 0));
      assert.ok(left > 0 && left < collected / 2, `${left} of ${collected}`);
    }
  });
});
