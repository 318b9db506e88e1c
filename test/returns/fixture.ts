import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { refundSweep } from '../../src/core/refunds/sweeps.ts';
import type { ReturnRow } from '../../src/core/obligations/schema.ts';
import { returnSweep } from '../../src/core/returns/sweeps.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { Scripted } from './provider.ts';

const REFUSED = { kind: 'failed', reason: 'operator_declined', message: 'refused for good' } as const;

/** A live team whose payment failed and was paid after all; nothing happens by itself. */
export class Late {
  readonly clock = new FakeClock();
  readonly able = new Scripted('able', ['refunds', 'payouts']);
  readonly second = new Scripted('second', ['payouts']);
  api!: Api;
  merchant!: Merchant;
  payment = '';

  async start(): Promise<void> {
    this.second.collecting = false;
    const providers = new Registry({ sandbox: [], live: [this.able, this.second] });
    this.api = await startApi({ clock: this.clock, providers, workers: false });
  }

  get store() {
    return this.api.deps.stores.live;
  }

  /** A new team and payment; the provider of the capture refuses refunds for good. */
  async captured(phone = '650000000', fields: object = {}): Promise<void> {
    Object.assign(this.able, { onRefund: REFUSED, onRefundRead: REFUSED, onPayout: null });
    Object.assign(this.second, { onPayout: null });
    for (const provider of [this.able, this.second]) {
      provider.refunded.length = 0;
      provider.paidOut.length = 0;
      provider.onPayoutRead = { kind: 'unknown', message: 'no answer' };
    }
    this.merchant = await this.api.newMerchant({ verification_level: 1 });
    const body = { amount: 10_000, currency: 'XAF', phone, ...fields };
    this.payment = (await this.call('POST', '/payments', body)).transaction.id;
    await this.call('POST', `/payments/${this.payment}`, { channel: 'cm.mtn', data: { phone } });
    const attempt = must(
      await this.store.db.maybe<{ id: string }>(sql`select id from attempts where payment_id = ${this.payment}`),
      'the charge made an attempt',
    );
    const verdict = { as: 'succeeded' as const, evidence: 'statement of the day', author: 'ops' };
    const ref = { team_id: this.merchant.team.id, id: attempt.id };
    await resolveAttempt(this.api.deps, this.store, ref, verdict, WORKER);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
  async call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<any> {
    return (await this.api.call(method, path, { key: this.merchant.live.secret, ...(body ? { body } : {}) })).body;
  }

  /** Workers go on for so many rounds, with time between them. */
  async work(rounds: number, between_ms = 1_000): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      await returnSweep(this.api.deps, this.store).round();
      await refundSweep(this.api.deps, this.store).round();
      this.clock.advance(between_ms);
    }
  }

  async row(): Promise<ReturnRow> {
    return must(
      await this.store.db.maybe<ReturnRow>(sql`select * from returns where payment_id = ${this.payment}`),
      'the payment has a return',
    );
  }

  async hold(): Promise<bigint> {
    return (await readBalances(this.store.db, this.merchant.team.id, 'XAF')).get('hold') ?? 0n;
  }

  async refunds(): Promise<string[]> {
    const { items } = await this.call('GET', `/payments/${this.payment}/refunds`);
    return items.map(({ status }: { status: string }) => status).reverse();
  }

  async events(resource: string): Promise<string[]> {
    const rows = await this.store.db.all<{ type: string }>(
      sql`select type from events where team_id = ${this.merchant.team.id} and resource_id = ${resource} order by id`,
    );
    return rows.map(({ type }) => type);
  }
}
