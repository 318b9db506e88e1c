import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Costs } from '../../src/providers/provider-accounts/schema.ts';
import type { Offer, Submission } from '../../src/providers/adapters/contract.ts';
import { decide } from '../../src/providers/routing/decide.ts';
import { explain } from '../../src/providers/routing/explain.ts';
import { Health } from '../../src/providers/routing/health.ts';
import { MAX_PROBE_MS, PROBE_MS } from '../../src/providers/routing/health/breaker.ts';
import { Router } from '../../src/providers/routing/router.ts';
import { Ruleset } from '../../src/providers/routing/rules.ts';
import type { Account, Gate, HealthView, RouteRequest, RuleRow } from '../../src/providers/routing/schema.ts';
import { accountOf, COLLECTION, providerOf, requestOf, ruleOf, rulesetOf, SUBMISSIONS, TestClock } from './support.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const LANES = [
  { channel: 'cm.mtn', currency: 'XAF' },
  { channel: 'cm.card', currency: 'XAF' },
  { channel: 'cd.orange', currency: 'CDF' },
  { channel: 'cd.orange', currency: 'USD' },
] as const;

const bound = fc.option(fc.integer({ min: 1, max: 100 }).map((units) => BigInt(units) * 100n));
const operation = fc.constantFrom('collect' as const, 'payout' as const);

const offer: fc.Arbitrary<Offer> = fc
  .record({
    lane: fc.constantFrom(...LANES),
    operations: fc.subarray(['collect', 'payout'] as const),
    min_minor: bound,
    max_minor: bound,
    step_minor: fc.option(fc.constantFrom(100n, 500n)),
  })
  .map(({ lane, ...rest }) => ({ ...lane, ...rest }));

const cost = fc.record({ percent_hundredths: fc.nat(500), fixed_minor: fc.nat(5_000) });
const costs: fc.Arbitrary<Costs | null> = fc.option(
  fc.record({ mobile_money: cost, card: cost, payout: cost }, { requiredKeys: [] }),
);

const accounts: fc.Arbitrary<Account[]> = fc
  .subarray(NAMES)
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.tuple(fc.option(fc.array(offer, { maxLength: 6 })), costs).map(([offers, cost]) => accountOf(name, offers, cost)),
      ),
    ),
  );

const some = fc.subarray(NAMES, { minLength: 1 }).chain((names) => fc.shuffledSubarray(names, { minLength: names.length }));
const nothing = { account_order: null, shares: null, least_cost: false };
const way: fc.Arbitrary<Pick<RuleRow, 'account_order' | 'shares' | 'least_cost'>> = fc.oneof(
  some.map((account_order) => ({ ...nothing, account_order })),
  some
    .chain((names) => fc.tuple(...names.map((name) => fc.integer({ min: 1, max: 100 }).map((weight) => ({ name, weight })))))
    .map((shares) => ({ ...nothing, shares })),
  fc.constant({ ...nothing, least_cost: true }),
);

const rule: fc.Arbitrary<RuleRow> = fc
  .record({
    priority: fc.nat(5),
    operation: fc.option(operation),
    countries: fc.subarray(['CM', 'CD']),
    channels: fc.subarray(['cm.mtn', 'cm.card', 'cd.orange']),
    currencies: fc.subarray(['XAF', 'CDF', 'USD']),
    min_minor: bound,
    max_minor: bound,
    fallback: fc.boolean(),
    way,
  })
  .map(({ way, ...match }) => ruleOf({ ...match, ...way }));

const request: fc.Arbitrary<RouteRequest> = fc
  .record({ lane: fc.constantFrom(...LANES), operation, units: fc.integer({ min: 1, max: 100 }) })
  .map(({ lane, operation, units }) => requestOf({ ...lane, operation, amount_minor: BigInt(units) * 100n }));

const gates = fc.dictionary(
  fc.constantFrom(...NAMES.map((name) => `pa_${name}`)),
  fc.constantFrom<Gate>('closed', 'open', 'probe'),
);

function viewOf(gates: Record<string, Gate>): HealthView {
  return {
    look(account_id) {
      const gate = gates[account_id];
      const note = { calls: 5, failures: 5, p95_ms: 100 };
      if (gate === undefined) return null;
      if (gate === 'closed') return { gate, note: { ...note, standing: 'degraded' } };
      return { gate, note: { ...note, standing: 'down', open_since: '2026-09-01T12:00:00.000Z' } };
    },
  };
}

const scene = fc.record({
  rows: fc.array(rule, { maxLength: 8 }),
  accounts,
  request,
  gates,
  draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never;

const decided = ({ rows, accounts, request, gates, draw }: Scene) =>
  decide(new Ruleset(rows), accounts, viewOf(gates), request, { at: 0, draw });

/** The same in the plainest way: what decide() must agree with. */
function offers(account: Account, { channel, currency, operation, amount_minor }: RouteRequest): boolean {
  const offers = account.provider.offers();
  const fits = (one: Offer) =>
    one.channel === channel.id &&
    one.currency === currency &&
    one.operations.includes(operation) &&
    amount_minor >= (one.min_minor ?? 0n) &&
    amount_minor <= (one.max_minor ?? amount_minor) &&
    amount_minor % (one.step_minor ?? 1n) === 0n;
  return offers === null || offers.some(fits);
}

function firstMatch(rows: RuleRow[], { channel, currency, operation, amount_minor }: RouteRequest): RuleRow | null {
  const found = rows
    .filter((row) => row.operation === null || row.operation === operation)
    .filter((row) => row.countries.length === 0 || row.countries.includes(channel.country))
    .filter((row) => row.channels.length === 0 || row.channels.includes(channel.id))
    .filter((row) => row.currencies.length === 0 || row.currencies.includes(currency))
    .filter((row) => amount_minor >= (row.min_minor ?? 0n) && amount_minor <= (row.max_minor ?? amount_minor));
  return found.sort((a, b) => a.priority - b.priority || a.id.localeCompare(b.id))[0] ?? null;
}

function check(property: (scene: Scene) => void): void {
  fc.assert(fc.property(scene, property), { numRuns: 2_000 });
}

test('a candidate offers what is requested, its circuit is not open, and no account is listed twice', () => {
  check((scene) => {
    const { candidates } = decided(scene);
    assert.equal(new Set(candidates).size, candidates.length);
    for (const provider of candidates) {
      const account = scene.accounts.find((one) => one.provider === provider) ?? assert.fail('not of the team');
      assert.ok(offers(account, scene.request), `${account.name} does not offer it`);
      assert.notEqual(scene.gates[provider.account_id], 'open');
    }
  });
});

test('the first matching rule decides, and no account outside it is tried', () => {
  check((scene) => {
    const { explanation, candidates } = decided(scene);
    const row = firstMatch(scene.rows, scene.request);
    assert.equal(explanation.rule?.id, row?.id);
    const named = row?.account_order ?? row?.shares?.map(({ name }) => name);
    if (named) for (const { account_id } of candidates) assert.ok(named.includes(account_id.replace('pa_', '')));
  });
});

test('every eligible account is a candidate, in the order of the rule; only one without fallback', () => {
  check((scene) => {
    const row = firstMatch(scene.rows, scene.request);
    const { candidates, explanation } = decided(scene);
    const order = row?.account_order ?? scene.accounts.map(({ name }) => name);
    const able = order.filter((name) => {
      const account = scene.accounts.find((one) => one.name === name);
      return account && offers(account, scene.request) && scene.gates[`pa_${name}`] !== 'open';
    });
    const tried = candidates.map(({ account_id }) => account_id.replace('pa_', ''));
    if (row === null || row.account_order) assert.deepEqual(tried, row?.fallback === false ? able.slice(0, 1) : able);
    if (row?.shares) {
      const weight = new Map(row.shares.map((share) => [share.name, share.weight]));
      assert.equal(tried.length, Math.min(row.fallback ? 5 : 1, able.filter((name) => weight.has(name)).length));
      const rest = tried.slice(1).map((name) => weight.get(name) as number);
      assert.deepEqual(
        rest,
        [...rest].sort((a, b) => b - a),
      );
    }
    if (row?.least_cost) assert.equal(tried.length, Math.min(row.fallback ? 5 : 1, able.length));
    assert.equal(explanation.accounts.filter(({ verdict }) => verdict !== 'left_out').length, tried.length);
  });
});

test('the explanation lists every account once, with the reason', () => {
  check((scene) => {
    const { explanation, candidates } = decided(scene);
    const ids = explanation.accounts.flatMap(({ account_id }) => account_id ?? []);
    assert.deepEqual(ids.toSorted(), scene.accounts.map(({ provider }) => provider.account_id).toSorted());
    assert.deepEqual(
      explanation.accounts.slice(0, candidates.length).map(({ account_id, place }) => [account_id, place]),
      candidates.map(({ account_id }, i) => [account_id, i + 1]),
    );
    for (const { why } of explanation.accounts) assert.notEqual(why, '');
    assert.deepEqual(JSON.parse(JSON.stringify(explanation)), explanation);
    assert.equal(explain(explanation).length, 2 + explanation.accounts.length + (candidates.length === 0 ? 1 : 0));
  });
});

test('shares converge to their weights, also among the remaining accounts', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(weights, fc.nat(4), fc.nat(), (weights, blocked, offset) => {
      const shares = weights.map((weight, i) => ({ name: NAMES[i] as string, weight }));
      const accounts = shares.map(({ name }) => accountOf(name));
      const gates: Record<string, Gate> = shares.length > 1 ? { [`pa_${NAMES[blocked % shares.length]}`]: 'open' } : {};
      const left = shares.filter(({ name }) => gates[`pa_${name}`] !== 'open');
      const sum = left.reduce((total, { weight }) => total + weight, 0);
      const rules = rulesetOf({ shares });
      const counts = new Map<string, number>();
      // The golden ratio spreads draws evenly: the shares must be met much closer than by chance.
      const DRAWS = 2_000;
      for (let i = 0; i < DRAWS; i++) {
        const draw = (offset * 0.001 + i * 0.6180339887498949) % 1;
        const first = decide(rules, accounts, viewOf(gates), requestOf(), { at: 0, draw }).candidates[0]?.account_id ?? '';
        counts.set(first, (counts.get(first) ?? 0) + 1);
      }
      for (const { name, weight } of left) {
        assert.ok(
          Math.abs((counts.get(`pa_${name}`) ?? 0) / DRAWS - weight / sum) < 0.005,
          `${name} of ${JSON.stringify(shares)}`,
        );
      }
    }),
    { numRuns: 60 },
  );
});

test('an open circuit always allows at most one probe per interval, and a working provider recovers soon', async () => {
  const life = fc.array(
    fc.record({
      wait_ms: fc.integer({ min: 10, max: 20_000 }),
      answer: fc.constantFrom<Submission>(...Object.values(SUBMISSIONS)),
    }),
    { minLength: 20, maxLength: 120 },
  );
  await fc.assert(
    fc.asyncProperty(life, async (life) => {
      const clock = new TestClock();
      const health = new Health(clock);
      let answer: Submission = SUBMISSIONS.accepted;
      const provider = health.observe(providerOf('pa_a', null, { submit: async () => answer }));
      const account = { provider, name: 'a', costs: null };
      const rules = new Ruleset([]);
      const router = new Router({ providers: { of: async () => [account] }, rules: { of: async () => rules }, health, clock });
      let last_probe = Number.NEGATIVE_INFINITY;
      for (const step of life) {
        clock.advance(step.wait_ms);
        answer = step.answer;
        const open = health.standing('pa_a', 'cm.mtn', 'collect') === 'down';
        const decisions = await Promise.all([router.choose(requestOf()), router.choose(requestOf()), router.choose(requestOf())]);
        const chosen = decisions.filter(({ candidates }) => candidates.length > 0);
        if (!open) assert.equal(chosen.length, 3);
        else if (chosen.length > 0) {
          assert.equal(chosen.length, 1);
          assert.ok(clock.now() - last_probe >= PROBE_MS);
          last_probe = clock.now();
        }
        for (const { candidates } of chosen) await candidates[0]?.submit(COLLECTION);
      }
      answer = SUBMISSIONS.accepted;
      clock.advance(MAX_PROBE_MS);
      for (const provider of (await router.choose(requestOf())).candidates) await provider.submit(COLLECTION);
      assert.equal((await router.choose(requestOf())).candidates.length, 1);
      assert.notEqual(health.standing('pa_a', 'cm.mtn', 'collect'), 'down');
    }),
    { numRuns: 200 },
  );
});
