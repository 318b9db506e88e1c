import { changeDispute, openDispute } from '../../src/core/disputes/service.ts';
import type { DisputeTrigger } from '../../src/core/disputes/states.ts';
import { Problem } from '../../src/kit/errors.ts';
import type { Random } from './contract.ts';
import type { Order } from './orders.ts';

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

async function dispute(order: Order, triggers: DisputeTrigger[]): Promise<void> {
  if (!(await order.paid())) return;
  const { ground, shop } = order;
  const { team_id } = shop;
  const opened = await ground.operate((deps, store) =>
    openDispute(deps, store.of(team_id), { team_id, payment_id: order.id as string, reason: 'fraudulent' }).catch(none),
  );
  if (opened === 'lost' || opened === null) return;
  for (const trigger of triggers) {
    await shop.around.sleep(10_000 + order.random.int(600_000));
    if (trigger === 'evidence_sent')
      await shop.insist('POST', `/disputes/${opened.id}/evidence`, { body: { evidence: { text: 'signed' } } });
    else if (trigger === 'accepted') await shop.insist('POST', `/disputes/${opened.id}/accept`, { body: {} });
    else
      await ground.operate((deps, store) =>
        changeDispute(deps, store.of(team_id), { team_id, id: opened.id }, trigger).catch(none),
      );
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
