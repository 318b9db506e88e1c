// Own process: it takes about a minute or more.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type Command, MoneyBench } from './bench.ts';
import { checkAllBooks, closeService, openService } from './service.ts';

/** `npm run properties -- --runs N` asks for more. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 2_000);
const SEED = process.env.PROPERTY_SEED ? Number(process.env.PROPERTY_SEED) : Math.floor(Math.random() * 2 ** 31);
/** Sequences run side by side, each with a team of its own: they share tables, workers and locks, never money. */
const LANES = 12;

before(openService);
after(closeService);

const percent = fc.integer({ min: 1, max: 120 });
const nth = fc.nat(8);
/** Of payments in pieces there are few. */
const few = fc.nat(1);
const bearer = fc.constantFrom('merchant' as const, 'customer' as const);
const split = fc.boolean();

const of = (kind: Command['kind'], fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ kind: fc.constant(kind), ...fields }) as fc.Arbitrary<Command>;
const often = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary });

const pay = of('pay', {
  amount: fc.integer({ min: 100, max: 60_000 }),
  held: fc.boolean(),
  bearer,
  split,
  refunds_fail: fc.boolean(),
});
const richPay = of('pay', { amount: fc.constant(60_000), held: fc.constant(false), bearer, split, refunds_fail: fc.boolean() });
const refund = of('refund', { payment: nth, percent });
const release = of('release', {});
const cover = of('cover', {});
const dispute = of('dispute', { payment: nth });
const decide = of('decide', { payment: nth, won: fc.boolean() });

const transfer = of('transfer', { percent, twice: fc.boolean() });
const send = of('send', { transfer: nth, news: fc.constantFrom('pending', 'paid', 'failed', 'cancelled', 'unavailable') });

const order = of('order', { pieces: fc.integer({ min: 2, max: 3 }), extra: fc.nat(1_000), bearer, split });
const news = fc.constantFrom('captured', 'captured', 'captured', 'declined', 'unknown', 'short', 'stray');
const collect = of('collect', { payment: few, news });
const landed = of('collect', { payment: fc.constant(0), news: fc.constant('captured') });
const stuck = of('collect', { payment: fc.constant(0), news: fc.constantFrom('declined', 'unknown', 'short', 'stray') });
const late = of('late', { payment: few });
const resolve = of('resolve', { payment: few, as: fc.constantFrom('succeeded', 'failed') });
const expire = of('expire', { payment: few });

const back = [often(2, refund), often(1, release), often(1, cover), often(1, dispute), often(1, decide)];
const payouts = [often(3, transfer), often(5, send)];
const pieces = [often(1, order), often(8, collect), often(2, late), often(1, resolve), often(1, expire)];

/** What begins a sequence lets the rest of it get somewhere: a payment in pieces takes several commands to be paid. */
const begunWith = (first: fc.Arbitrary<Command>[], ...rest: { weight: number; arbitrary: fc.Arbitrary<Command> }[]) =>
  fc.tuple(fc.tuple(...first), fc.array(fc.oneof(...rest), { maxLength: 10 })).map(([some, more]) => [...some, ...more]);

const commands = fc.oneof(
  begunWith([pay], often(5, pay), often(4, refund), ...back, often(1, transfer), often(1, send)),
  begunWith([richPay, transfer], ...payouts, often(1, pay), ...back),
  begunWith([order], ...pieces, ...back, often(1, transfer), often(1, send)),
  begunWith([order, landed, stuck, landed], often(3, landed), often(3, late), often(1, expire), ...pieces, ...back),
);

const sequence = fc.record({
  currency: fc.constantFrom('XAF', 'NGN'),
  split: fc.constantFrom({ type: 'percentage' as const, value: 12.5 }, { type: 'fixed' as const, value: 300 }),
  commands,
});

test(`${RUNS} random sequences agree with the model, with folding and release running`, async () => {
  const lane = (i: number) =>
    fc.assert(
      fc.asyncProperty(sequence, async ({ currency, split, commands }) => {
        const bench = new MoneyBench(currency, split);
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
