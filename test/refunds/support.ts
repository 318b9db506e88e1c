import assert from 'node:assert/strict';
import { openPool } from '../../src/platform/db/pool.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { must } from '../../src/kit/errors.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Db, sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { SENDING_MS } from '../../src/core/charge/resolve.ts';
import { pollSweep, trancheSweep } from '../../src/core/charge/sweeps.ts';
import { retentionSweep } from '../../src/core/payments/sweeps.ts';
import type { Refund, RefundOutcome, Refunds } from '../../src/providers/adapters/contract.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { SENDING_MS as PART_SENDING_MS } from '../../src/core/refunds/apply.ts';
import type { RefundRow } from '../../src/core/refunds/schema.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import { findRefund } from '../../src/core/refunds/store.ts';
import { refundSweep } from '../../src/core/refunds/sweeps.ts';
import { type Api, FakeClock, type Merchant, startApi, until } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { startPayment } from '../setup/pay.ts';

type Scripted = RefundOutcome | Promise<RefundOutcome>;

export const REFUSED: RefundOutcome = { kind: 'failed', reason: 'operator_declined', message: 'refused' };
export const LOST = { kind: 'unknown', message: 'no answer' } as const satisfies RefundOutcome;
export const PENDING: RefundOutcome = { kind: 'pending', provider_ref: null, poll_after_ms: 1_000 };
export const SUCCEEDED: RefundOutcome = { kind: 'succeeded', provider_ref: 'ref' };

/** A provider's refunds that answer as a test says, part by part; what it does not say succeeds. */
class ScriptedRefunds implements Refunds {
  extent: Refunds['extent'] = 'partial';
  idempotency: NonNullable<Refunds['idempotency']> = 'replays';
  /** Whether refunds go to the payer's number. */
  payerNeeded = false;
  /** The parts that were sent, in this order. */
  sent: number[] = [];
  submits = new Map<number, Scripted[]>();
  reads = new Map<number, Scripted[]>();

  submit = async (refund: Refund): Promise<RefundOutcome> => {
    this.sent.push(partOf(refund));
    return this.submits.get(partOf(refund))?.shift() ?? SUCCEEDED;
  };

  read = async (refund: Refund): Promise<RefundOutcome> => this.reads.get(partOf(refund))?.shift() ?? SUCCEEDED;
}

function partOf({ provider_key }: Refund): number {
  return Number(provider_key.split('-').at(-1));
}

/** A merchant with payments in tranches, and a provider whose refunds a test scripts. Workers run only when it says so. */
export class RefundShop {
  readonly clock: FakeClock;
  readonly api: Api;
  /** Keys of the parts that have reached the provider. */
  readonly #asked = new Set<string>();
  /** As the owner of the tables. */
  readonly owner: Db & { close(): Promise<void> };
  provider = new ScriptedRefunds();
  merchant!: Merchant;
  key!: string;

  private constructor(api: Api, clock: FakeClock) {
    this.api = api;
    this.clock = clock;
    this.owner = openPool({ url: api.databases.live, size: 3, log: createLog({ level: 'silent', format: 'json' }) });
  }

  static async open(env: Record<string, string> = {}): Promise<RefundShop> {
    const clock = new FakeClock();
    const made: { shop?: RefundShop } = {};
    const refunds: Refunds = {
      get extent() {
        return must(made.shop, 'it is open').provider.extent;
      },
      get idempotency() {
        return must(made.shop, 'it is open').provider.idempotency;
      },
      needsPayer: () => must(made.shop, 'it is open').provider.payerNeeded,
      submit: (refund) => {
        const shop = must(made.shop, 'it is open');
        shop.#asked.add(refund.provider_key);
        return shop.provider.submit(refund);
      },
      read: (refund) => must(made.shop, 'it is open').provider.read(refund),
    };
    const provider = { ...sandboxProvider({ clock, delay_ms: 0 }), refunds };
    const registry = new Registry({ sandbox: [provider], live: [provider] });
    const shop = new RefundShop(await startApi({ clock, workers: false, providers: registry, env }), clock);
    made.shop = shop;
    return shop;
  }

  async close(): Promise<void> {
    await this.owner.close();
    await this.api.stop();
  }

  get store(): Store {
    return this.api.deps.stores.live;
  }

  /** A fresh merchant and script; what earlier tests left under way is not gone on with. */
  async begin(): Promise<void> {
    await this.owner.run(sql`update refunds set next_poll_at = null`);
    this.provider = new ScriptedRefunds();
    this.merchant = await this.api.newMerchant({ verification_level: 4, plan: 'unlimited' });
    this.key = this.merchant.live.secret;
  }

  /** A payment that was collected, in tranches above 500,000 XAF. */
  async paid(amount: number, headers: Record<string, string> = {}): Promise<string> {
    const { id } = await startPayment(this.api, { key: this.key, amount, headers });
    for (let round = 0; round < 20; round++) {
      this.clock.advance(3_000);
      await pollSweep(this.api.deps, this.store).round();
      await trancheSweep(this.api.deps, this.store).round();
    }
    assert.equal((await this.payment(id)).status, 'succeeded');
    return id;
  }

  /** POST /refunds, once what it sends at once has been answered. */
  async refund(payment: string, amount: number): Promise<RefundRow> {
    const body = { payment, amount, reason: 'duplicate' };
    const answer = await this.api.call('POST', '/refunds', { key: this.key, body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return this.row(answer.body.refund.id);
  }

  async row(id: string): Promise<RefundRow> {
    return must(await findRefund(this.store.db, this.merchant.team.id, id), 'the refund exists');
  }

  async statuses(id: string): Promise<string[]> {
    return (await this.row(id)).legs.map(({ status }) => status);
  }

  /** A part is marked as sent before it is: one whose clock a test advances in between is not sent in time. */
  async #reached(id: string): Promise<string[]> {
    const { legs } = await this.row(id);
    return legs.map((part) => (part.status === 'sent' && !this.#asked.has(part.provider_key) ? 'about to be sent' : part.status));
  }

  /** Waits until what goes on by itself has come so far. */
  async become(id: string, status: string): Promise<RefundRow> {
    await until(
      async () => [(await this.row(id)).status, ...(await this.#reached(id))],
      ([now, ...parts]) => now === status && !parts.includes('about to be sent'),
    );
    return this.row(id);
  }

  /** Waits until the answer "pending" to a new refund is recorded: before, it is to be asked in a minute. */
  async answered(id: string): Promise<RefundRow> {
    const isRecorded = ({ status, next_poll_at, created_at }: RefundRow) =>
      status === 'processing' && next_poll_at !== null && next_poll_at.getTime() < created_at.getTime() + PART_SENDING_MS;
    await until(() => this.row(id), isRecorded);
    return this.row(id);
  }

  /** Waits until the parts stand so. */
  async parts(id: string, statuses: string[]): Promise<void> {
    await until(
      () => this.#reached(id),
      (now) => now.join() === statuses.join(),
    );
  }

  /** Waits until the refund has this message. */
  async said(id: string, message: string): Promise<void> {
    await until(
      async () => (await this.row(id)).message,
      (now) => now === message,
    );
  }

  /** A person ends it as failed, when no request can be under way any more. */
  async endByHand(id: string): Promise<void> {
    this.clock.advance(SENDING_MS);
    const verdict = { as: 'failed', evidence: 'the dashboard shows nothing', author: 'ops' } as const;
    await resolveRefund(this.api.deps, this.store, { team_id: this.merchant.team.id, id, part: null }, verdict, WORKER);
  }

  /** The retention of all money of the merchant ends now. */
  async releaseNow(): Promise<void> {
    const now = new Date(this.clock.now());
    await this.owner.run(
      sql`update settlement_items set release_at = ${now} where team_id = ${this.merchant.team.id} and released_at is null`,
    );
    await retentionSweep(this.api.deps, this.store).round();
  }

  /** The worker looks at everything that is due after a while. */
  async work(rounds = 1, wait_ms = 120_000): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      this.clock.advance(wait_ms);
      await refundSweep(this.api.deps, this.store).round();
    }
  }

  async payment(id: string) {
    return (await this.api.call('GET', `/payments/${id}`, { key: this.key })).body.transaction;
  }

  /** In francs. */
  async books(): Promise<Record<string, number>> {
    const all = await readBalances(this.store.db, this.merchant.team.id, 'XAF');
    return Object.fromEntries([...all].filter(([, minor]) => minor !== 0n).map(([name, minor]) => [name, Number(minor) / 100]));
  }

  /** What waits of each party's share, in francs. */
  async waiting(): Promise<Record<string, number>> {
    const rows = await this.owner.all<{ account_id: string; francs: number }>(sql`
      select account_id, (sum(amount_minor) / 100)::float8 as francs from settlement_items
      where team_id = ${this.merchant.team.id} and released_at is null group by account_id`);
    return Object.fromEntries(rows.map(({ account_id, francs }) => [account_id, francs]));
  }
}
