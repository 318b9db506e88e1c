import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must, Problem } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import type { AttemptRow } from '../../src/core/attempts/schema.ts';
import { attemptsOf } from '../../src/core/attempts/store.ts';
import { charge } from '../../src/core/charge/charge.ts';
import { fitCharge, readInstrument } from '../../src/core/charge/instrument.ts';
import { applyCallback } from '../../src/core/charge/poll.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { expirySweep, trancheSweep } from '../../src/core/charge/sweeps.ts';
import { findPayment } from '../../src/core/payments/store.ts';
import { type OpenedLink, openLink, payLink } from '../../src/edge/links/pay.ts';
import type { Collection, Reading, Submission } from '../../src/providers/adapters/contract.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { newLink } from './browser.ts';

/** Random charges of the payments of one link, several at once, against what has to hold of its uses after each step. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 25);
const SEED = process.env.PROPERTY_SEED ? Number(process.env.PROPERTY_SEED) : Math.floor(Math.random() * 2 ** 31);

const SAID = ['accepted', 'accepted', 'refused', 'unavailable', 'unavailable', 'unknown', 'succeeded'] as const;
const READ = ['succeeded', 'succeeded', 'failed', 'cancelled', 'expired', 'not_found', 'pending'] as const;
type Said = (typeof SAID)[number];
type Step =
  | { kind: 'begin' | 'expire' | 'continue' }
  | { kind: 'charge'; payment: number; said: Said[] }
  | { kind: 'hear'; payment: number; attempt: number; read: (typeof READ)[number] }
  | { kind: 'resolve'; payment: number; attempt: number; as: 'succeeded' | 'failed' }
  | { kind: 'cancel'; payment: number }
  | { kind: 'change'; max_uses: number | null };

const clock = new FakeClock();
/** What the providers answer next, by payment. */
const scripts = new Map<string, Said[]>();
let phones = 0;
/** Payments that a provider was asked to charge although they held no use of their link. */
const uncovered: string[] = [];
let api: Api;
let merchant: Merchant;
before(async () => {
  const submit = async (collection: Collection) => answered(collection);
  const read = async () => ({ kind: 'unreadable', message: 'silent' }) as const;
  const live = ['first', 'second'].map((name) => ({ name, submit, read }));
  const providers = new Registry({ sandbox: [], live });
  api = await startApi({ workers: false, clock, providers, env: { DATABASE_POOL: '12' } });
  merchant = await api.newMerchant({ verification_level: 4 });
});
after(() => api.stop());

const store = () => api.deps.stores.live.of(merchant.team.id);

/** A number of its own for each charge: prompts to one phone are limited. */
const phone = () => `67${String(phones++).padStart(7, '0')}`;

/** Answers as scripted, and looks whether the payment holds a use or has ended meanwhile. */
async function answered({ amount_minor, currency, provider_key }: Collection): Promise<Submission> {
  const row = await store().db.maybe<{ payment_id: string; held: boolean }>(sql`
    select a.payment_id, p.status not in ('pending', 'processing', 'partial')
      or exists (select from link_uses u where u.payment_id = a.payment_id) as held
    from attempts a join payments p on p.team_id = a.team_id and p.id = a.payment_id where a.provider_key = ${provider_key}`);
  const { payment_id, held } = must(row, 'it is stored before it is sent');
  if (!held) uncovered.push(payment_id);
  const kind = scripts.get(payment_id)?.shift() ?? 'accepted';
  const message = kind;
  switch (kind) {
    case 'accepted':
      return { kind, provider_ref: provider_key, next: { kind: 'confirm' }, poll_after_ms: 1_000 };
    case 'refused':
      return { kind, reason: 'payer_declined', message };
    case 'succeeded':
      return { kind, provider_ref: provider_key, amount_minor, currency };
    default:
      return { kind, message };
  }
}

/** One link and the payments that were begun through it. */
class Lane {
  readonly #opened: OpenedLink;
  readonly #payments: string[] = [];
  readonly #id: string;
  #forms = 0;

  constructor(opened: OpenedLink) {
    this.#opened = opened;
    this.#id = opened.link.id;
  }

  async run(step: Step): Promise<void> {
    try {
      await this.#do(step);
    } catch (error) {
      if (!(error instanceof Problem) || (error.status >= 500 && error.status !== 502)) throw error;
    }
  }

  async #do(step: Step): Promise<unknown> {
    switch (step.kind) {
      case 'begin':
        return this.#begin();
      case 'expire':
        clock.advance(31 * 60_000);
        return expirySweep(api.deps, store()).round();
      case 'continue':
        return trancheSweep(api.deps, store()).round();
      case 'change':
        return api.call('PATCH', `/links/${this.#id}`, { key: merchant.live.secret, body: { max_uses: step.max_uses } });
      case 'cancel':
        return api.call('DELETE', `/payments/${this.#pick(step)}`, { key: merchant.live.secret });
      case 'charge':
        return this.#charge(this.#pick(step), step.said);
      case 'hear':
        return this.#applyCallback(await this.#attempt(step), step.read);
      case 'resolve':
        return this.#resolve(await this.#attempt(step), step.as);
    }
  }

  async #begin(): Promise<void> {
    const payer = { phone: phone(), amount_minor: 120_000_000n };
    const once = `${this.#id}:${this.#forms++}`;
    const made = await payLink(api.deps, this.#opened, { payer, once, request_id: 'req_x' });
    if (typeof made === 'string') return;
    const row = await store().db.maybe<{ id: string }>(sql`
      select id from payments where key_id = ${this.#id} and not id = any(${this.#payments}) limit 1`);
    if (row && !this.#payments.includes(row.id)) this.#payments.push(row.id);
  }

  #pick({ payment }: { payment: number }): string {
    return this.#payments[payment % Math.max(1, this.#payments.length)] ?? 'trx_none';
  }

  async #charge(id: string, said: Said[]): Promise<void> {
    const payment = await findPayment(store().db, merchant.team.id, id);
    if (!payment) return;
    scripts.set(id, [...said]);
    const instrument = readInstrument('live', { channel: 'cm.mtn', data: { phone: phone() } });
    const from = { client_ip: null, by: WORKER, prompted_by: null } as const;
    await charge(api.deps, store(), { team_id: payment.team_id, id }, fitCharge(api.config, payment, instrument, from));
  }

  async #attempt(step: { payment: number; attempt: number }): Promise<AttemptRow | undefined> {
    const rows = await attemptsOf(store().db, [{ team_id: merchant.team.id, id: this.#pick(step) }]);
    return rows[step.attempt % Math.max(1, rows.length)];
  }

  async #applyCallback(attempt: AttemptRow | undefined, kind: (typeof READ)[number]): Promise<void> {
    if (!attempt) return;
    const { amount_minor, currency, provider_key: provider_ref } = attempt;
    const readings: Record<string, Reading> = {
      succeeded: { kind: 'succeeded', provider_ref, amount_minor, currency },
      failed: { kind: 'failed', reason: 'payer_declined', message: 'no' },
      cancelled: { kind: 'cancelled', reason: 'payer_declined', message: 'no' },
      expired: { kind: 'expired' },
      not_found: { kind: 'not_found' },
      pending: { kind: 'pending', poll_after_ms: 1_000 },
    };
    if (kind === 'not_found') clock.advance(11 * 60_000);
    await applyCallback(api.deps, store(), attempt, must(readings[kind], 'it is listed'));
  }

  async #resolve(attempt: AttemptRow | undefined, as: 'succeeded' | 'failed'): Promise<void> {
    if (!attempt) return;
    clock.advance(3 * 60_000);
    const verdict = { as, evidence: 'statement', author: 'ops' };
    await resolveAttempt(api.deps, store(), { team_id: merchant.team.id, id: attempt.id }, verdict, WORKER);
  }

  /** What holds after every step. */
  async check(): Promise<void> {
    const [found] = await store().db.all<Record<string, number | null>>(sql`
      with mine as (select *, exists (select from attempts a where a.team_id = p.team_id and a.payment_id = p.id
          and (a.status in ('created', 'open', 'unknown') or a.next_poll_at is not null)) as charged
        from payments p where key_id = ${this.#id})
      select held_count, open_count, made_count, succeeded_count, late_count, max_uses, collected_minor::float8 as collected,
        (select count(*)::integer from link_uses u where u.link_id = l.id) as uses,
        (select count(*)::integer from link_uses u join mine p on p.id = u.payment_id
          where p.status in ('pending', 'processing', 'partial') and (p.charged or p.status = 'partial')) as used,
        (select count(*)::integer from mine where status in ('pending', 'processing', 'partial')) as unfinished,
        (select count(*)::integer from mine where status in ('succeeded', 'refunded', 'partially_refunded')) as paid,
        (select coalesce(sum(amount_minor), 0)::float8 from mine where status = 'succeeded') as sum, (select count(*)::integer from mine) as made
      from links l where id = ${this.#id}`);
    const { held_count, open_count, made_count, succeeded_count, late_count, collected, max_uses, ...rows } = must(
      found,
      'it exists',
    );
    assert.deepEqual(rows, {
      ...{ uses: held_count, used: held_count, unfinished: open_count, made: made_count, paid: succeeded_count, sum: collected },
    });
    const taken = Number(succeeded_count) - Number(late_count) + Number(held_count);
    assert.ok(taken <= Number(max_uses ?? Number.POSITIVE_INFINITY));
    assert.deepEqual(uncovered, [], 'a provider is asked to charge only what holds a use');
  }
}

const nth = fc.nat(4);
const stepOf = (kind: Step['kind'], fields: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record({ kind: fc.constant(kind), ...fields }) as unknown as fc.Arbitrary<Step>;
const step = fc.oneof(
  { weight: 3, arbitrary: stepOf('begin') },
  {
    weight: 8,
    arbitrary: stepOf('charge', { payment: nth, said: fc.array(fc.constantFrom(...SAID), { minLength: 2, maxLength: 2 }) }),
  },
  { weight: 8, arbitrary: stepOf('hear', { payment: nth, attempt: nth, read: fc.constantFrom(...READ) }) },
  {
    weight: 3,
    arbitrary: stepOf('resolve', { payment: nth, attempt: nth, as: fc.constantFrom('succeeded', 'succeeded', 'failed') }),
  },
  { weight: 2, arbitrary: stepOf('continue') },
  { weight: 1, arbitrary: stepOf('expire') },
  { weight: 1, arbitrary: stepOf('cancel', { payment: nth }) },
  { weight: 1, arbitrary: stepOf('change', { max_uses: fc.constantFrom(1, 2, 3, null) }) },
);
/** Steps of one group run at once. */
const sequence = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 6, maxLength: 24 });

test(`uses of a link agree with its payments after ${RUNS} random sequences, without a deadlock`, async () => {
  const deadlocks = () =>
    store().db.maybe<{ deadlocks: bigint }>(sql`
    select deadlocks from pg_stat_database where datname = current_database()`);
  await fc
    .assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 }), sequence, async (max_uses, groups) => {
        clock.advance(60_000);
        const { url } = await newLink(api, merchant.live.secret, { max_uses, amount: 1_200_000 });
        const lane = new Lane(must(await openLink(api.deps, must(url.split('/').at(-1), 'it has a token')), 'it was just made'));
        for (let i = 0; i < 3; i++) await lane.run({ kind: 'begin' });
        for (const group of groups) {
          await Promise.all(group.map((one) => lane.run(one)));
          await lane.check();
        }
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    )
    .catch((error: Error) => {
      throw new Error(`PROPERTY_SEED=${SEED}: ${error.message}`, { cause: error });
    });
  assert.equal((await deadlocks())?.deadlocks, 0n);
});
