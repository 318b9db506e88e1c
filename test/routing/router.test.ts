import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Queryable } from '../../src/kit/sql.ts';
import type { Submission } from '../../src/providers/adapters/contract.ts';
import { Health } from '../../src/providers/routing/health.ts';
import { PROBE_MS } from '../../src/providers/routing/health/breaker.ts';
import { RuleBook, RULES_CACHE_MS } from '../../src/providers/routing/rule-book.ts';
import { Router } from '../../src/providers/routing/router.ts';
import type { Account, RuleRow } from '../../src/providers/routing/schema.ts';
import { COLLECTION, offerOf, providerOf, requestOf, ruleOf, SUBMISSIONS, TEAM, TestClock } from './support.ts';

let clock: TestClock;
let health: Health;
let accounts: Account[];
let rows: RuleRow[];
let queries: number;
let control: Queryable;
let router: Router;
/** By account. */
let answers: Map<string, Submission>;

beforeEach(() => {
  clock = new TestClock();
  health = new Health(clock);
  answers = new Map();
  accounts = ['a', 'b'].map((name) => ({
    name,
    costs: null,
    provider: health.observe(
      providerOf(`pa_${name}`, [offerOf('cm.mtn', 'XAF')], { submit: async () => answers.get(name) ?? SUBMISSIONS.accepted }),
    ),
  }));
  rows = [];
  queries = 0;
  control = {
    all: async <Row>() => {
      queries += 1;
      return rows as Row[];
    },
    maybe: () => assert.fail(),
    run: () => assert.fail(),
  };
  router = routerWith(new RuleBook(control, clock));
});

function routerWith(rules: RuleBook, draws: number[] = []): Router {
  return new Router({ providers: { of: async () => accounts }, rules, health, clock, random: () => draws.shift() ?? 0 });
}

const chosen = async () => (await router.choose(requestOf())).candidates.map(({ account_id }) => account_id);

/** Charges as payments do: the next is tried when the one before provably created nothing. */
async function charge(): Promise<Submission['kind'] | 'nobody'> {
  for (const provider of (await router.choose(requestOf())).candidates) {
    const submission = await provider.submit(COLLECTION);
    if (submission.kind !== 'unavailable') return submission.kind;
  }
  return 'nobody';
}

describe('rules', () => {
  test('concurrent requests query the control database once; a change takes effect within a second', async () => {
    await Promise.all(Array.from({ length: 1_000 }, chosen));
    assert.equal(queries, 1);
    rows = [ruleOf({ account_order: ['b'] })];
    clock.advance(RULES_CACHE_MS - 1);
    assert.deepEqual(await chosen(), ['pa_a', 'pa_b']);
    clock.advance(1);
    assert.deepEqual([await chosen(), queries], [['pa_b'], 2]);
  });

  test('each team and environment has its own rules', async () => {
    const book = new RuleBook(control, clock);
    await Promise.all([book.of('live', TEAM), book.of('sandbox', TEAM), book.of('live', 8n), book.of('live', TEAM)]);
    assert.equal(queries, 3);
  });

  test('a failed query is an error and is not cached', async () => {
    const all = control.all;
    control.all = () => Promise.reject(new Error('no control database'));
    await assert.rejects(router.choose(requestOf()), /no control database/);
    control.all = all;
    assert.deepEqual(await chosen(), ['pa_a', 'pa_b']);
  });

  test('each attempt has its own draw, which is stored', async () => {
    rows = [
      ruleOf({
        shares: [
          { name: 'a', weight: 1 },
          { name: 'b', weight: 1 },
        ],
      }),
    ];
    router = routerWith(new RuleBook(control, clock), [0.1234567, 0.9]);
    const decisions = [await router.choose(requestOf()), await router.choose(requestOf())];
    assert.deepEqual(
      decisions.map(({ candidates, explanation }) => [candidates[0]?.account_id, explanation.draw]),
      [
        ['pa_a', 0.123456],
        ['pa_b', 0.9],
      ],
    );
    assert.equal(decisions[0]?.explanation.at, '2026-09-01T12:00:00.000Z');
  });
});

describe('an account that fails repeatedly', () => {
  test('is excluded, gets one payment as a probe after an interval, and recovers automatically', async () => {
    answers.set('a', SUBMISSIONS.unavailable);
    for (let i = 0; i < 5; i++) assert.equal(await charge(), 'accepted', 'by the other one');
    const { candidates, explanation } = await router.choose(requestOf());
    assert.deepEqual([candidates.length, candidates[0]?.account_id], [1, 'pa_b']);
    assert.match(explanation.accounts[1]?.why ?? '', /^circuit open since 2026-09-01T12:00:00\.000Z$/);
    clock.advance(PROBE_MS);
    const [probe, next] = [await router.choose(requestOf()), await router.choose(requestOf())];
    assert.match(probe.explanation.accounts[0]?.why ?? '', /a probe: its circuit is open since/);
    assert.deepEqual([probe.candidates[0]?.account_id, next.candidates[0]?.account_id], ['pa_a', 'pa_b']);
    answers.delete('a');
    await probe.candidates[0]?.submit(COLLECTION);
    assert.deepEqual(await chosen(), ['pa_a', 'pa_b']);
  });

  test('a decision after which nothing is sent leaves the probe to the one that sends', async () => {
    answers.set('a', SUBMISSIONS.unavailable);
    for (let i = 0; i < 5; i++) await charge();
    clock.advance(PROBE_MS);
    const planned = await router.choose(requestOf({ sends: false }));
    clock.advance(250);
    assert.deepEqual([planned.candidates[0]?.account_id, await chosen(), await chosen()], ['pa_a', ['pa_a', 'pa_b'], ['pa_b']]);
  });

  test('leaves no candidate when it is the only one', async () => {
    accounts.pop();
    answers.set('a', SUBMISSIONS.unknown);
    for (let i = 0; i < 5; i++) assert.equal(await charge(), 'unknown');
    const { candidates, explanation } = await router.choose(requestOf());
    assert.deepEqual([candidates, explanation.accounts.length], [[], 1]);
    assert.equal(await charge(), 'nobody');
  });

  test('a fallback with an open circuit is a candidate when its probe is due; selection does not use it up', async () => {
    answers.set('b', SUBMISSIONS.unavailable);
    for (let i = 0; i < 5; i++) await accounts[1]?.provider.submit(COLLECTION);
    assert.deepEqual(await chosen(), ['pa_a']);
    clock.advance(PROBE_MS);
    assert.deepEqual(
      [await chosen(), await chosen()],
      [
        ['pa_a', 'pa_b'],
        ['pa_a', 'pa_b'],
      ],
    );
  });
});

describe('the status of a channel', () => {
  const standing = (channel: string) => router.standingOf('live', TEAM, channel);
  const fail = async (i: number, times: number) => {
    answers.set(i === 0 ? 'a' : 'b', SUBMISSIONS.unavailable);
    for (let n = 0; n < times; n++) await accounts[i]?.provider.submit(COLLECTION);
  };

  test('is that of the best account of the team', async () => {
    assert.equal(await standing('cm.mtn'), 'operational');
    await fail(0, 5);
    assert.equal(await standing('cm.mtn'), 'operational');
    await fail(1, 3);
    assert.equal(await standing('cm.mtn'), 'degraded');
    await fail(1, 2);
    assert.equal(await standing('cm.mtn'), 'down');
  });

  test('is operational as long as one account is operational', async () => {
    await fail(0, 3);
    assert.equal(health.standing('pa_a', 'cm.mtn', 'collect'), 'degraded');
    assert.equal(await standing('cm.mtn'), 'operational');
  });

  test('is operational where no account offers it, and where the sandbox offers it', async () => {
    await fail(0, 5);
    await fail(1, 5);
    assert.equal(await standing('cm.orange'), 'operational');
    accounts.unshift({ name: 'sandbox', costs: null, provider: health.observe(providerOf('sandbox', null)) });
    assert.equal(await standing('cm.mtn'), 'operational');
  });
});
