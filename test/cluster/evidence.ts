import assert from 'node:assert/strict';
import { type Evidence, judge, type Verdict } from '../../cluster/oracle/judge.ts';

/** Fabricated evidence, in which tests of the oracle change one thing. */
export const FROM = 1_000_000;
export const WINDOW = { from: FROM, to: FROM + 20_000, kinds: ['500', 'balancer'] } as const;

/** Two orders that are paid, one that is cancelled, one that is refunded in part, and one of which a part is paid out. */
export function sound(): Evidence {
  const orders: Evidence['orders'] = [
    orderOf(1, 'keep', null),
    orderOf(2, 'keep', null),
    { ...orderOf(3, 'cancel', null), charged: false, cancelled: true },
    orderOf(4, 'refund in part', { kind: 'refund', amount: 1500, ids: new Set(['rfd_4']), answered: true }),
    orderOf(5, 'pay out', { kind: 'payout', amount: 2500, ids: new Set(['po_5']), answered: true }),
  ];
  const statuses = ['succeeded', 'succeeded', 'cancelled', 'partially_refunded', 'succeeded'];
  const events = [
    ...[1, 2, 5].flatMap((n) => eventsOf(`trx_${n}`, 'payment', ['created', 'processing', 'succeeded'])),
    ...eventsOf('trx_3', 'payment', ['created', 'cancelled']),
    ...eventsOf('trx_4', 'payment', ['created', 'processing', 'succeeded', 'partially_refunded']),
    ...eventsOf('rfd_4', 'refund', ['created', 'succeeded']),
    ...eventsOf('po_5', 'transfer', ['created', 'succeeded']),
  ];
  const collected = (n: number) => ({ kind: 'collect', key: `key-${n}`, amount_minor: 100_000 * n, moved: true });
  const booked = (n: number, booked_minor = 100_000 * n) => ({
    ...{ payment_id: `trx_${n}`, provider_key: `key-${n}`, booked_minor, polled: false },
  });
  const leaves = { booked_minor: 0, polled: false };
  return {
    orders,
    listed: orders.map(({ reference, amount }, i) => ({ id: `trx_${i + 1}`, reference, status: statuses[i] ?? '', amount })),
    booked: [booked(1), booked(2), booked(4, 400_000 - 150_000), booked(5)],
    outgoing_listed: [
      { id: 'rfd_4', kind: 'refund', reference: 'o-4', status: 'succeeded', amount: 1500, payment: 'trx_4' },
      { id: 'po_5', kind: 'payout', reference: 'o-5', status: 'succeeded', amount: 2500 },
    ],
    outgoing_booked: [
      { ...leaves, id: 'rfd_4', payment_id: 'trx_4', provider_keys: ['key-r4'], booked_minor: -150_000 },
      { ...leaves, id: 'po_5', payment_id: null, provider_keys: ['key-p5'], booked_minor: -250_000 },
    ],
    events,
    deliveries: deliveriesOf(events),
    moves: [
      ...[1, 2, 4, 5].map(collected),
      { kind: 'refund', key: 'key-r4', amount_minor: 150_000, moved: true },
      { kind: 'payout', key: 'key-p5', amount_minor: 250_000, moved: true },
    ],
    failed: [{ first_at: FROM + 1, sent_at: FROM + 1, at: FROM + 2, operation: 'create', kind: '500', fault: null }],
    windows: [WINDOW],
    ended: [],
  };
}

function orderOf(n: number, plan: Evidence['orders'][number]['plan'], outgoing: Evidence['orders'][number]['outgoing']) {
  const given = { created: true, charged: true, cancelled: false, wrong: [] };
  return { reference: `o-${n}`, amount: 1000 * n, plan, ids: new Set([`trx_${n}`]), outgoing, ...given };
}

export function eventsOf(resource_id: string, of: string, types: readonly string[]): Evidence['events'] {
  return types.map((type, i) => ({ id: `evt_${resource_id}_${i}`, type: `${of}.${type}`, resource_id, sequence: i + 1 }));
}

export function deliveriesOf(events: Evidence['events']): Evidence['deliveries'] {
  return events.map(({ id, ...event }) => ({ ...event, event_id: id, valid: true }));
}

export type Change = (evidence: Evidence) => Partial<Evidence>;

/** The part of the verdict that must name what was changed, and every other part must be empty. */
export function finds(part: keyof Verdict, pattern: RegExp, change: Change, also: (keyof Verdict)[] = []): void {
  const evidence = sound();
  const verdict = judge({ ...evidence, ...change(evidence) });
  assert.match(verdict[part].join('\n'), pattern);
  for (const [name, list] of Object.entries(verdict)) {
    if (name !== part && !also.includes(name as keyof Verdict)) assert.deepEqual(list, [], name);
  }
}
