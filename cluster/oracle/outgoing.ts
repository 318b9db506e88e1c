import type { Requested } from '../load/orders.ts';
import type { Evidence, Move } from './judge.ts';

/** A refund or a payout as the API lists it. */
export interface ListedOutgoing {
  id: string;
  kind: Requested['kind'];
  /** The order that it was requested for. */
  reference: string;
  status: string;
  amount: number;
  /** The refunded payment. */
  payment?: string;
}

/** A refund or a payout, and what the ledger booked for it, as an observer reads them in the database. */
export interface BookedOutgoing {
  id: string;
  /** Null: a payout. */
  payment_id: string | null;
  provider_keys: string[];
  /** Sum of the postings that bring its money from the provider, in hundredths: negative when it left. */
  booked_minor: number;
  /** Whether it was sent, and the program will ask the provider about it again. */
  polled: boolean;
}

type Of<Part extends keyof Evidence> = Pick<Evidence, Part>;

/** Returns what the providers moved under each key, in hundredths: negative when it left. */
export function movedByKey(moves: readonly Move[]): Map<string, number> {
  const moved = new Map<string, number>();
  for (const { key, kind, amount_minor, moved: hasMoved } of moves) {
    if (hasMoved) moved.set(key, (moved.get(key) ?? 0) + (kind === 'collect' ? amount_minor : -amount_minor));
  }
  return moved;
}

/** Refunds and payouts that were answered 2xx must exist, with the id and the amount that were answered. */
export function lostOutgoing({ orders, outgoing_listed }: Of<'orders' | 'outgoing_listed'>): string[] {
  const byId = new Map(outgoing_listed.map((one) => [one.id, one]));
  return orders.flatMap(({ reference, outgoing }) =>
    [...(outgoing?.ids ?? [])].flatMap((id) => {
      const found = byId.get(id);
      if (!found) return [`${reference}: ${id} was answered and does not exist`];
      const same = found.kind === outgoing?.kind && found.reference === reference && found.amount === outgoing.amount;
      return same ? [] : [`${reference}: ${id} is a ${found.kind} of ${found.amount} instead of ${outgoing?.amount}`];
    }),
  );
}

/** One key is one refund or payout, however often it was sent, and one that nobody requested is one too many; its money moves once. */
export function doubleOutgoing(evidence: Of<'orders' | 'outgoing_listed' | 'outgoing_booked' | 'moves'>): string[] {
  const { orders, outgoing_listed, outgoing_booked, moves } = evidence;
  const listed = Map.groupBy(outgoing_listed, ({ reference }) => reference);
  const made = orders.flatMap(({ reference, outgoing }) => {
    const ids = new Set([...(outgoing?.ids ?? []), ...(listed.get(reference) ?? []).map(({ id }) => id)]);
    return ids.size > (outgoing ? 1 : 0) ? [`${reference}: ${[...ids].join(', ')}`] : [];
  });
  const idOf = new Map(outgoing_booked.flatMap(({ id, provider_keys }) => provider_keys.map((key) => [key, id])));
  const left = moves.filter(({ kind, moved }) => kind !== 'collect' && moved);
  const times = Map.groupBy(left, ({ key }) => idOf.get(key) ?? key);
  const moved = [...times].filter(([, list]) => list.length > 1).map(([id, list]) => `${id}: moved ${list.length} times`);
  return [...made, ...moved];
}

/** Returns the refunds and payouts that never arrived at a provider and are polled until that is certain. */
export function waitingOutgoing({ outgoing_listed, outgoing_booked, moves }: Omit<Evidence, 'orders'>): string[] {
  const arrived = new Set(moves.map(({ key }) => key));
  const sent = outgoing_booked.filter(({ polled, provider_keys }) => polled && !provider_keys.some((key) => arrived.has(key)));
  const waiting = new Set(sent.map(({ id }) => id));
  return outgoing_listed.filter(({ id, status }) => status === 'processing' && waiting.has(id)).map(({ id }) => id);
}

/** The providers of a run decline nothing, and merchants pay out less than they have: every refund and payout succeeds. */
export function stuckOutgoing(evidence: Evidence): string[] {
  const waiting = new Set(waitingOutgoing(evidence));
  const unanswered = evidence.orders
    .filter(({ outgoing }) => outgoing !== null && !outgoing.answered)
    .map(({ reference, outgoing }) => `${reference}: its ${outgoing?.kind} was never answered`);
  const open = evidence.outgoing_listed.filter(({ id, status }) => status !== 'succeeded' && !waiting.has(id));
  return [...unanswered, ...open.map(({ reference, kind, id, status }) => `${reference}: its ${kind} ${id} is ${status}`)];
}

/** For each refund and payout, the ledger, the provider and the answer to its request have the same amount. */
export function wrongOutgoing({ moves, outgoing_booked, outgoing_listed, orders }: Evidence): string[] {
  const moved = movedByKey(moves);
  const listed = new Map(outgoing_listed.map((one) => [one.id, one]));
  const wanted = new Map(orders.map(({ reference, outgoing }) => [reference, outgoing?.amount]));
  return outgoing_booked.flatMap(({ id, provider_keys, booked_minor }) => {
    const theirs = provider_keys.reduce((sum, key) => sum + (moved.get(key) ?? 0), 0);
    if (booked_minor !== theirs) return [`${id}: the ledger has ${booked_minor}, the provider ${theirs}`];
    const one = listed.get(id);
    const amount = wanted.get(one?.reference ?? '');
    if (one?.status !== 'succeeded' || amount === undefined || -theirs === amount * 100) return [];
    return [`${id}: ${-theirs / 100} left for ${amount}`];
  });
}

/** Returns the types of the events that a payment must have after its success: one for each refund that has reached the payer. */
export function refundEvents({ outgoing_listed, listed }: Of<'outgoing_listed' | 'listed'>, payment: string): string[] {
  const whole = listed.find(({ id }) => id === payment)?.amount;
  return outgoing_listed
    .filter((one) => one.payment === payment && one.status === 'succeeded')
    .map(({ amount }) => (amount === whole ? 'payment.refunded' : 'payment.partially_refunded'));
}

/** The events of a refund and a payout are its creation and its end, in this order and once. */
export function wrongOutgoingEvents({ events, outgoing_listed }: Of<'events' | 'outgoing_listed'>): string[] {
  const byResource = Map.groupBy(events, ({ resource_id }) => resource_id);
  return outgoing_listed.flatMap(({ id, kind, status }) => {
    const name = kind === 'refund' ? 'refund' : 'transfer';
    const isOpen = status === 'pending' || status === 'processing';
    const wanted = [`1 ${name}.created`, ...(isOpen ? [] : [`2 ${name}.${status}`])].join(', ');
    const own = [...(byResource.get(id) ?? [])].sort((a, b) => a.sequence - b.sequence);
    const shown = own.map(({ type, sequence }) => `${sequence} ${type}`).join(', ');
    return shown === wanted ? [] : [`${id} is ${status} and has the events ${shown || 'none'}`];
  });
}
