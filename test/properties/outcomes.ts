import assert from 'node:assert/strict';
import type { DisputeTrigger } from '../../src/core/disputes/states.ts';
import { decimalsOf } from '../../src/kit/money.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import type { Difference } from '../../src/money/ledger/differences.ts';
import { verifyTeam } from '../../src/money/ledger/verify-team.ts';
import type { Environment } from '../../src/kit/environment.ts';
import type { Market, Shop } from '../setup/market.ts';
import { type Fate, type Flow, SimulatedProvider } from '../setup/simulated-provider.ts';

export type Step =
  | { kind: 'pay'; thousands: number; bearer: 'merchant' | 'customer'; split: boolean }
  /** The payer submits again: after a decline, or for the next tranche. */
  | { kind: 'resume'; payment: number }
  | { kind: 'refund'; payment: number; percent: number; at_once: boolean }
  /** A worker that had read the refund earlier goes on with it. */
  | { kind: 'stale'; refund: number }
  | { kind: 'transfer'; percent: number }
  | { kind: 'dispute'; payment: number }
  | { kind: 'decide'; dispute: number; as: DisputeTrigger }
  | { kind: 'late' }
  | { kind: 'pass'; seconds: number };

export interface Story {
  environment: Environment;
  currency: 'XAF' | 'NGN';
  /** What becomes of tranches, refund parts and payouts: three of each for every payment and transfer, in the order of their making. */
  fates: Record<Flow, Fate[]>;
  steps: Step[];
}

const DAY_MS = 86_400_000;
const MAX_ROUNDS = 60;

/** One merchant with a provider of its own: steps go to the service, and two books are compared after each. */
export class OutcomesBench {
  readonly #shop: Shop;
  readonly #story: Story;
  readonly #payments: string[] = [];
  readonly #refunds: string[] = [];
  readonly #disputes: string[] = [];
  #account: string | null = null;
  /** What disputes took from the merchant at the provider. */
  #charged_back = 0n;

  private constructor(shop: Shop, story: Story) {
    this.#shop = shop;
    this.#story = story;
  }

  static async run(market: Market, story: Story): Promise<void> {
    const shop = await market.shop(story.environment, new SimulatedProvider('simulated', story.fates));
    const bench = new OutcomesBench(shop, story);
    try {
      for (const step of story.steps) {
        await bench.#step(step);
        await bench.#agree();
      }
      await bench.#finish();
    } finally {
      await bench.#leave();
    }
  }

  async #step(step: Step): Promise<unknown> {
    switch (step.kind) {
      case 'pay':
        return this.#pay(step);
      case 'resume':
        return this.#with(this.#payments, step.payment, (id) => this.#shop.charge(id, this.#story.currency));
      case 'refund':
        return this.#with(this.#payments, step.payment, (id) => this.#refund(id, step.percent, step.at_once));
      case 'stale':
        return this.#with(this.#refunds, step.refund, (id) => this.#shop.advanceStale(id));
      case 'transfer':
        return this.#transfer(step.percent);
      case 'dispute':
        return this.#with(this.#payments, step.payment, async (id) => {
          const dispute = await this.#shop.dispute(id);
          if (dispute) this.#disputes.push(dispute);
        });
      case 'decide':
        return this.#with(this.#disputes, step.dispute, (id) => this.#decide(id, step.as));
      case 'late': {
        const late = this.#shop.simulated.succeedLate();
        return late && this.#shop.notify(late.key);
      }
      case 'pass':
        return this.#shop.pass(step.seconds * 1_000);
    }
  }

  async #with(ids: string[], index: number, work: (id: string) => Promise<unknown>): Promise<void> {
    const id = ids[index % Math.max(1, ids.length)];
    if (id) await work(id);
  }

  async #pay({ thousands, bearer, split }: Extract<Step, { kind: 'pay' }>): Promise<void> {
    const { currency } = this.#story;
    if (split) this.#account ??= await this.#shop.account({ type: 'percentage', value: 12.5 });
    const id = await this.#shop.order({ amount: thousands * 1_000, currency, bearer, account: split ? this.#account : null });
    this.#payments.push(id);
    this.#shop.simulated.register(id);
    await this.#shop.charge(id, currency);
  }

  async #refund(payment: string, percent: number, at_once: boolean): Promise<void> {
    const { amount, amount_refunded } = await this.#shop.shown(payment);
    const unit = decimalsOf(this.#story.currency) === 0 ? 1 : 0.01;
    const part = Math.floor(((amount - amount_refunded) * percent) / 100 / unit) * unit;
    const id = await this.#shop.refund(payment, Number(part.toFixed(2)), at_once);
    if (id) this.#refunds.push(id);
  }

  async #transfer(percent: number): Promise<void> {
    const { currency } = this.#story;
    const books = await readBalances(this.#shop.store.db, this.#shop.team_id, currency);
    const most = Number((books.get('available') ?? 0n) / 100n);
    const { body } = await this.#shop.transfer(Math.max(500, Math.min(500_000, Math.floor((most * percent) / 100))), currency);
    if (body.transfer) this.#shop.simulated.register(body.transfer.id);
  }

  async #decide(id: string, as: DisputeTrigger): Promise<void> {
    const at = this.#disputes.indexOf(id);
    this.#disputes.splice(at, 1);
    const { status, amount_minor } = await this.#shop.decide(id, as);
    if (status === 'lost') this.#charged_back += amount_minor;
    if (status === 'under_review') this.#disputes.push(id);
  }

  /** What the provider reported is what the ledger booked, operation by operation; the ledger agrees with the rows. */
  async #agree(): Promise<void> {
    const { simulated, store, team_id } = this.#shop;
    assert.deepEqual(simulated.violations, []);
    const reported = [...simulated.operations.values()].filter((operation) => operation.reported === 'succeeded');
    assert.deepEqual(await this.#booked(), asText(reported), 'what was booked is what the provider reported');
    const books = await readBalances(store.db, team_id, this.#story.currency);
    const held = simulated.held(this.#story.currency, (operation) => operation.reported === 'succeeded');
    assert.equal(-(books.get('clearing') ?? 0n), held - this.#charged_back, 'what the provider owes is what it says it holds');
    assert.deepEqual(await this.#shop.differences(), [], 'the ledger agrees with the rows');
  }

  /** Movements at the provider by the ledger alone, as lines of text. */
  async #booked(): Promise<string[]> {
    const rows = await this.#shop.store.db.all<{ key: string; amount_minor: bigint; currency: string }>(sql`
      select coalesce(r.legs->(substring(j.kind from '^refund.leg:([0-9]+)')::integer)->>'provider_key', t.provider_key, j.source_id) as key,
        p.currency, sum(p.amount_minor)::bigint as amount_minor
      from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id
        left join transfers t on t.team_id = j.team_id and t.id = j.source_id
        left join refunds r on r.team_id = j.team_id and r.id = j.source_id and j.kind like 'refund.leg:%'
      where j.team_id = ${this.#shop.team_id} and 'clearing' in (p.debit, p.credit) and j.kind not like 'dispute.%'
      group by 1, 2`);
    return rows.map(({ key, amount_minor, currency }) => `${key} ${amount_minor} ${currency}`).sort();
  }

  /** Time passes until everything is decided: then nothing is under way, and the provider holds what the ledger says. */
  async #finish(): Promise<void> {
    const { simulated, store, team_id } = this.#shop;
    for (let round = 0; round < 3 || (await this.#underWay()).length > 0; round++) {
      assert.ok(round < MAX_ROUNDS, `still under way: ${JSON.stringify(await this.#underWay())}`);
      await this.#shop.pass(round === 1 ? DAY_MS + 1_000 : 1_200_000);
    }
    await this.#agree();
    const { currency } = this.#story;
    const books = await readBalances(store.db, team_id, currency);
    assert.equal(-(books.get('clearing') ?? 0n), simulated.held(currency) - this.#charged_back, 'nothing moved unnoticed');
    for (const account of ['refund_clearing', 'in.transit', 'reserved'] as const)
      assert.equal(books.get(account) ?? 0n, 0n, `${account} once everything is decided`);
    const found: Difference[] = [];
    await verifyTeam(store.db, team_id, (difference) => found.push(difference));
    assert.deepEqual(found, []);
  }

  async #underWay(): Promise<string[]> {
    const { store, team_id } = this.#shop;
    const rows = await store.db.all<{ id: string }>(sql`
      select id from attempts where team_id = ${team_id} and status in ('created', 'open', 'unknown')
      union all select id from returns where team_id = ${team_id} and state in ('owed', 'refunding', 'paying_out')
      union all select id from refunds where team_id = ${team_id} and status in ('pending', 'processing') and draws is not null
      union all select id from transfers where team_id = ${team_id} and status = 'processing'`);
    return rows.map(({ id }) => id);
  }

  /** What is left over is no work of the sequences that follow. */
  async #leave(): Promise<void> {
    const { store, team_id } = this.#shop;
    await store.db.run(sql`update attempts set next_poll_at = null where team_id = ${team_id}`);
    await store.db.run(sql`update refunds set next_poll_at = null where team_id = ${team_id}`);
    await store.db.run(sql`update transfers set next_poll_at = null where team_id = ${team_id}`);
    await store.db.run(sql`update payments set continue_at = null, expires_at = 'infinity' where team_id = ${team_id}`);
  }
}

function asText(operations: { key: string; amount_minor: bigint; currency: string }[]): string[] {
  return operations.map(({ key, amount_minor, currency }) => `${key} ${amount_minor} ${currency}`).sort();
}
