import type { Memory } from './requests.ts';
import type { Random } from './values.ts';

type Recipe = (random: Random, memory: Memory) => Record<string, unknown>;

const order: Recipe = (random) => ({
  amount: random.of([500, 5_000, 25_000, 1_200_000]),
  currency: random.of(['XAF', 'XAF', 'XAF', 'XOF']),
  phone: '+237650000000',
  ...(random.chance(0.3) ? { email: 'awa@shop.example' } : {}),
  ...(random.chance(0.2) ? { bearer: 'customer', metadata: { order: random.below(9) } } : {}),
});

/** Phone numbers of the sandbox and the simulators, whose last digits decide the outcome. */
const PHONES = ['650000000', '650000000', '650000000', '650000001', '650000002', '650000003', '690000000'];

/** Bodies that reach the deeper states of the program, by operation. The schema alone rarely makes one. */
export const RECIPES: Record<string, Recipe> = {
  'POST /payments': order,
  'POST /payments/{id}': (random) => ({
    channel: random.of(['cm.mtn', 'cm.mtn', 'cm.orange']),
    data: { phone: random.of(PHONES) },
  }),
  'POST /refunds': (random, memory) => ({
    payment: memory.id(random, 'trx'),
    reason: 'requested_by_customer',
    ...(random.chance(0.5) ? { amount: random.of([1, 100, 500, 5_000]) } : {}),
  }),
  'POST /beneficiaries': () => ({ name: 'Awa Ngo', channel: 'cm.mtn', phone: '+237650000000' }),
  'PATCH /beneficiaries/{id}': (random) => ({ name: `Awa ${random.below(9)}` }),
  'PUT /beneficiaries/{id}': () => ({ name: 'Awa Ngo', phone: '+237650000000' }),
  'POST /transfers': (random, memory) => ({
    ...{ amount: random.of([100, 500, 1_000]), currency: 'XAF' },
    ...(random.chance(0.5) ? { beneficiary: memory.id(random, 'ben') } : { recipient: '650000000', channel: 'cm.mtn' }),
  }),
  'POST /customers': (random) => ({ email: `payer${random.below(20)}@client.example`, name: 'Awa Ngo' }),
  'POST /links': (random) => ({
    title: 'A shirt',
    currency: 'XAF',
    ...(random.chance(0.5) ? { amount: 5_000, max_uses: 2 } : {}),
  }),
  'PATCH /links/{id}': (random) => ({ active: random.chance(0.7) }),
  'POST /invoices': (random) => ({
    ...{ items: [{ name: 'A shirt', quantity: 1 + random.below(3), unit_price: 2_500 }], currency: 'XAF' },
    customer: { email: 'awa@client.example', name: 'Awa Ngo' },
  }),
  'PATCH /invoices/{id}': () => ({ notes: 'thank you' }),
  'POST /identity/resolve': () => ({ channel: 'cm.mtn', phone: '+237650000000' }),
  'POST /webhooks': (_, memory) => ({ url: memory.receiver, events: ['*'] }),
  'PUT /webhooks/{id}': (_, memory) => ({ url: memory.receiver, events: ['payment.*'] }),
  'PATCH /webhooks/{id}': (random) => ({ active: random.chance(0.8), description: 'fuzz' }),
};
