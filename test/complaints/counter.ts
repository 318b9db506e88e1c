import assert from 'node:assert/strict';
import { sql } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { type Api, type FakeClock, until } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

/** What a payment is charged with, unless a test says otherwise. */
const MTN = { channel: 'cm.mtn', phone: '670100000' };

type Instrument = Partial<typeof MTN> & { headers?: Record<string, string> };

/** The till of a live shop: what the complaints' tests do over and over, in the merchant's words. */
export class Counter {
  readonly api: Api;
  readonly clock: FakeClock;
  readonly shop: LiveShop;

  private constructor(api: Api, clock: FakeClock, shop: LiveShop) {
    this.api = api;
    this.clock = clock;
    this.shop = shop;
  }

  /** @param providers the first is tried first */
  static async open(api: Api, clock: FakeClock, providers: readonly string[]): Promise<Counter> {
    return new Counter(api, clock, await openLiveShop(api, providers));
  }

  simulator(name: string) {
    return this.shop.simulators[name] ?? assert.fail(`${name} has no simulator here`);
  }

  call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    return this.api.call(method, path, { key: this.shop.key, headers, ...(body ? { body } : {}) });
  }

  /** A payment nobody has charged. @returns its id */
  async order(amount = 1_000, fields: object = {}): Promise<string> {
    const { status, body } = await this.call('POST', '/payments', { amount, currency: 'XAF', phone: MTN.phone, ...fields });
    assert.equal(status, 201, JSON.stringify(body));
    return body.transaction.id;
  }

  charge(id: string, { channel = MTN.channel, phone = MTN.phone, headers = {} }: Instrument = {}) {
    return this.call('POST', `/payments/${id}`, { channel, data: { phone } }, headers);
  }

  async payment(id: string) {
    return (await this.call('GET', `/payments/${id}`)).body.transaction;
  }

  /** A payment that has succeeded. */
  async sell(amount = 1_000): Promise<string> {
    const id = await this.order(amount);
    assert.equal((await this.charge(id)).status, 202);
    await this.becomes(`/payments/${id}`, 'succeeded');
    return id;
  }

  /** Lets time go on until what stands at the address has the status; far from the real time, signatures are too old. */
  becomes(path: string, status: string, step_ms = 1_000) {
    return this.eventually(path, (resource) => resource.status === status, step_ms);
  }

  /** Without letting time go on: nobody is asked, what changes does so by news that comes by itself. */
  hears(path: string, status: string) {
    return this.eventually(path, (resource) => resource.status === status, 0);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  eventually(path: string, fits: (resource: any) => boolean, step_ms: number) {
    const ask = async () => {
      this.clock.advance(step_ms);
      const { body } = await this.call('GET', path);
      return body.transaction ?? body.transfer ?? body.refund;
    };
    return until(ask, fits, 60_000);
  }

  /** The types of the events of a resource, in their order. */
  async events(resource_id: string): Promise<string[]> {
    const rows = await this.api.deps.stores.live.db.all<{ type: string }>(
      sql`select type from events where resource_id = ${resource_id} order by sequence`,
    );
    return rows.map(({ type }) => type);
  }

  /** What was booked for a payment or transfer, one word for each journal. */
  async booked(subject_id: string): Promise<string[]> {
    const rows = await this.api.deps.stores.live.db.all<{ kind: string }>(
      sql`select kind from journals where subject_id = ${subject_id} order by id`,
    );
    return rows.map(({ kind }) => kind);
  }

  /** What one of the merchant's buckets holds now, in hundredths of XAF; GET /balance may be minutes old. */
  async balance(bucket: Account): Promise<bigint> {
    return (await readBalances(this.api.deps.stores.live.db, this.shop.merchant.team.id, 'XAF')).get(bucket) ?? 0n;
  }

  /** How often a provider was asked to create something. */
  asked(name: string): number {
    return this.simulator(name).requests.filter(({ method, path }) => method === 'POST' && /deposits|requesttopay/.test(path))
      .length;
  }

  stop(): Promise<void> {
    return this.shop.stop();
  }
}
