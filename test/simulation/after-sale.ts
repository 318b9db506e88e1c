import { changeDispute, openDispute } from '../../src/core/disputes/service.ts';
import type { DisputeTrigger } from '../../src/core/disputes/states.ts';
import { Problem } from '../../src/kit/errors.ts';
import type { Random } from './contract.ts';
import type { Order } from './orders.ts';
import type { Shop } from './shop.ts';

/** What may follow a payment. Each runs at its own time, beside the others; `last`: after all others. */
export interface Afterwards {
  name: keyof typeof AFTERWARDS;
  after_ms: number;
  last?: true;
}

const REASONS = ['duplicate', 'requested_by_customer', 'wrong_amount', 'merchant_error'] as const;

export const AFTERWARDS = {
  'refund all': async (order: Order) => {
    if (await order.paid()) await refund(order, 'all', null);
  },
  'refund a half': async (order: Order) => {
    if (await order.paid()) await refund(order, 'half', 0.5);
  },
  'refund another half': async (order: Order) => {
    if (await order.paid()) await refund(order, 'half2', 0.5);
  },
  'refund a tenth twice': async (order: Order) => {
    if (await order.paid()) await Promise.all([refund(order, 't1', 0.1), refund(order, 't2', 0.1)]);
  },
  'refund too much': async (order: Order) => {
    if (await order.paid()) await refund(order, 'much', 1.1);
  },
  'refund at once': (order: Order) => refund(order, 'early', 0.5),
  'win a dispute': (order: Order) => dispute(order, ['evidence_sent', 'provider_decided_won']),
  'lose a dispute': (order: Order) => dispute(order, ['provider_decided_lost']),
  'accept a dispute': (order: Order) => dispute(order, ['accepted']),
  'see a dispute withdrawn': (order: Order) => dispute(order, ['withdrawn']),
  'lose a dispute about a part': (order: Order) => dispute(order, ['provider_decided_lost'], 0.3),
  'win a dispute about a part, lose one about the rest': async (order: Order) => {
    await dispute(order, ['evidence_sent', 'provider_decided_won'], 0.4);
    await dispute(order, ['provider_decided_lost']);
  },
  'lose two disputes about parts, see one about the rest withdrawn': async (order: Order) => {
    await dispute(order, ['accepted'], 0.2);
    await dispute(order, ['provider_decided_lost'], 0.3);
    await dispute(order, ['withdrawn']);
  },
  'dispute more than is left': (order: Order) => dispute(order, ['provider_decided_lost'], 1.5),
  'read it': async (order: Order) => {
    await order.shop.get(`/payments/${order.id}`);
    await order.shop.get(`/payments?search=${order.tag}`);
  },
  'send its events again': async (order: Order) => {
    const events = await order.shop.get('/events?per_page=4');
    for (const { id } of events?.items ?? []) await order.shop.insist('POST', `/events/${id}/resend`, {});
  },
  'rename the customer': async (order: Order) => {
    const customer = (await order.shop.get(`/payments/${order.id}`))?.transaction.customer;
    if (customer) await order.shop.insist('PATCH', `/customers/${customer}`, { body: { name: `Awa ${order.tag} Mbarga` } });
  },
  'block the customer': (order: Order) => block(order),
  'erase the customer': erase,
};

type Name = keyof typeof AFTERWARDS;

const WEIGHTS: readonly (readonly [readonly Name[], number])[] = [
  [['refund all'], 5],
  [['refund a half'], 5],
  [['refund a half', 'refund another half'], 3],
  [['refund all', 'refund another half'], 2],
  [['refund a tenth twice'], 2],
  [['refund too much'], 1],
  [['refund at once'], 1],
  [['win a dispute'], 1],
  [['lose a dispute'], 1],
  [['accept a dispute', 'refund a half'], 1],
  [['see a dispute withdrawn'], 1],
  [['lose a dispute about a part'], 1],
  [['lose a dispute about a part', 'win a dispute'], 1],
  [['lose a dispute about a part', 'refund a half'], 1],
  [['win a dispute about a part, lose one about the rest'], 1],
  [['lose two disputes about parts, see one about the rest withdrawn'], 1],
  [['dispute more than is left'], 0.3],
  [['refund a half', 'lose a dispute'], 1],
  [['read it'], 3],
  [['erase the customer'], 1],
  [['rename the customer', 'erase the customer'], 1],
  [['send its events again'], 1],
  [['block the customer'], 1],
  [['block the customer', 'refund a half'], 0.5],
  [['refund all', 'erase the customer'], 1],
  [[], 8],
];

export function drawAfterwards(random: Random, crowded: boolean): Afterwards[] {
  let point = random.next() * WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0);
  const [names] = WEIGHTS.find(([, weight]) => {
    point -= weight;
    return point < 0;
  }) as (typeof WEIGHTS)[number];
  const together = random.chance(crowded ? 0.9 : 0.5);
  const first = random.int(120_000);
  return names.map((name) => {
    const after_ms = together ? first : random.int(600_000);
    return name === 'erase the customer' ? { name, after_ms, last: true } : { name, after_ms };
  });
}

async function refund(order: Order, suffix: string, part: number | null): Promise<void> {
  const { unit } = order.plan.line;
  const amount = part === null ? null : Math.max(1, Math.round(order.plan.amount * unit * part)) / unit;
  const intent = order.intent('refund', `-${suffix}`, order.random.chance(0.8));
  const body = {
    payment: order.id,
    reason: order.random.pick(REASONS),
    metadata: { tag: intent.tag },
    ...(amount === null ? {} : { amount }),
  };
  const answer = await order.shop.wish(intent, '/refunds', body, { twice: order.random.chance(0.1) });
  if (answer && answer.status < 500 && ![201, 400, 422].includes(answer.status))
    order.shop.complaints.push(`${intent.tag}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

/** What the scheme and the merchant decided of a dispute, by the shop that it concerns. */
export interface Claim {
  id: string;
  payment: string;
  /** In hundredths; null when the answer to its opening was lost. */
  amount_minor: bigint | null;
  status: 'won' | 'lost' | 'closed';
}

const CLAIMS = new WeakMap<Shop, Claim[]>();

export function claimsOf(shop: Shop): readonly Claim[] {
  return CLAIMS.get(shop) ?? [];
}

/** Longer than a node that has a notice may be paused. */
const LATEST_NOTICE_MS = 2_400_000;

const ENDS: Partial<Record<DisputeTrigger, Claim['status']>> = {
  provider_decided_won: 'won',
  provider_decided_lost: 'lost',
  accepted: 'lost',
  withdrawn: 'closed',
};

/** @param part of the payment that it is about; null: of what the payer has not got back */
async function dispute(order: Order, triggers: DisputeTrigger[], part: number | null = null): Promise<void> {
  if (!(await order.paid())) return;
  const { ground, shop } = order;
  const { team_id } = shop;
  const asked = part === null ? {} : { amount_minor: partOf(order, part) };
  // By its reason it is found again among the disputes of the payment.
  const reason = `${order.tag} ${triggers.join(', ')} ${part}`;
  const opening = { team_id, payment_id: order.id as string, reason, ...asked };
  let notices = 0;
  const opened = await untilHeard(order, () => {
    notices += 1;
    return ground.operate((deps, store) => openDispute(deps, store.of(team_id), opening).catch(none));
  });
  // It is refused when so much is not left; and when it was opened and the answer to that was lost.
  const id = opened?.id ?? (await findDispute(order, reason));
  if (id === null) return refused(order, part);
  const amount_minor = asked.amount_minor ?? opened?.amount_minor ?? null;
  const status = triggers.map((trigger) => ENDS[trigger]).find((end) => end !== undefined) as Claim['status'];
  CLAIMS.set(shop, [...claimsOf(shop), { id, payment: order.id as string, amount_minor, status }]);
  ground.surroundings.count(part === null ? 'a dispute about all that is left' : 'a dispute about a part');
  if (claimsOf(shop).filter(({ payment }) => payment === order.id).length > 1)
    ground.surroundings.count('another dispute of a payment');
  // While a notice may still be on its way, the dispute stays open: after its end it would open another.
  if (notices > 1) await shop.around.sleep(LATEST_NOTICE_MS);
  for (const trigger of triggers) {
    await shop.around.sleep(10_000 + order.random.int(600_000));
    if (trigger === 'evidence_sent')
      await shop.insist('POST', `/disputes/${id}/evidence`, { body: { evidence: { text: 'signed' } } });
    else if (trigger === 'accepted')
      await untilHeard(order, async () => (await shop.insist('POST', `/disputes/${id}/accept`, { body: {} })) ?? 'lost');
    else
      await untilHeard(order, () =>
        ground.operate((deps, store) => changeDispute(deps, store.of(team_id), { team_id, id }, trigger).catch(none)),
      );
  }
}

/** Only what went back to the payer, goes back, or is disputed already is a reason to refuse a dispute. */
function refused({ plan, shop, tag }: Order, part: number | null): void {
  const others = plan.afterwards.filter(({ name }) => /refund|dispute/.test(name));
  if (others.length === 1 && part !== null && part < 1) shop.complaints.push(`${tag}: a dispute about ${part} of it was refused`);
}

/** A part of the amount, in hundredths, that the currency can move. */
function partOf({ plan: { line, amount } }: Order, part: number): bigint {
  return BigInt(Math.max(1, Math.round(amount * line.unit * part)) * (100 / line.unit));
}

/** A scheme gives its notice again until it is answered. */
async function untilHeard<T>({ shop }: Order, say: () => Promise<T | 'lost'>): Promise<T> {
  for (;;) {
    const answer = await say();
    if (answer !== 'lost') return answer;
    await shop.around.sleep(30_000);
  }
}

async function findDispute({ shop, id }: Order, reason: string): Promise<string | null> {
  for (let page = 1; ; page++) {
    const list = await shop.get(`/disputes?per_page=100&page=${page}`);
    const found = list?.items.find((one: { payment: string; reason: string }) => one.payment === id && one.reason === reason);
    if (found) return found.id;
    if (!list || page >= list.meta.last_page) return null;
  }
}

/** A refusal is an answer too. */
function none(error: unknown): null {
  if (error instanceof Problem) return null;
  throw error;
}

async function erase(order: Order): Promise<void> {
  const { shop } = order;
  const customer: string | null = (await shop.get(`/payments/${order.id}`))?.transaction.customer ?? null;
  if (customer === null) return;
  const answer = await shop.insist('DELETE', `/customers/${customer}`);
  if (answer?.status === 200) shop.erased.push({ customer, canaries: order.canaries });
}

/** Blocks the customer, who can make no payment until the block is taken back. */
async function block(order: Order): Promise<void> {
  const { shop, random } = order;
  const customer: string | null = (await shop.get(`/payments/${order.id}`))?.transaction.customer ?? null;
  if (customer === null) return;
  if (!(await setBlocked(shop, customer, true))) return;
  const rejected = await again(order, customer, 'blocked');
  if (rejected !== null && rejected !== 422)
    shop.complaints.push(`${customer} is blocked, and a payment was answered ${rejected}`);
  if (random.fork('block').chance(0.3)) return;
  await shop.around.sleep(10_000 + random.int(60_000));
  if (!(await setBlocked(shop, customer, false))) return;
  const taken = await again(order, customer, 'free');
  if (taken !== null && taken !== 201)
    shop.complaints.push(`${customer} is blocked no more, and a payment was answered ${taken}`);
}

/** Sent once: a request whose answer was lost may be carried out much later. @returns whether it was carried out now */
async function setBlocked(shop: Shop, customer: string, blocked: boolean): Promise<boolean> {
  const answer = await shop.send('POST', `/customers/${customer}/${blocked ? 'block' : 'unblock'}`, { body: {} });
  const isDone = answer !== 'lost' && answer.status === 200;
  shop.blocked.set(customer, isDone ? blocked : null);
  return isDone;
}

/** Makes another payment of the same customer. @returns the status, null: unknown */
async function again(order: Order, customer: string, suffix: string): Promise<number | null> {
  const { line, amount } = order.plan;
  const intent = order.intent('payment', `-${suffix}`, true);
  const body = { amount, currency: line.currency, customer_id: customer, reference: intent.tag };
  const answer = await order.shop.wish(intent, '/payments', body);
  return answer === null || answer.status >= 500 ? null : answer.status;
}
