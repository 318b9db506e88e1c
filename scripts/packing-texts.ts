/* Generated texts from which a dictionary is made (scripts/packing-words.ts). They contain no personal data. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** An object of the API or of the database, and how often it is varied. */
export interface Shape {
  shape: Json;
  times: number;
}

const ID = '01m7z5k2m06esx3hvenz0qcq0j';
const TIME = '2026-11-21T13:44:03.456Z';
const HOLE = '\u0001';

const attempt = (status: string): Json => ({
  ...{ id: `att_test_${ID}`, provider: 'sandbox', channel: 'cm.mtn', status, reason: null },
  explanation: 'No rule matched: in the sandbox the built-in provider takes what no rule sends elsewhere.',
  created_at: TIME,
});

/** As `presentPayment` builds it. */
function payment(status: string, customer: string, attempts: Json[]): Json {
  const final = status === 'succeeded';
  return {
    ...{ id: `trx_test_${ID}`, reference: 'made', amount: 5_000, currency: 'XAF', status },
    ...{ channel: attempts.length > 0 ? 'cm.mtn' : null, description: 'made', sandbox: true, created_at: TIME, settled: final },
    ...{ reason: null, metadata: { made: 'made' }, amount_total: 5_000, amount_captured: final ? 5_000 : 0, amount_refunded: 0 },
    ...{ fee: 100, bearer: 'merchant', message: null, customer, payment_method: null, account: null },
    ...{ retry_of: null, retried_by: null, callback: 'https://made' },
    ...{ items: null, address: null, shipping: null, theming: null, expires_at: TIME, completed_at: final ? TIME : null },
    ...{ updated_at: TIME, attempts },
  };
}

/** As `eventInput` builds it: the number of endpoints is not known yet. */
const event = (type: string, data: Json): Json => ({
  ...{ id: `evt_test_${ID}`, event: type, livemode: false, created: TIME, api_version: '2026-08-01', pending_webhooks: HOLE },
  ...{ request: { id: null, idempotency_key: `req_test_${ID}` }, data },
});

const considered = (verdict: string, place: number | null): Json => ({
  ...{ name: 'made', account_id: `pa_${ID}`, provider: 'made', verdict, place, why: 'made' },
  health: place === null ? null : { standing: 'made', calls: 1, failures: 1, p95_ms: 1 },
});

const decision = (by: string, rule: Json, accounts: Json[]): Json => ({
  ...{
    at: TIME,
    operation: 'collect',
    channel: 'cm.mtn',
    currency: 'XAF',
    amount: 5_000,
    rule,
    by,
    draw: by === 'share' ? 0.5 : null,
    accounts,
  },
});

const BUILT_IN: Json = {
  ...{ name: 'sandbox', account_id: 'sandbox', provider: 'sandbox', verdict: 'chosen', place: 1 },
  ...{ why: 'it comes with the sandbox', health: null },
};
const RULE: Json = { id: `rul_${ID}`, priority: 10, summary: 'made' };
const KNOWN = `cus_test_${ID}`;
const OPEN = [attempt('open')];

const customer: Json = {
  ...{ id: KNOWN, name: 'made', email: 'made', phone: 'made', company_name: null, address: null, billing: null, tax_id: null },
  ...{ metadata: null, blocked: false, sandbox: true, archived_at: null, created_at: TIME, updated_at: TIME },
};

const answer = (code: number, message: string, body: Json): Json => ({ code, message, body, version: '2026-08-01' });

/** Objects of nearly every payment. Those of all other types are varied from the data of test/upgrade. */
export const SHAPES: readonly Shape[] = [
  { shape: event('payment.created', payment('pending', HOLE, [])), times: 60 },
  { shape: event('payment.created', payment('pending', KNOWN, [])), times: 30 },
  { shape: event('payment.processing', payment('processing', KNOWN, OPEN)), times: 90 },
  { shape: event('payment.succeeded', payment('succeeded', KNOWN, [attempt('succeeded')])), times: 90 },
  { shape: event('payment.failed', payment('failed', KNOWN, [attempt('failed')])), times: 30 },
  { shape: event('customer.created', customer), times: 30 },
  {
    shape: answer(202, 'Payment is processing', { action: { kind: 'confirm' }, transaction: payment('processing', KNOWN, OPEN) }),
    times: 60,
  },
  { shape: decision('built_in', null, [BUILT_IN]), times: 60 },
  { shape: decision('added', null, [considered('chosen', 1)]), times: 40 },
  { shape: decision('order', RULE, [considered('chosen', 1), considered('fallback', 2)]), times: 40 },
  {
    shape: decision('share', RULE, [considered('chosen', 1), considered('fallback', 2), considered('left_out', null)]),
    times: 30,
  },
  { shape: decision('least_cost', RULE, [considered('chosen', 1), considered('left_out', null)]), times: 30 },
];

/** State of the generator of random numbers, which are the same in each run (mulberry32). */
let state = 20_261_121;
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % below;
}

const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const words = (list: readonly string[], count: number) => Array.from({ length: count }, () => pick(list));
const digits = (count: number) => Array.from({ length: count }, () => random(10)).join('');

const SYLLABLES =
  'ba ko di ne fa mo sa lu an di ou ma ti re na dja mbo ka yo ne pa ul ar mel je an ro se gue ndo fo tso wa ly am'.split(' ');
const GOODS =
  'order payment invoice delivery of for and the with monthly subscription ticket fees school rent shoes phone food water data credit commande paiement facture livraison de la le du des pour et avec abonnement mensuel billet frais loyer cours achat panier kit table service booking room donation plan'.split(
    ' ',
  );
const SHOPS = [
  'shop',
  'store',
  'boutique',
  'market',
  'pay',
  'app',
  'www',
  'api',
  'orders',
  'checkout',
  'return',
  'callback',
  'success',
];
const ENDINGS = ['com', 'cm', 'ci', 'sn', 'africa', 'net', 'org', 'io', 'example'];
const CODES = ['237', '225', '221', '233', '254', '229', '226', '228', '234', '250', '255', '256', '260'];
const CHANNELS = [
  'cm.mtn',
  'cm.mtn',
  'cm.mtn',
  'cm.orange',
  'ci.wave',
  'ci.orange',
  'ci.mtn',
  'sn.wave',
  'sn.orange',
  'gh.mtn',
  'ke.mpesa',
  'card',
];
const CURRENCIES = ['XAF', 'XAF', 'XAF', 'XOF', 'XOF', 'GHS', 'KES', 'NGN', 'UGX', 'RWF', 'ZMW'];

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const made = () => words(SYLLABLES, 2 + random(2)).join('');
const reference = () =>
  pick([
    () => `order-${digits(2 + random(6))}`,
    () => `${pick(['ORD', 'INV', 'CMD', 'TX', 'REF'])}-${digits(4 + random(5))}`,
    () => digits(4 + random(8)),
    () => `${made()}-${digits(3)}`,
    () => Array.from({ length: 4 }, () => (random(0xffff) + 0x10000).toString(16).slice(1)).join('-'),
  ])();
const url = () => `https://${pick(SHOPS)}.${made()}.${pick(ENDINGS)}/${words(SHOPS, 1 + random(2)).join('/')}`;
const AMOUNT_FIELDS = new Set([
  'amount',
  'amount_total',
  'amount_captured',
  'amount_refunded',
  'fee',
  'unit_price',
  'amount_due',
]);

const PROVIDERS = ['mtn-momo', 'orange-money', 'wave', 'cinetpay', 'pawapay', 'flutterwave', 'paystack', 'sandbox'];
const WHY = [
  ...[
    'number 1 in the rule',
    'number 2 in the rule',
    'the rule does not name it',
    'the rule allows no fallback',
    'its cost is not known',
  ],
  ...['it takes 50 in 100', 'it costs 150 XAF', 'it was added first', 'number 2 as they were added', 'float below amount'],
];

const SANDBOX_EXPLANATION = 'No rule matched: in the sandbox the built-in provider takes what no rule sends elsewhere.';
const EXPLANATIONS = [
  () => SANDBOX_EXPLANATION,
  () => SANDBOX_EXPLANATION,
  () => 'No rule matched: accounts are tried in the order in which they were added.',
  () => `Rule rul_${ID} (priority ${random(100)}) decided: everything: ${made()}, then ${made()}.`,
];
/** Values of the built-in provider, which handles most payments of the sandbox. */
const BUILT_IN_VALUES = new Set<Json>(['sandbox', 'it comes with the sandbox']);

/** New values for the fields that differ from object to object. */
const FIELDS: Record<string, () => Json> = {
  name: () => `${capital(made())} ${capital(made())}`,
  email: () =>
    `${made()}${pick(['', '.', digits(2)])}${made()}@${pick(['gmail.com', 'gmail.com', 'yahoo.fr', `${made()}.${pick(ENDINGS)}`])}`,
  phone: () => `+${pick(CODES)}${digits(9)}`,
  reference,
  description: () => capital(words(GOODS, 2 + random(6)).join(' ')),
  callback: url,
  provider: () => pick(PROVIDERS),
  why: () => pick(WHY),
  summary: () => `${pick(['everything', ...CHANNELS])}: ${made()}, then ${made()}`,
  standing: () => pick(['operational', 'operational', 'operational', 'degraded']),
  calls: () => random(300),
  failures: () => pick([0, 0, random(20)]),
  p95_ms: () => random(3_000),
  priority: () => random(100),
  draw: () => random(1_000_000) / 1_000_000,
  explanation: () => pick(EXPLANATIONS)(),
  url,
  metadata: () =>
    Object.fromEntries(
      words(
        ['order', 'order_id', 'cart', 'user', 'user_id', 'invoice', 'source', 'type', 'plan', 'channel', 'id', 'ref'],
        1 + random(3),
      ).map((name) => [name, pick<Json>([reference(), random(100_000), pick(GOODS), pick(['web', 'app', 'mobile'])])]),
    ),
};
/** Optional fields, which are absent in half of the texts. */
const OPTIONAL = new Set(['description', 'metadata', 'callback', 'reference']);

interface Setting {
  amount: number;
  channel: string;
  currency: string;
}

function varied(value: Json, setting: Setting, name = ''): Json {
  if (Array.isArray(value)) return value.map((one) => varied(one, setting));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, varied(field, setting, key)]));
  }
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field && value !== null && !BUILT_IN_VALUES.has(value)) return OPTIONAL.has(name) && random(3) === 0 ? null : field();
  if (AMOUNT_FIELDS.has(name) && typeof value === 'number' && value !== 0) {
    return name === 'fee' ? Math.ceil(setting.amount / 50) : setting.amount;
  }
  if (name === 'channel' && value === 'cm.mtn') return setting.channel;
  return name === 'currency' ? setting.currency : value;
}

/** Varies each shape. One in two is live: the ids lack `test_`. */
export function generated(shapes: readonly Shape[]): string[] {
  return shapes.flatMap(({ shape, times }) =>
    Array.from({ length: times }, (_, i) => {
      const amount = (1 + random(999)) * pick([5, 50, 100, 100, 500, 1_000]);
      const text = JSON.stringify(varied(shape, { amount, channel: pick(CHANNELS), currency: pick(CURRENCIES) }));
      const filled = text
        .replace(/"pending_webhooks":(?:"\\u0001"|\d+)/, `"pending_webhooks":${HOLE}`)
        .replaceAll('\\u0001', HOLE);
      if (i % 2 === 0) return filled;
      const live = filled.replaceAll('_test_', '_').replaceAll('"sandbox":true', '"sandbox":false');
      return live
        .replaceAll('"livemode":false', '"livemode":true')
        .replaceAll('"provider":"sandbox","channel"', `"provider":"${pick(PROVIDERS)}","channel"`);
    }),
  );
}
