import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide } from '../../src/providers/routing/decide.ts';
import { explain } from '../../src/providers/routing/explain.ts';
import { Ruleset } from '../../src/providers/routing/rules.ts';
import type { Account, Decision, RouteRequest, RuleRow } from '../../src/providers/routing/schema.ts';
import { accountOf, NO_NEWS, offerOf, PAYOUTS, providerOf, requestOf, ruleOf, rulesetOf } from './support.ts';

const AT = Date.parse('2026-09-01T12:00:00Z');
const ACCOUNTS = [accountOf('a'), accountOf('b'), accountOf('c')];

function decided(rules: Ruleset, parts: { accounts?: Account[]; request?: RouteRequest; draw?: number } = {}): Decision {
  const { accounts = ACCOUNTS, request = requestOf(), draw = 0 } = parts;
  return decide(rules, accounts, NO_NEWS, request, { at: AT, draw });
}

const names = ({ candidates }: Decision) => candidates.map(({ account_id }) => account_id.replace('pa_', ''));
const whyOf = ({ explanation }: Decision, name: string) => explanation.accounts.find((entry) => entry.name === name)?.why;

describe('who is tried', () => {
  test('without a rule all accounts are candidates, in the order in which they were added', () => {
    const decision = decided(rulesetOf());
    assert.deepEqual(names(decision), ['a', 'b', 'c']);
    assert.deepEqual([decision.explanation.rule, decision.explanation.by], [null, 'added']);
  });

  test('order: only the named accounts are candidates, in that order', () => {
    const decision = decided(rulesetOf({ account_order: ['c', 'a'] }));
    assert.deepEqual(names(decision), ['c', 'a']);
    assert.equal(whyOf(decision, 'b'), 'the rule does not name it');
  });

  test('no fallback: only the first account is a candidate, and the others are listed as excluded', () => {
    const decision = decided(rulesetOf({ account_order: ['c', 'a'], fallback: false }));
    assert.deepEqual(names(decision), ['c']);
    assert.equal(whyOf(decision, 'a'), 'the rule allows no fallback');
    assert.deepEqual(
      decision.explanation.accounts.map(({ name, verdict, place }) => [name, verdict, place]),
      [
        ['c', 'chosen', 1],
        ['a', 'left_out', null],
        ['b', 'left_out', null],
      ],
    );
  });

  test('share: the drawn account first, then the others by descending weight', () => {
    const shares = [
      { name: 'a', weight: 1 },
      { name: 'b', weight: 2 },
      { name: 'c', weight: 7 },
    ];
    const rules = rulesetOf({ shares });
    assert.deepEqual(names(decided(rules, { draw: 0.099 })), ['a', 'c', 'b']);
    assert.deepEqual(names(decided(rules, { draw: 0.1 })), ['b', 'c', 'a']);
    assert.deepEqual(names(decided(rules, { draw: 0.3 })), ['c', 'b', 'a']);
    assert.equal(decided(rules, { draw: 0.3 }).explanation.draw, 0.3);
  });

  test('share: the share of an account that is not eligible goes to the others', () => {
    const accounts = [accountOf('a', []), accountOf('b'), accountOf('c')];
    const shares = [
      { name: 'a', weight: 98 },
      { name: 'b', weight: 1 },
      { name: 'c', weight: 1 },
    ];
    assert.deepEqual(names(decided(rulesetOf({ shares }), { accounts, draw: 0.4 })), ['b', 'c']);
    assert.deepEqual(names(decided(rulesetOf({ shares }), { accounts, draw: 0.6 })), ['c', 'b']);
  });

  test('least cost: by percentage and fixed fee for this amount, kind and operation; unknown costs last', () => {
    const accounts = [
      accountOf('unknown'),
      accountOf('percent', null, { mobile_money: { percent_hundredths: 100, fixed_minor: 0 } }),
      accountOf('fixed', null, {
        mobile_money: { percent_hundredths: 0, fixed_minor: 10_000 },
        payout: { percent_hundredths: 1, fixed_minor: 0 },
      }),
    ];
    const rules = rulesetOf({ least_cost: true });
    const at = (amount_minor: bigint) => decided(rules, { accounts, request: requestOf({ amount_minor }) });
    assert.deepEqual(names(at(500_000n)), ['percent', 'fixed', 'unknown']);
    assert.deepEqual(names(at(2_000_000n)), ['fixed', 'percent', 'unknown']);
    assert.equal(whyOf(at(2_000_000n), 'percent'), 'it costs 200 XAF');
    assert.deepEqual(names(decided(rules, { accounts, request: requestOf({ operation: 'payout' }) })), [
      'fixed',
      'unknown',
      'percent',
    ]);
  });

  test('only the built-in provider is a candidate in the sandbox, unless a rule names others', () => {
    const accounts = [{ provider: providerOf('sandbox', null), name: 'sandbox', costs: null }, ...ACCOUNTS];
    const alone = decided(rulesetOf(), { accounts });
    assert.deepEqual([names(alone), alone.explanation.by], [['sandbox'], 'built_in']);
    assert.deepEqual(names(decided(rulesetOf({ account_order: ['b', 'sandbox'] }), { accounts })), ['b', 'sandbox']);
    const elsewhere = rulesetOf({ account_order: ['b'], channels: ['cm.orange'] });
    assert.deepEqual(names(decided(elsewhere, { accounts })), ['sandbox']);
  });
});

describe('which rule applies', () => {
  const by = (rows: Partial<RuleRow>[], request: RouteRequest) =>
    decided(new Ruleset(rows.map(ruleOf)), { request }).explanation.rule?.summary;

  test('the first matching rule applies, by priority and then by age', () => {
    const rows = [
      { priority: 20, account_order: ['a'] },
      { priority: 5, account_order: ['b'], channels: ['cm.orange'] },
      { priority: 10, account_order: ['c'] },
      { priority: 10, account_order: ['b'] },
    ];
    assert.equal(by(rows, requestOf()), 'everything: c');
    assert.equal(by(rows, requestOf({ channel: 'cm.orange' })), 'everything on cm.orange: b');
  });

  const conditions: [string, Partial<RuleRow>, RouteRequest, RouteRequest][] = [
    ['country', { countries: ['CM'] }, requestOf(), requestOf({ channel: 'ci.orange', currency: 'XOF' })],
    ['channel', { channels: ['cm.mtn', 'cm.card'] }, requestOf(), requestOf({ channel: 'cm.orange' })],
    [
      'currency',
      { currencies: ['USD'] },
      requestOf({ channel: 'cd.orange', currency: 'USD' }),
      requestOf({ channel: 'cd.orange', currency: 'CDF' }),
    ],
    ['operation', { operation: 'payout' }, requestOf({ operation: 'payout' }), requestOf()],
    ['least amount', { min_minor: 500_000n }, requestOf(), requestOf({ amount_minor: 499_900n })],
    ['most amount', { max_minor: 500_000n }, requestOf(), requestOf({ amount_minor: 500_100n })],
  ];
  for (const [name, match, fits, differs] of conditions) {
    test(`a condition on the ${name} must match`, () => {
      const rules = rulesetOf({ account_order: ['a'], ...match });
      assert.ok(rules.deciding(fits));
      assert.equal(rules.deciding(differs), null);
      assert.ok(rules.deciding(fits), 'also when asked again');
    });
  }

  test('a rule whose accounts are all excluded still applies: no account is tried', () => {
    const decision = decided(rulesetOf({ account_order: ['gone'], priority: 1 }, { account_order: ['a'], priority: 2 }));
    assert.deepEqual(names(decision), []);
    assert.deepEqual(decision.explanation.accounts[3], {
      name: 'gone',
      account_id: null,
      provider: null,
      verdict: 'left_out',
      place: null,
      why: 'it is disabled, or no account has this name',
      health: null,
    });
  });
});

describe('accounts that are excluded, and the reasons', () => {
  const left = (account: Account, request = requestOf()) => {
    const decision = decided(rulesetOf(), { accounts: [account], request });
    assert.deepEqual(decision.candidates, []);
    return decision.explanation.accounts[0]?.why;
  };

  test('an account that does not offer the request is excluded', () => {
    const offer = offerOf('cm.mtn', 'XAF', { operations: ['collect'] });
    assert.equal(left(accountOf('a', [offerOf('cm.orange', 'XAF')])), 'it does not offer cm.mtn in XAF');
    assert.equal(left(accountOf('a', [offerOf('cm.mtn', 'XOF')])), 'it does not offer cm.mtn in XAF');
    assert.equal(left(accountOf('a', [offer]), requestOf({ operation: 'payout' })), 'it does not offer payouts on cm.mtn in XAF');
    const { payouts: _, ...without } = providerOf('pa_a', null);
    assert.equal(left({ provider: without, name: 'a', costs: null }, requestOf({ operation: 'payout' })), 'it does not pay out');
    const unreached = providerOf('pa_a', null, { payouts: { ...PAYOUTS, reaches: () => false } });
    assert.equal(
      left({ provider: unreached, name: 'a', costs: null }, requestOf({ operation: 'payout' })),
      'it does not offer payouts on cm.mtn in XAF',
    );
  });

  test('an account is excluded outside its amount limits, which are inclusive', () => {
    const account = accountOf('a', [offerOf('cm.mtn', 'XAF', { min_minor: 10_000n, max_minor: 50_000_000n, step_minor: 500n })]);
    assert.equal(left(account, requestOf({ amount_minor: 9_900n })), 'amount below 100 XAF');
    assert.equal(left(account, requestOf({ amount_minor: 50_000_500n })), 'amount above 500000 XAF');
    assert.equal(left(account, requestOf({ amount_minor: 10_100n })), 'amount not a multiple of 5 XAF');
    for (const amount_minor of [10_000n, 50_000_000n]) {
      assert.deepEqual(names(decided(rulesetOf(), { accounts: [account], request: requestOf({ amount_minor }) })), ['a']);
    }
  });

  test('one matching offer among several for a channel is enough', () => {
    const offers = [offerOf('cm.mtn', 'XAF', { max_minor: 100n }), offerOf('cm.mtn', 'XAF', { min_minor: 100n })];
    assert.deepEqual(names(decided(rulesetOf(), { accounts: [accountOf('a', offers)] })), ['a']);
  });
});

describe('whether the request may wait', () => {
  const small = accountOf('small', [offerOf('cm.mtn', 'XAF', { max_minor: 100n })]);
  const closed: Account = { provider: providerOf('pa_closed', [], { isClosed: () => true }), name: 'closed', costs: null };
  const requests = [requestOf(), requestOf({ operation: 'payout' })];

  test('an amount that the other account does not take may wait for an operator that is closed at one', () => {
    for (const request of requests) {
      const decision = decided(rulesetOf(), { accounts: [closed, small], request });
      assert.deepEqual([names(decision), decision.limits, decision.waits], [[], [], true]);
      assert.equal(whyOf(decision, 'closed'), 'cm.mtn is closed there at the moment');
    }
  });

  test('nothing is waited for where the amount alone excludes the accounts, or the rule does not name the closed one', () => {
    for (const request of requests) {
      const alone = decided(rulesetOf(), { accounts: [small], request });
      assert.deepEqual([alone.limits.length, alone.waits], [1, false]);
      const named = decided(rulesetOf({ account_order: ['small'] }), { accounts: [closed, small], request });
      assert.deepEqual([named.limits.length, named.waits], [1, false]);
    }
  });
});

test('the explanation is plain JSON and names the rule, every account considered and the reasons', () => {
  const rules = rulesetOf({
    id: 'rul_1',
    shares: [
      { name: 'a', weight: 70 },
      { name: 'b', weight: 30 },
      { name: 'old', weight: 5 },
    ],
    countries: ['CM'],
    min_minor: 10_000n,
  });
  const { explanation } = decided(rules, { accounts: [accountOf('a'), accountOf('b', []), accountOf('c')], draw: 0.25 });
  assert.deepEqual(JSON.parse(JSON.stringify(explanation)), explanation);
  assert.deepEqual(explain(explanation), [
    'Charge of 5000 XAF on cm.mtn.',
    'Rule rul_1 (priority 10) decided: everything of CM from 100: a 66.7 %, b 28.6 %, old 4.8 %. The draw was 0.25.',
    'a (simulator) was chosen: it takes 70 in 70.',
    'b was left out: it does not offer cm.mtn in XAF.',
    'c was left out: the rule does not name it.',
    'old was left out: it is disabled, or no account has this name.',
  ]);
});
