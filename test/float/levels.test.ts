import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { alertOf, levelOf } from '../../src/providers/float/level.ts';
import { type AlertRow, type FloatRow, FRESH_MS } from '../../src/providers/float/schema.ts';
import { KnownFloats } from '../../src/providers/float/view.ts';
import { decide } from '../../src/providers/routing/decide.ts';
import { explain } from '../../src/providers/routing/explain.ts';
import type { FloatView, RouteRequest, RuleRow } from '../../src/providers/routing/schema.ts';
import { accountOf, NO_NEWS, requestOf, rulesetOf } from '../routing/support.ts';

const AT = Date.parse('2026-09-01T12:00:00Z');
const BASE: FloatRow = {
  ...{ team_id: 7n, account_id: 'pa_a', currency: 'XAF', area: '', use: 'both', amount_minor: 100_000n },
  read_at: new Date(AT - 1_000),
};
const float = (changes: Partial<FloatRow> = {}): FloatRow => ({ ...BASE, ...changes });
const payout = (amount_minor: bigint, changes: Partial<RouteRequest> = {}) => ({
  ...requestOf({ operation: 'payout', amount_minor }),
  ...changes,
});

describe('explanation of a float', () => {
  const short = (rows: FloatRow[], request = payout(100_001n)) => new KnownFloats(rows).shortOf('pa_a', request, AT);

  test('a float below the amount is reported with balance and time; an exactly sufficient one is not', () => {
    assert.equal(short([float()]), 'float below amount (1000 XAF at 2026-09-01T11:59:59.000Z)');
    assert.equal(short([float()], payout(100_000n)), null);
  });

  test('a float that is stale, of another account or currency, or for collection only is not reported', () => {
    for (const row of [
      float({ read_at: new Date(AT - FRESH_MS) }),
      float({ account_id: 'pa_b' }),
      float({ currency: 'XOF' }),
      float({ use: 'collection' }),
      float({ area: 'ci' }),
      float({ area: 'cm.orange' }),
      float({ area: 'c' }),
    ]) {
      assert.equal(short([row]), null, JSON.stringify(row.area));
    }
    assert.equal(short([]), null);
  });

  test('a charge needs no float', () => {
    assert.equal(short([float({ amount_minor: 0n })], requestOf({ amount_minor: 500n })), null);
  });

  test('a payout uses the most specific wallet: of the channel, then of the country, then the general one', () => {
    const all = [
      float({ amount_minor: 900_000n }),
      float({ area: 'cm', amount_minor: 500_000n }),
      float({ area: 'cm.mtn', amount_minor: 1n }),
    ];
    assert.match(short(all, payout(100n)) ?? '', /below amount \(0\.01 XAF/);
    assert.equal(short(all.slice(0, 2), payout(500_000n)), null);
    assert.match(short(all.slice(0, 2), payout(500_001n)) ?? '', /5000 XAF/);
  });

  test('wallets of the same scope are used together', () => {
    assert.equal(short([float(), float({ use: 'payout', amount_minor: 1n })]), null);
  });
});

describe('level of a float', () => {
  const alert: AlertRow = { team_id: 7n, account_id: 'pa_a', currency: 'XAF', area: '', below_minor: 100_001n };

  test('the level is low below the alert, empty at zero or less, stale five minutes after the last reading', () => {
    assert.equal(levelOf(float(), alert, AT), 'low');
    assert.equal(levelOf(float({ amount_minor: 100_001n }), alert, AT), 'enough');
    assert.equal(levelOf(float({ amount_minor: 0n }), alert, AT), 'empty');
    assert.equal(levelOf(float({ amount_minor: -5n }), undefined, AT), 'empty');
    assert.equal(levelOf(float(), undefined, AT), 'enough');
    assert.equal(levelOf(float({ read_at: new Date(AT - FRESH_MS) }), alert, AT), 'stale');
  });

  test('the alert of an area precedes that of the currency; a float for collection only has none', () => {
    const own = { ...alert, area: 'cm', below_minor: 5n };
    assert.equal(alertOf(float({ area: 'cm' }), [alert, own]), own);
    assert.equal(alertOf(float({ area: 'ci' }), [alert, own]), alert);
    assert.equal(alertOf(float({ area: 'ci' }), [own]), undefined);
    assert.equal(alertOf(float({ currency: 'XOF' }), [alert]), undefined);
    assert.equal(alertOf(float({ use: 'collection' }), [alert]), undefined);
  });
});

describe('payouts are routed away from a float below the amount', () => {
  const ACCOUNTS = [accountOf('a'), accountOf('b'), accountOf('c')];
  const shortAt = (...names: string[]): FloatView => ({
    shortOf: (account_id) => (names.includes(account_id.replace('pa_', '')) ? 'float below amount (1 XAF)' : null),
  });
  const decided = (floats: FloatView | null, rule?: Partial<RuleRow>) =>
    decide(rule ? rulesetOf(rule) : rulesetOf(), ACCOUNTS, NO_NEWS, payout(500n), { at: AT, draw: 0 }, floats);
  const names = (decision: ReturnType<typeof decided>) =>
    decision.candidates.map(({ account_id }) => account_id.replace('pa_', ''));

  test('an account with a low float is tried after those that may have enough, and the explanation says why', () => {
    const decision = decided(shortAt('a', 'b'));
    assert.deepEqual(names(decision), ['c', 'a', 'b']);
    assert.ok(
      explain(decision.explanation).includes(
        'a (simulator) is fallback 1: in the order in which accounts were added; put last: float below amount (1 XAF).',
      ),
    );
    assert.deepEqual(names(decided(shortAt('c'), { account_order: ['c', 'b'] })), ['b', 'c']);
  });

  test('no account is excluded: when all are short the order is kept, because the provider decides', () => {
    const decision = decided(shortAt('a', 'b', 'c'));
    assert.deepEqual(names(decision), ['a', 'b', 'c']);
    assert.match(decision.explanation.accounts[0]?.why ?? '', /were added; float below amount/);
  });

  test('a rule without fallback still selects one account: the first that may have enough', () => {
    const decision = decided(shortAt('a'), { account_order: ['a', 'b'], fallback: false });
    assert.deepEqual(names(decision), ['b']);
    assert.match(decision.explanation.accounts[1]?.why ?? '', /no fallback; put last: float below amount/);
  });

  test('an unknown float does not change the order', () => {
    assert.deepEqual(names(decided(null)), ['a', 'b', 'c']);
    assert.equal(decided(null).explanation.accounts[0]?.why, 'in the order in which accounts were added');
  });
});
