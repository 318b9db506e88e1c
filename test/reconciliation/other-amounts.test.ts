import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { systemClock } from '../../src/kit/clock.ts';
import { must } from '../../src/kit/errors.ts';
import { settleBreak } from '../../src/core/reconciliation/settle.ts';
import { Ledgers, line, OPERATOR } from './fixture.ts';

/** Money that one line has set aside, in another line with another amount, currency or type. */
let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
});
after(() => books.drop());
afterEach(() => books.clear());

const APPLY = { apply: true };

/** The lines of a statement that sets one break aside, and those of another about the same money. */
type Case = [what: string, make: () => Promise<[first: string[], other: string[]]>];

/** The same operation with other fields in each statement. */
const both = (type: string, key: string, first: object, other: object): [string[], string[]] => [
  [line(type, key, first)],
  [line(type, key, other)],
];

const CASES: Case[] = [
  ['a collection missing here, with another amount', async () => both('collect', 'K', {}, { amount: '700' })],
  ['… in another currency', async () => both('collect', 'K', {}, { currency: 'XOF' })],
  ['… without a key', async () => both('collect', '', { ref: 'R' }, { ref: 'R', amount: '700' })],
  ['a payout missing here, with another amount', async () => both('payout', 'K', {}, { amount: '1' })],
  ['… as a refund', async () => [[line('payout', 'K')], [line('refund', 'K', { amount: '500' })]]],
  [
    'another amount of a capture, with a third amount',
    async () => both('collect', (await books.attempt('succeeded')).key, { amount: '1200' }, { amount: '1300' }),
  ],
  [
    '… in another currency',
    async () => both('collect', (await books.attempt('succeeded')).key, { amount: '1200' }, { currency: 'XOF' }),
  ],
  [
    'another currency of a capture, with a third currency',
    async () => both('collect', (await books.attempt('succeeded')).key, { currency: 'XOF' }, { currency: 'GHS' }),
  ],
  [
    'another amount of a failed attempt, with a third amount',
    async () => both('collect', (await books.attempt('failed')).key, { amount: '400' }, { amount: '300' }),
  ],
  [
    'a failed payout that was paid, with another amount',
    async () => both('payout', (await books.transfer('failed', 'closed')).key, {}, { amount: '400' }),
  ],
  [
    'a second payment, with another amount',
    async () => {
      const { key } = await books.attempt('succeeded', { ref: 'A' });
      const one = line('collect', key, { ref: 'A' });
      return [
        [one, line('collect', key, { ref: 'B' })],
        [one, line('collect', key, { ref: 'B', amount: '700' })],
      ];
    },
  ],
];

describe('money is set aside once: with another amount it is refused, by a run that applies and by one that only looks', () => {
  for (const [what, make] of CASES)
    test(what, async () => {
      const [lines, others] = await make();
      const first = await books.reconcile(lines, APPLY);
      assert.deepEqual(
        first.breaks.map(({ state }) => state),
        ['held'],
      );
      let booked = await books.booked();
      const compareOther = async (apply: boolean) => {
        const { breaks } = await books.reconcile(others, { apply });
        const outcome = `set aside in ${first.run.id} with another amount, currency or type`;
        assert.deepEqual(
          breaks.map((row) => [row.state, row.outcome]),
          [['refused', outcome]],
        );
        assert.deepEqual(await books.booked(), booked);
        assert.deepEqual(await books.differences(), []);
      };
      await compareOther(false);
      await compareOther(true);
      const ref = { team_id: books.team_id, run_id: first.run.id, id: must(first.breaks[0], 'it is held').id };
      const verdict = { as: 'platform', evidence: 'their letter of today', author: 'Awa' } as const;
      await settleBreak({ clock: systemClock }, books.store, ref, verdict, OPERATOR);
      booked = await books.booked();
      await compareOther(false);
      await compareOther(true);
    });
});

test('two amounts of the same money in one statement: the first is set aside, the other is refused', async () => {
  const { key } = await books.attempt('succeeded', { ref: 'A' });
  const second = (amount: string, n: number) => line('collect', key, { ref: 'B', amount, at: `2026-03-10T12:00:2${n}Z` });
  const { run, breaks } = await books.reconcile(
    [line('collect', key, { ref: 'A' }), second('500', 1), second('700', 2), second('500', 3)],
    APPLY,
  );
  assert.deepEqual(
    breaks.map(({ state, outcome }) => [state, outcome]),
    [
      ['held', 'in hold'],
      ['refused', `set aside in ${run.id} with another amount, currency or type`],
      ['held', 'in hold'],
    ],
  );
  assert.deepEqual(await books.booked(), ['reconciliation.unexpected:collect 50000 XAF clearing > hold']);
  assert.deepEqual(await books.differences(), []);
});

test('two concurrent runs with different currencies of a capture set one of them aside', async () => {
  const { key } = await books.attempt('succeeded');
  const runs = await Promise.all(['XOF', 'GHS'].map((currency) => books.reconcile([line('collect', key, { currency })], APPLY)));
  assert.deepEqual(runs.flatMap(({ breaks }) => breaks.map(({ state }) => state)).sort(), ['held', 'refused']);
  assert.equal((await books.booked()).length, 2);
  assert.deepEqual(await books.differences(), []);
});
