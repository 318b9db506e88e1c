import type { Failed } from '../load/client.ts';
import type { Order } from '../load/orders.ts';
import type { Delivery } from '../load/receiver.ts';
import {
  type BookedOutgoing,
  doubleOutgoing,
  type ListedOutgoing,
  lostOutgoing,
  movedByKey,
  refundEvents,
  stuckOutgoing,
  waitingOutgoing,
  wrongOutgoing,
  wrongOutgoingEvents,
} from './outgoing.ts';

/** A payment as the API lists it. */
export interface Listed {
  id: string;
  reference: string;
  status: string;
  amount: number;
}

/** An attempt and what the ledger booked for its payment, as an observer reads them in the database. */
export interface Booked {
  payment_id: string;
  provider_key: string;
  /** Sum of the postings that bring money of the payment from its provider, in hundredths. */
  booked_minor: number;
  /** Whether the attempt is open, and the program will ask the provider about it again. */
  polled: boolean;
}

export interface StoredEvent {
  id: string;
  type: string;
  resource_id: string;
  sequence: number;
}

/** An entry of a simulator's own book. */
export interface Move {
  kind: string;
  key: string;
  amount_minor: number;
  moved: boolean;
}

/** Time in which requests may fail, and with which kinds of failure. */
export interface Window {
  from: number;
  to: number;
  kinds: readonly Failed['kind'][];
}

/** All that is known after a fault, from four sides that share no code. */
export interface Evidence {
  orders: readonly Omit<Order, 'team_id'>[];
  listed: readonly Listed[];
  booked: readonly Booked[];
  /** Refunds and payouts, as the API lists them and as an observer reads them in the database. */
  outgoing_listed: readonly ListedOutgoing[];
  outgoing_booked: readonly BookedOutgoing[];
  events: readonly StoredEvent[];
  deliveries: readonly Delivery[];
  moves: readonly Move[];
  failed: readonly Failed[];
  windows: readonly Window[];
  /** Processes that have ended although no fault ended them. */
  ended: readonly string[];
}

export interface Verdict {
  lost: string[];
  twice: string[];
  stuck: string[];
  /** Events that are missing, repeated in the sequence, or after the final one. */
  events: string[];
  books: string[];
  /** Failures at the wrong time, of the wrong kind or in the wrong shape; processes that ended. */
  errors: string[];
}

/** The lease of a charge. */
const MAX_UNDER_WAY_MS = 60_000;
/** Statuses that a payment reaches once. */
const FINAL = ['succeeded', 'failed', 'cancelled', 'expired'];
/** Statuses of a payment that succeeded. */
const REFUNDED = ['refunded', 'partially_refunded'];

/** Compares what merchants were told, what the API, the database and the providers hold, and what was delivered. */
export function judge(evidence: Evidence): Verdict {
  const byReference = Map.groupBy(evidence.listed, ({ reference }) => reference);
  return {
    lost: [...lostOrders(evidence, byReference), ...lostOutgoing(evidence), ...lostMoney(evidence)],
    twice: [...doubleOrders(evidence, byReference), ...doubleMoney(evidence), ...doubleOutgoing(evidence)],
    stuck: [...stuckOrders(evidence, byReference), ...stuckOutgoing(evidence)],
    events: [...wrongSequences(evidence), ...wrongOutgoingEvents(evidence), ...undelivered(evidence)],
    books: [...wrongBooks(evidence), ...wrongOutgoing(evidence)],
    errors: wrongErrors(evidence),
  };
}

export function passes(verdict: Verdict): boolean {
  return Object.values(verdict).every((list) => list.length === 0);
}

type ByReference = Map<string, Listed[]>;

/** What was answered 2xx must exist, with the id and the amount that were answered, and be cancelled if that was answered. */
function lostOrders({ orders }: Evidence, byReference: ByReference): string[] {
  return orders.flatMap(({ reference, amount, ids, created, cancelled }) => {
    const found = byReference.get(reference) ?? [];
    if (!created) return [];
    const missing = [...ids].filter((id) => !found.some((payment) => payment.id === id));
    const changed = found.filter((payment) => payment.amount !== amount);
    const alive = found.filter(({ status }) => cancelled && status !== 'cancelled');
    return [
      ...missing.map((id) => `${reference}: ${id} was answered and does not exist`),
      ...changed.map((payment) => `${reference}: ${payment.amount} instead of ${amount}`),
      ...alive.map(({ status }) => `${reference}: its cancellation was answered, and it is ${status}`),
    ];
  });
}

/** One key is one payment, however often it was sent. */
function doubleOrders({ orders }: Evidence, byReference: ByReference): string[] {
  return orders.flatMap(({ reference, ids }) => {
    const made = new Set([...ids, ...(byReference.get(reference) ?? []).map(({ id }) => id)]);
    return made.size > 1 ? [`${reference}: ${[...made].join(', ')}`] : [];
  });
}

/**
 * Charges, refunds and payouts that were interrupted between the intent and the provider. They never arrived there, but the program
 * must not believe a "not found" before ten minutes have passed, because status pages of providers lag. They are shown, and are no
 * defect as long as the program keeps asking.
 */
export function waitingFor(evidence: Evidence): string[] {
  return [...waitingPayments(evidence), ...waitingOutgoing(evidence)];
}

function waitingPayments({ listed, booked, moves }: Pick<Evidence, 'listed' | 'booked' | 'moves'>): string[] {
  const arrived = new Set(moves.map(({ key }) => key));
  const waiting = new Set(
    booked.filter(({ polled, provider_key }) => polled && !arrived.has(provider_key)).map(({ payment_id }) => payment_id),
  );
  return listed.filter(({ id, status }) => status === 'processing' && waiting.has(id)).map(({ id }) => id);
}

function stuckOrders(evidence: Evidence, all: ByReference): string[] {
  const waiting = new Set(waitingPayments(evidence));
  const byReference = new Map([...all].map(([reference, list]) => [reference, list.filter(({ id }) => !waiting.has(id))]));
  return evidence.orders.flatMap(({ reference, created, charged, cancelled, plan, wrong }) => {
    const statuses = (byReference.get(reference) ?? []).map(({ status }) => status);
    const isWaiting = (all.get(reference) ?? []).some(({ id }) => waiting.has(id));
    return [
      ...((created && (plan === 'cancel' ? cancelled : charged)) || isWaiting
        ? []
        : [`${reference}: its ${!created ? 'creation' : plan === 'cancel' ? 'cancellation' : 'charge'} was never answered`]),
      ...statuses
        .filter((status) => charged && ![...FINAL, ...REFUNDED].includes(status))
        .map((status) => `${reference}: still ${status}`),
      ...wrong.map((what) => `${reference}: ${what}`),
    ];
  });
}

/** Money that a provider moved and the ledger does not have. */
function lostMoney({ moves, booked, outgoing_booked }: Evidence): string[] {
  const known = new Set([
    ...booked.map(({ provider_key }) => provider_key),
    ...outgoing_booked.flatMap(({ provider_keys }) => provider_keys),
  ]);
  return moves
    .filter(({ moved, key }) => moved && !known.has(key))
    .map(({ key }) => `${key}: moved by the provider, unknown to us`);
}

/** Money that was moved more than once for one payment. */
function doubleMoney({ moves, booked }: Evidence): string[] {
  const paymentOf = new Map(booked.map(({ provider_key, payment_id }) => [provider_key, payment_id]));
  const collected = moves.filter(({ kind, moved }) => kind === 'collect' && moved);
  const times = Map.groupBy(collected, ({ key }) => paymentOf.get(key) ?? key);
  return [...times].filter(([, list]) => list.length > 1).map(([id, list]) => `${id}: charged ${list.length} times`);
}

/** For each payment, what the providers moved is what the ledger booked: its collections less its refunds. */
function wrongBooks({ moves, booked, outgoing_booked }: Evidence): string[] {
  const moved = movedByKey(moves);
  const payments = Map.groupBy(booked, ({ payment_id }) => payment_id);
  const refunds = Map.groupBy(outgoing_booked, ({ payment_id }) => payment_id ?? '');
  return [...payments].flatMap(([id, attempts]) => {
    const refunded = (refunds.get(id) ?? []).flatMap(({ provider_keys }) => provider_keys);
    const keys = [...attempts.map(({ provider_key }) => provider_key), ...refunded];
    const theirs = keys.reduce((sum, key) => sum + (moved.get(key) ?? 0), 0);
    const ours = attempts[0]?.booked_minor ?? 0;
    return ours === theirs ? [] : [`${id}: the ledger has ${ours}, the provider ${theirs}`];
  });
}

/**
 * The events of a payment count from 1 without a gap, and exactly one is final. It is the last, but for those of refunds that have
 * reached the payer.
 */
function wrongSequences(evidence: Evidence): string[] {
  const { events, listed, orders } = evidence;
  const byResource = Map.groupBy(events, ({ resource_id }) => resource_id);
  const ended = new Set(orders.filter((order) => order.charged || order.cancelled).map(({ reference }) => reference));
  return listed.flatMap(({ id, reference, status }) => {
    const own = [...(byResource.get(id) ?? [])].sort((a, b) => a.sequence - b.sequence);
    const shown = own.map(({ type, sequence }) => `${sequence} ${type.replace('payment.', '')}`).join(', ');
    const counted = own.every(({ sequence }, i) => sequence === i + 1);
    const finals = own.filter(({ type }) => FINAL.includes(type.replace('payment.', '')));
    const refunds = own.slice(own.indexOf(finals[0] as StoredEvent) + 1).map(({ type }) => type);
    const ends =
      finals.length === 1 &&
      own.at(-1)?.type === `payment.${status}` &&
      refunds.join() === refundEvents(evidence, id).join() &&
      (refunds.length === 0 || finals[0]?.type === 'payment.succeeded');
    const isOpen = !ended.has(reference) || ![...FINAL, ...REFUNDED].includes(status);
    const right = counted && own[0]?.type === 'payment.created' && (ends || isOpen);
    return right ? [] : [`${id} is ${status} and has the events ${shown || 'none'}`];
  });
}

/** Every event arrived, and every delivery was that event, in the same place of the sequence, validly signed. */
function undelivered({ events, deliveries }: Evidence): string[] {
  const arrived = new Map(deliveries.filter(({ valid }) => valid).map((one) => [one.event_id, one]));
  return events.flatMap(({ id, type, resource_id, sequence }) => {
    const delivery = arrived.get(id);
    if (!delivery) return [`${id} (${type}) was not delivered`];
    const same = delivery.type === type && delivery.resource_id === resource_id && delivery.sequence === sequence;
    return same ? [] : [`${id}: delivered as ${delivery.sequence} ${delivery.type} of ${delivery.resource_id}`];
  });
}

/** What a fault interrupted is repeated; for a while the repetition learns only that the first may not have ended. */
function isAllowed({ first_at, sent_at, at, kind }: Failed, { from, to, kinds }: Window): boolean {
  if (kind === 'under way') return first_at <= to && at >= from && at <= to + MAX_UNDER_WAY_MS;
  return at >= from && sent_at <= to && kinds.includes(kind);
}

function wrongErrors({ failed, windows, ended }: Evidence): string[] {
  const allowed = (one: Failed) => windows.some((window) => isAllowed(one, window));
  const begin = Math.min(...windows.map(({ from }) => from));
  const seconds = (at: number) =>
    Number.isFinite(begin) ? `${((at - begin) / 1000).toFixed(1)} s after the fault began` : 'without a fault';
  return [
    ...failed.filter((one) => !allowed(one)).map(({ at, operation, kind }) => `${operation}: ${kind}, ${seconds(at)}`),
    ...failed.flatMap(({ operation, fault }) => (fault === null ? [] : [`${operation}: ${fault}`])),
    ...ended.map((name) => `${name} has ended`),
  ];
}
