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
  [['refund a half', 'lose a dispute'], 1],
  [['read it'], 3],
  [['erase the customer'], 1],
  [['rename the customer', 'erase the customer'], 1],
  [['send its events again'], 1],
  [['refund all', 'erase the customer'], 1],
  [[], 8],
];

export function drawAfterwards(random: Random, crowded: boolean): Afterwards[] {
  let point = random.int(WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0));
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

const ENDS: Partial<Record<DisputeTrigger, Claim['status']>> = {
  provider_decided_won: 'won',
  provider_decided_lost: 'lost',
  accepted: 'lost',
  withdrawn: 'closed',
};

async function dispute(order: Order, triggers: DisputeTrigger[]): Promise<void> {
  if (!(await order.paid())) return;
  const { ground, shop } = order;
  const { team_id } = shop;
  const opened = await untilHeard(order, () =>
    ground.operate((deps, store) =>
      openDispute(deps, store.of(team_id), { team_id, payment_id: order.id as string, reason: 'fraudulent' }).catch(none),
    ),
  );
  // It is refused when everything is refunded; and when it was opened and the answer to that was lost.
  const id = opened?.id ?? (await findDispute(order));
  if (id === null) return;
  const amount_minor = opened?.amount_minor ?? null;
  const status = triggers.map((trigger) => ENDS[trigger]).find((end) => end !== undefined) as Claim['status'];
  CLAIMS.set(shop, [...claimsOf(shop), { id, payment: order.id as string, amount_minor, status }]);
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

/** A scheme gives its notice again until it is answered. */
async function untilHeard<T>({ shop }: Order, say: () => Promise<T | 'lost'>): Promise<T> {
  for (;;) {
    const answer = await say();
    if (answer !== 'lost') return answer;
    await shop.around.sleep(30_000);
  }
}

async function findDispute({ shop, id }: Order): Promise<string | null> {
  for (let page = 1; ; page++) {
    const list = await shop.get(`/disputes?per_page=100&page=${page}`);
    const found = list?.items.find(({ payment }: { payment: string }) => payment === id);
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
