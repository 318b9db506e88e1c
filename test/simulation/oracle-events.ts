import { isDeepStrictEqual } from 'node:util';
import type { Shown, ShopView } from './snapshot.ts';

/** What may follow an event of the same resource. */
const NEXT: Record<string, readonly string[]> = {
  'payment.created': ['processing', 'partial', 'succeeded', 'failed', 'cancelled', 'expired'],
  'payment.processing': ['partial', 'succeeded', 'failed', 'cancelled', 'expired'],
  'payment.partial': ['partial', 'succeeded', 'expired'],
  'payment.succeeded': ['refunded', 'partially_refunded'],
  'payment.partially_refunded': ['refunded', 'partially_refunded'],
  'payment.refunded': [],
  'payment.failed': [],
  'payment.cancelled': [],
  'payment.expired': [],
  'refund.created': ['succeeded', 'failed'],
  'refund.succeeded': [],
  'refund.failed': [],
  'transfer.created': ['succeeded', 'failed', 'cancelled'],
  'transfer.succeeded': [],
  'transfer.failed': [],
  'transfer.cancelled': [],
  'dispute.created': ['updated', 'closed'],
  'dispute.updated': ['updated', 'closed'],
  'dispute.closed': [],
  'invoice.created': ['sent', 'cancelled'],
  'invoice.sent': ['paid', 'overdue', 'cancelled'],
  'invoice.overdue': ['paid', 'cancelled'],
  'invoice.paid': [],
  'invoice.cancelled': [],
};

/** They say what happened beside the status, at any time. */
const ASIDE = new Set(['payment.late_success', 'payment.return_required']);

export function judgeEvents(shop: ShopView): string[] {
  const byResource = Map.groupBy(shop.events, ({ data }) => data.id as string);
  return [
    ...[...byResource].flatMap(([id, events]) => [...judgeSequence(id, events), ...judgeProgress(id, events)]),
    ...shop.endpoints.flatMap((endpoint) => judgeEndpoint(shop, endpoint)),
  ];
}

/** The events of a resource are numbered from 1 without gaps. */
function judgeSequence(id: string, events: Shown[]): string[] {
  const numbers = events.map(({ sequence }) => sequence);
  const right = numbers.every((number, i) => number === i + 1);
  return right ? [] : [`SEQUENCE: the events of ${id} are numbered ${numbers.join(', ')}`];
}

function judgeProgress(id: string, events: Shown[]): string[] {
  const steps = events.map(({ event }) => event as string).filter((type) => !ASIDE.has(type));
  const wrong = steps.findIndex((type, i) => {
    const [resource, status] = type.split('.') as [string, string];
    if (!(type in NEXT)) return false;
    return i === 0
      ? status !== 'created'
      : !NEXT[steps[i - 1] as string]?.includes(status) || !steps[i - 1]?.startsWith(resource);
  });
  const last = steps.at(-1);
  const status = events.at(-1)?.data.status;
  const shown = last && last in NEXT && !saysStatus(last, status);
  return [
    ...(wrong < 0 ? [] : [`ORDER: ${id} had ${steps.join(', ')}`]),
    ...(shown ? [`STATUS: the last event of ${id} is ${last}, its body says ${status}`] : []),
  ];
}

/** The event that ends a dispute does not say how; those in between name what happened. */
function saysStatus(type: string, status: string): boolean {
  if (type === 'dispute.closed') return DECIDED.has(status);
  if (type.startsWith('dispute.')) return !DECIDED.has(status);
  return type.endsWith('.created') || type.endsWith(`.${status}`);
}

const DECIDED = new Set(['won', 'lost', 'closed']);

/** Every event that an endpoint subscribes to has reached it once in effect, with the body that the API shows. */
function judgeEndpoint(shop: ShopView, { url, events: wanted, taken, changed }: ShopView['endpoints'][number]): string[] {
  const { events } = shop;
  const isErased = erasedIn(shop);
  const isWanted = (type: string) =>
    wanted.some((one) => one === '*' || one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))));
  const got = new Map(taken.map((one) => [one.event_id, one]));
  const known = new Set(events.map(({ id }) => id));
  const places = taken.map(({ resource, sequence }) => `${resource} ${sequence}`);
  const missing = events.filter(({ id, event }) => isWanted(event) && !got.has(id));
  const differing = events.filter((event) => {
    const one = got.get(event.id);
    if (!one || isErased(event.data)) return false;
    const { sequence, ...body } = event;
    return one.sequence !== sequence || !isDeepStrictEqual(JSON.parse(one.body), body);
  });
  const rewritten = new Set(events.filter(({ data }) => isErased(data)).map(({ id }) => id));
  return [
    ...missing.map(({ id, event }) => `EVENT LOST: ${event} ${id} never reached ${url}`),
    ...taken
      .filter(({ event_id }) => !known.has(event_id))
      .map(({ event_id, type }) => `EVENT UNKNOWN: ${type} ${event_id} reached ${url}`),
    ...taken
      .filter(({ type }) => !isWanted(type))
      .map(({ event_id, type }) => `EVENT UNWANTED: ${type} ${event_id} reached ${url}`),
    ...differing.map(({ id, event }) => `EVENT DIFFERS: ${event} ${id} reached ${url} otherwise than the API shows it`),
    ...changed.filter((id) => !rewritten.has(id)).map((id) => `EVENT CHANGED: ${id} was repeated to ${url} with another body`),
    ...(new Set(places).size === places.length ? [] : [`EVENT TWICE: ${url} got two events with the same number`]),
  ];
}

/** Whether a resource is an erased customer, or belongs to one: its events are rewritten. */
export function erasedIn({ events, erased }: ShopView): (data: Shown) => boolean {
  const gone = new Set(erased);
  for (const { data } of events) if (gone.has(data.customer)) gone.add(data.id);
  return ({ id, payment }) => gone.has(id) || gone.has(payment);
}
