import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import type { Listed, Providers } from '../../src/providers/provider-accounts/directory.ts';
import type { Submission } from '../../src/providers/adapters/contract.ts';
import { explain, explanationOf } from '../../src/providers/routing/explain.ts';
import { PROBE_MS } from '../../src/providers/routing/health/breaker.ts';
import { RULES_CACHE_MS } from '../../src/providers/routing/rule-book.ts';
import type { Explanation, RuleRow } from '../../src/providers/routing/schema.ts';
import { insertRule } from '../../src/providers/routing/store.ts';
import { FakeClock, startApi } from '../setup/api.ts';
import { offerOf, providerOf, ruleOf, SUBMISSIONS } from './support.ts';

const { unavailable, accepted } = SUBMISSIONS;

const clock = new FakeClock();
let listed: Listed[] = [];
const providers: Providers = {
  of: async () => listed,
  byAccount: async (_environment, _team_id, id) => listed.find(({ provider }) => provider.account_id === id)?.provider,
  addressed: async () => undefined,
};
const api = await startApi({ clock, providers, workers: false });
after(() => api.stop());

const merchant = await api.newMerchant({ verification_level: 4, plan: 'unlimited' });
const key = merchant.live.secret;
const { db } = api.deps.stores.live;

/** What each account answers. */
let answers: Record<string, Submission>;

beforeEach(async () => {
  answers = { kora: accepted, hub2: accepted };
  listed = ['kora', 'hub2'].map((name) => {
    const offers = [offerOf('cm.mtn', 'XAF', { max_minor: 500_000n })];
    // A new account each time: what was learned of the last one does not count.
    const id = `pa_${name}_${Math.floor(Math.random() * 1e9)}`;
    const provider = providerOf(id, offers, {
      submit: async () => {
        clock.advance(1);
        return answers[name] ?? unavailable;
      },
    });
    return { name, costs: null, provider: api.deps.health.observe(provider) };
  });
  await api.control.run(sql`delete from routing_rules`);
  clock.advance(RULES_CACHE_MS);
});

async function addRule(changes: Partial<RuleRow>): Promise<string> {
  const rule = ruleOf({ team_id: merchant.team.id, ...changes });
  await insertRule(api.control, rule);
  clock.advance(RULES_CACHE_MS);
  return rule.id;
}

async function charge(amount = 1_000) {
  const body = { amount, currency: 'XAF', phone: '+237650000000' };
  const { transaction } = (await api.call('POST', '/payments', { key, body })).body;
  const path = `/payments/${transaction.id}`;
  const answer = await api.call('POST', path, { key, body: { channel: 'cm.mtn', data: { phone: '+237650000000' } } });
  const attempts = await db.all<{ provider_account: string; status: string; decision: unknown }>(sql`
    select provider_account, status, decision from attempts where payment_id = ${transaction.id} order by id`);
  const { body: after } = await api.call('GET', path, { key });
  const explained = attempts.map(({ decision, ...attempt }) => ({ ...attempt, decision: explanationOf(decision) }));
  return { status: answer.status, payment: after.transaction.status, attempts: explained };
}

const accountOf = (name: string) => listed.find((one) => one.name === name)?.provider.account_id;

test('202 a rule of the team chooses the account, and the reason is stored with the attempt', async () => {
  const id = await addRule({ account_order: ['hub2', 'kora'] });
  const { status, attempts } = await charge();
  assert.equal(status, 202);
  assert.deepEqual(
    attempts.map(({ provider_account }) => provider_account),
    [accountOf('hub2')],
  );
  assert.deepEqual(explain(attempts[0]?.decision as Explanation), [
    'Charge of 1000 XAF on cm.mtn.',
    `Rule ${id} (priority 10) decided: everything: hub2, then kora.`,
    'hub2 (simulator) was chosen: number 1 in the rule.',
    'kora (simulator) is fallback 1: number 2 in the rule.',
  ]);
});

test('202 the fallback gets the charge when the first account provably did not take it', async () => {
  answers.kora = unavailable;
  const { status, attempts } = await charge();
  assert.equal(status, 202);
  assert.deepEqual(
    attempts.map(({ provider_account, status }) => [provider_account, status]),
    [
      [accountOf('kora'), 'unavailable'],
      [accountOf('hub2'), 'open'],
    ],
  );
});

test('502 a rule without fallback tries no other account', async () => {
  await addRule({ account_order: ['kora', 'hub2'], fallback: false });
  answers.kora = unavailable;
  const { status, attempts, payment } = await charge();
  assert.deepEqual([status, attempts.length, payment], [502, 1, 'pending']);
});

test('202 an amount above the limits of all accounts is collected in tranches within them', async () => {
  const { status, attempts, payment } = await charge(6_000);
  assert.deepEqual([status, payment, attempts.map(({ decision }) => decision?.amount)], [202, 'processing', [3_000]]);
});

test('502 nothing is created while every circuit is open; a successful probe closes the circuit', async () => {
  listed.pop();
  answers.kora = unavailable;
  for (let i = 0; i < 5; i++) assert.deepEqual((await charge()).attempts.length, 1);
  const { status, attempts, payment } = await charge();
  assert.deepEqual([status, attempts, payment], [502, [], 'pending']);
  clock.advance(PROBE_MS);
  answers.kora = accepted;
  const probe = await charge();
  assert.equal(probe.status, 202);
  assert.match(probe.attempts[0]?.decision?.accounts[0]?.why ?? '', /a probe: its circuit is open since/);
  assert.equal((await charge()).status, 202);
});
