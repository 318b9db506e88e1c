// Own process: it takes about a minute or more.
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { Market } from '../setup/market.ts';
import { FATES } from '../setup/simulated-provider.ts';
import { OutcomesBench, type Step, type Story } from './outcomes.ts';

/**
 * Random sequences in which every tranche, refund part, transfer and dispute has an outcome of its own. A tenth of the sequences of
 * the other model: these go through the API and the workers. `npm run properties -- --runs N --seed S` asks for more, or for the same.
 */
const RUNS = Math.ceil(Number(process.env.PROPERTY_RUNS ?? 800) / 10);
const SEED = process.env.PROPERTY_SEED ? Number(process.env.PROPERTY_SEED) : Math.floor(Math.random() * 2 ** 31);
/** Services side by side, each with databases of its own: their workers would take each other's work. */
const LANES = 2;

let markets: Market[];
before(async () => {
  markets = await Promise.all(
    Array.from({ length: LANES }, () => Market.open({ CREDIT_CAP_LIVE: '100000', CREDIT_CAP_SANDBOX: '100000' })),
  );
});
after(() => Promise.all(markets.map(({ api }) => api.stop())));

const step = <K extends Step['kind']>(kind: K, fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ kind: fc.constant(kind), ...fields }) as fc.Arbitrary<Step>;
const nth = fc.nat(3);
const bearer = fc.constantFrom('merchant', 'customer');
const pay = step('pay', { thousands: fc.integer({ min: 5, max: 60 }), bearer, split: fc.boolean() });
/** Two to four tranches in CFA francs. */
const large = step('pay', { thousands: fc.integer({ min: 600, max: 1_600 }), bearer, split: fc.boolean() });
const pass = step('pass', { seconds: fc.constantFrom(2, 2, 5, 60, 900, 90_000) });
const refund = step('refund', { payment: nth, percent: fc.integer({ min: 10, max: 100 }), at_once: fc.boolean() });
const steps = fc.oneof(
  { weight: 3, arbitrary: pay },
  { weight: 3, arbitrary: large },
  { weight: 8, arbitrary: pass },
  { weight: 5, arbitrary: refund },
  { weight: 2, arbitrary: step('stale', { refund: nth }) },
  { weight: 3, arbitrary: step('transfer', { percent: fc.integer({ min: 10, max: 110 }) }) },
  { weight: 2, arbitrary: step('resume', { payment: nth }) },
  { weight: 1, arbitrary: step('dispute', { payment: nth }) },
  {
    weight: 2,
    arbitrary: step('decide', {
      dispute: nth,
      as: fc.constantFrom('provider_decided_won', 'provider_decided_lost', 'withdrawn', 'accepted', 'evidence_sent'),
    }),
  },
  { weight: 1, arbitrary: step('late', {}) },
);

/** Beyond the list everything succeeds at once. */
const fatesOf = (good: number, bad: number) =>
  fc.array(
    fc.oneof(
      { weight: good, arbitrary: fc.constantFrom('at_once' as const, 'later' as const) },
      { weight: bad, arbitrary: fc.constantFrom('refused' as const, 'refused_later' as const) },
      { weight: 2, arbitrary: fc.constantFrom(...FATES) },
    ),
    { maxLength: 12 },
  );
/** Most tranches are paid, so that a payment gets as far as a refund; refund parts and transfers often fail. */
const fates = fc.record({ collect: fatesOf(8, 1), refund: fatesOf(2, 3), payout: fatesOf(2, 3) });

/** What begins a sequence lets the rest of it get somewhere: several tranches take several steps to be paid. */
const anything = fc.array(steps, { minLength: 4, maxLength: 14 });
const wait = fc.constant<Step>({ kind: 'pass', seconds: 5 });
const begun = fc
  .tuple(fc.tuple(large, wait, wait, wait, refund), fc.array(steps, { maxLength: 8 }))
  .map(([first, rest]) => [...first, ...rest]);

const story: fc.Arbitrary<Story> = fc.record({
  environment: fc.constantFrom('sandbox' as const, 'live' as const),
  currency: fc.constantFrom('XAF' as const, 'XAF' as const, 'NGN' as const),
  fates,
  steps: fc.oneof(anything, begun),
});

test(`${RUNS} random sequences: what providers say they hold and moved is what the ledger says, parts and items included`, async () => {
  const lane = (market: Market, i: number) =>
    fc.assert(
      fc.asyncProperty(story, (drawn) => OutcomesBench.run(market, drawn)),
      { numRuns: Math.ceil(RUNS / LANES), seed: SEED + i },
    );
  const ends = await Promise.allSettled(markets.map(lane));
  const failed = ends.find((end) => end.status === 'rejected')?.reason as Error | undefined;
  if (failed) throw new Error(`PROPERTY_SEED=${SEED} npm run properties: ${failed.message}\n${failed.cause}`, { cause: failed });
});
