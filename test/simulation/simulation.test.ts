import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type {
  Cancellation,
  PayoutOutcome,
  Preparation,
  Reading,
  RefundOutcome,
  Submission,
} from '../../src/providers/adapters/contract.ts';
import { Fleet } from './fleet.ts';
import { Run } from './run.ts';
import { shrink } from './shrink.ts';
import type { WorldOptions, WorldReport } from './world.ts';

type Kinds<Outcome extends { kind: string }, Never extends string = never> = Record<Exclude<Outcome['kind'], Never>, true>;

/** Everything that the contract of adapters allows a provider to answer. */
const ANSWERS = {
  prepare: { ready: true, refused: true, unavailable: true } satisfies Kinds<Preparation>,
  submit: {
    ...{ accepted: true, succeeded: true, refused: true, unavailable: true, duplicate: true, unknown: true },
  } satisfies Kinds<Submission>,
  continue: { accepted: true, unavailable: true, unknown: true } satisfies Partial<Kinds<Submission>>,
  read: {
    ...{ pending: true, succeeded: true, failed: true, cancelled: true, expired: true, not_found: true, unreadable: true },
  } satisfies Kinds<Reading>,
  cancel: { cancelled: true, too_late: true, unknown: true } satisfies Kinds<Cancellation>,
  'refunds submit': {
    ...{ pending: true, succeeded: true, failed: true, unavailable: true, unknown: true },
  } satisfies Kinds<RefundOutcome, 'unfunded' | 'not_found'>,
  'refunds read': {
    ...{ pending: true, succeeded: true, failed: true, unfunded: true, not_found: true, unknown: true },
  } satisfies Kinds<RefundOutcome, 'unavailable'>,
  'payouts submit': {
    ...{ pending: true, succeeded: true, failed: true, cancelled: true, unavailable: true, unknown: true },
  } satisfies Kinds<PayoutOutcome, 'unfunded' | 'not_found'>,
  'payouts read': {
    ...{ pending: true, succeeded: true, failed: true, cancelled: true, unfunded: true, not_found: true, unknown: true },
  } satisfies Kinds<PayoutOutcome, 'unavailable'>,
};
const ACTIONS = ['confirm', 'otp', 'redirect', 'transfer'];

/** How everything may end. */
const ENDS = {
  payments: ['succeeded', 'failed', 'cancelled', 'expired', 'refunded', 'partially_refunded'],
  refunds: ['succeeded', 'failed'],
  transfers: ['succeeded', 'failed', 'cancelled'],
  disputes: ['won', 'lost', 'closed'],
  invoices: ['paid', 'cancelled'],
};

function neverOccurred(occurred: Record<string, number>): string[] {
  const expected = [
    ...Object.entries(ANSWERS).flatMap(([call, kinds]) => Object.keys(kinds).map((kind) => `${call}: ${kind}`)),
    ...ACTIONS.map((action) => `submit: accepted, ${action}`),
    ...ACTIONS.slice(1).map((action) => `read: pending, ${action}`),
    ...Object.entries(ENDS).flatMap(([what, states]) => states.map((state) => `${what}: ${state}`)),
    'an amount or currency that differs',
    'money that was to be returned is kept',
  ];
  return expected.filter((what) => !Object.keys(occurred).some((seen) => seen === what || seen.startsWith(`${what}, `)));
}

const PAYMENTS = Number(process.env.SIMULATE_PAYMENTS ?? 200);
const SEED = process.env.SIMULATE_SEED ?? 'npm test';
const SIZE = 100;

let fleet: Fleet;

before(async () => {
  fleet = await Fleet.start(2);
});
after(() => fleet[Symbol.asyncDispose]());

test(`nothing differs after ${PAYMENTS} simulated payments, seed ${SEED}`, async () => {
  const run = new Run({ seed: SEED, payments: PAYMENTS, size: SIZE }, (world) => fleet.run(world));
  const { failed, summary, occurred } = await run.all(console.log);
  console.log(summary);
  assert.deepEqual(
    failed.map(({ world, report }) => ({ world, wrong: report.wrong })),
    [],
    `npm run simulate -- --seed "${SEED}" --payments ${PAYMENTS} --size ${SIZE} --world ${failed[0]?.world}`,
  );
  if (PAYMENTS >= 1_000) assert.deepEqual(neverOccurred(occurred), [], 'the run shows nothing about what never occurred');
});

test('the same seed is the same run, in another process too', async () => {
  const options: WorldOptions = { seed: `${SEED}/again`, payments: 25, nodes: 3 };
  const [one, other] = await Promise.all([fleet.run(options), fleet.run(options)]);
  assert.match(one.trace, /^[0-9a-f]{16}$/);
  assert.deepEqual(one, other);
});

test('another seed is another run', async () => {
  const [one, other] = await Promise.all(['a', 'b'].map((seed) => fleet.run({ seed, payments: 2, nodes: 1 })));
  assert.notEqual(one?.trace, other?.trace);
});

/** A world that fails when certain parts are in it. */
function failingWith(parts: readonly string[], seen: string[]): (options: WorldOptions) => Promise<WorldReport> {
  const actors = Array.from({ length: 20 }, (_, i) => ({ name: `t${i}`, operations: ['pay', 'refund'] }));
  return async ({ seed, without = new Set() }) => {
    seen.push([...without].join());
    const wrong = parts.some((part) => without.has(part) || without.has(part.split('/')[0] as string)) ? [] : ['LOST: 100'];
    return { seed, trace: '', payments: 20, wrong, story: [], actors, counts: {}, failures: {}, occurred: {}, virtual_ms: 0 };
  };
}

test('the shrinker leaves exactly what a failure needs', async () => {
  const seen: string[] = [];
  const run = failingWith(['t3/refund', 't11/pay', 'crash'], seen);
  const options = { seed: 'x', payments: 20, nodes: 1 };
  const { without } = await shrink(run, options, await run(options));
  const kept = Array.from({ length: 20 }, (_, i) => `t${i}`).filter((name) => !without.has(name));
  assert.deepEqual(kept, ['t3', 't11']);
  assert.deepEqual([without.has('crash'), without.has('pause'), without.has('cut')], [false, true, true]);
  assert.deepEqual([without.has('t3/pay'), without.has('t3/refund'), without.has('t11/refund')], [true, false, true]);
});
