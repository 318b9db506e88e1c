import { must } from '../src/kit/errors.ts';
import { newId } from '../src/kit/ids.ts';
import type { Offer, Provider } from '../src/providers/adapters/contract.ts';
import { CHANNELS, channelById } from '../src/providers/reference/channels.ts';
import { decide } from '../src/providers/routing/decide.ts';
import { Health } from '../src/providers/routing/health.ts';
import { Ruleset } from '../src/providers/routing/rules.ts';
import type { Account, RouteRequest, RuleRow } from '../src/providers/routing/schema.ts';
import type { Counted } from './child/tally.ts';
import type { Options } from './options.ts';
import { median } from './report.ts';
import type { Point, Section } from './rounds.ts';

const ACCOUNTS = 10;
const RULES = 50;
const GOAL = 100_000;
/** Between two looks at the clock, and at other things that want to run. */
const CHUNK = 1_000;
/** Channels on which something is asked for, in turn. */
const ASKED = ['cm.mtn', 'cm.orange', 'ci.orange', 'cm.card', 'ke.mpesa'];

/** How fast it is decided who is tried, with the explanation made, beside a loop that takes the next account and says nothing. */
export async function routingSection(_stage: unknown, options: Options): Promise<Section> {
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => accountOf(i));
  const rules = new Ruleset(Array.from({ length: RULES }, (_, i) => ruleOf(i)));
  const health = await livedIn(accounts);
  const requests = requestsAsked();
  const rates: number[] = [];
  const deciding = (i: number) =>
    decide(rules, accounts, health, must(requests[i % requests.length], 'in range'), { at: i, draw: (i % 997) / 997 }).candidates
      .length;
  return {
    name: 'routing',
    points: [
      point('loop', 'a bare loop: the next account', options, (i) => accounts[i % ACCOUNTS]?.name.length ?? 0),
      point('decide', `decide, ${ACCOUNTS} accounts, ${RULES} rules`, options, deciding, rates),
    ],
    comparisons: [{ point: 'decide', baseline: 'loop', metric: 'per_second' }],
    notes: async () => {
      const rate = Math.round(median(rates) ?? 0);
      return [
        `${rate.toLocaleString('en')} decisions/s in one process, each with its explanation (goal: ${GOAL.toLocaleString('en')}, ${rate >= GOAL ? 'met' : 'missed'}).`,
      ];
    },
    close: async () => {},
  };
}

function point(id: string, label: string, options: Options, once: (i: number) => number, rates: number[] = []): Point {
  return {
    id,
    label,
    service_pid: null,
    client_pid: process.pid,
    prepare: async () => {},
    run: async (started) => {
      await loop(options.warm_seconds, once);
      started();
      const counted = await loop(options.seconds, once);
      rates.push(counted.requests / counted.seconds);
      return counted;
    },
  };
}

async function loop(seconds: number, once: (i: number) => number): Promise<Counted> {
  const began = performance.now();
  const end = began + seconds * 1_000;
  const used: number[] = [];
  let requests = 0;
  // What is counted is used, so that nothing is optimised away.
  let candidates = 0;
  for (let now = began; now < end; now = performance.now()) {
    const since = performance.now();
    for (let i = 0; i < CHUNK; i++) candidates += once(requests + i);
    requests += CHUNK;
    used.push((performance.now() - since) / CHUNK);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (candidates === 0) throw new Error('nobody was ever chosen: this measures nothing');
  const sorted = used.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? null;
  return { requests, seconds: (performance.now() - began) / 1_000, p50_ms: at(0.5), p99_ms: at(0.99) };
}

/** Each offers two channels in three, with bounds; 140 offers are what an aggregator's account has. */
function accountOf(i: number): Account {
  const offers: Offer[] = CHANNELS.flatMap((channel, n) =>
    n % 3 === i % 3
      ? []
      : channel.currencies.map((currency) => ({
          channel: channel.id,
          currency,
          operations: ['collect', 'payout'] as const,
          min_minor: 10_000n,
          max_minor: 50_000_000n,
          step_minor: null,
        })),
  );
  const provider: Provider = {
    name: 'simulator',
    account_id: newId('pa', 'live', i),
    capabilities: {
      idempotency: 'replays',
      readable_by: 'ours',
      polls: { first_ms: 1_000, factor: 2, max_ms: 60_000 },
      not_found_grace_ms: 60_000,
    },
    offers: () => offers,
    keyOf: (id) => id,
    submit: async () => ({ kind: 'duplicate' }),
    read: async () => ({ kind: 'not_found' }),
  };
  return { provider, name: `account-${i}`, costs: { mobile_money: { percent_hundredths: 100 + i, fixed_minor: 1_000 * i } } };
}

/** Most rules are about something else; the last takes everything. Orders, shares and least cost in turn. */
function ruleOf(i: number): RuleRow {
  const [order, share] = [i % 3 === 0, i % 3 === 1];
  const names = Array.from({ length: ACCOUNTS }, (_, n) => `account-${(n + i) % ACCOUNTS}`);
  return {
    id: newId('rul', 'live', i),
    team_id: 1n,
    environment: 'live',
    priority: i,
    operation: i % 5 === 0 ? 'payout' : 'collect',
    countries: i % 4 === 0 ? ['CM', 'CI'] : [],
    channels: i === RULES - 1 ? [] : [must(ASKED[i % ASKED.length], 'in range')],
    currencies: i % 7 === 0 ? ['XAF'] : [],
    min_minor: i % 2 === 0 ? 1_000_000n * BigInt(i) : null,
    max_minor: i === RULES - 1 ? null : 2_000_000n * BigInt(i + 1),
    account_order: order ? names : null,
    shares: share ? names.map((name, n) => ({ name, weight: n + 1 })) : null,
    least_cost: !order && !share,
    fallback: true,
    created_at: new Date(i),
  };
}

function requestsAsked(): RouteRequest[] {
  return Array.from({ length: 500 }, (_, i) => {
    const channel = must(channelById(must(ASKED[i % ASKED.length], 'in range')), 'the channel exists');
    const currency = must(channel.currencies[0], 'it has a currency');
    const amount_minor = 10_000n + BigInt(i) * 100_000n;
    return { environment: 'live', team_id: 1n, operation: 'collect', channel, currency, amount_minor };
  });
}

/** Gives every account a history on every requested channel; one account only failed. */
async function livedIn(accounts: Account[]): Promise<Health> {
  const health = new Health({ now: () => 1_000_000 });
  for (const [i, { provider }] of accounts.entries()) {
    const answer = i === 0 ? ({ kind: 'unavailable', message: 'down' } as const) : ({ kind: 'duplicate' } as const);
    const measured = health.observe({ ...provider, submit: async () => answer });
    for (const { channel, currency } of requestsAsked().slice(0, ASKED.length * 6)) {
      await measured.submit(collectionOf(channel, currency));
    }
  }
  return health;
}

function collectionOf(channel: RouteRequest['channel'], currency: string): Parameters<Provider['submit']>[0] {
  const nothing = { provider_ref: null, handle: null, payer: null, submitted_at: null };
  const texts = { attempt_id: '', provider_key: '', description: '', return_url: '', callback_url: '' };
  return { ...nothing, ...texts, channel, currency, amount_minor: 100n, expires_at: 0 };
}
