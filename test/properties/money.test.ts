import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { checkAllBooks, closeBench, type Command, MoneyBench, openBench } from './bench.ts';

/** `npm run properties -- --runs N` asks for more. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 2_000);
const SEED = process.env.PROPERTY_SEED ? Number(process.env.PROPERTY_SEED) : Math.floor(Math.random() * 2 ** 31);
/** Sequences run side by side, each with a team of its own: they share tables, workers and locks, never money. */
const LANES = 12;

before(openBench);
after(closeBench);

const amount = fc.integer({ min: 100, max: 60_000 });

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      amount,
      held: fc.boolean(),
      bearer: fc.constantFrom('merchant' as const, 'customer' as const),
      split: fc.boolean(),
      refunds_fail: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('refund' as const), payment: fc.nat(8), percent: fc.integer({ min: 1, max: 120 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cover' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dispute' as const), payment: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('decide' as const), payment: fc.nat(8), won: fc.boolean() }) },
);

const sequence = fc.record({
  currency: fc.constantFrom('XAF', 'NGN'),
  split: fc.constantFrom({ type: 'percentage' as const, value: 12.5 }, { type: 'fixed' as const, value: 300 }),
  commands: fc.array(command, { minLength: 1, maxLength: 10 }),
});

test(`${RUNS} random sequences agree with the model, with folding and release running`, async () => {
  const lane = (i: number) =>
    fc.assert(
      fc.asyncProperty(sequence, async ({ currency, split, commands }) => {
        const bench = await MoneyBench.start(currency, split);
        for (const step of commands) {
          await bench.run(step);
          await bench.agree();
        }
      }),
      { numRuns: Math.ceil(RUNS / LANES), seed: SEED + i, endOnFailure: true },
    );
  await Promise.all(Array.from({ length: LANES }, (_, i) => lane(i))).catch((error: Error) => {
    throw new Error(`PROPERTY_SEED=${SEED} npm run properties: ${error.message}`, { cause: error });
  });
  assert.deepEqual(await checkAllBooks(), []);
});
