import assert from 'node:assert/strict';
import { sql } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { type Api, type FakeClock, until } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

/** Default payment method of a charge. */
const MTN = { channel: 'cm.mtn', phone: '670100000' };

type Instrument = Partial<typeof MTN> & { headers?: Record<string, string> };

/** A merchant in live, with simulated providers: the steps that tests of live payments share. */
export class LiveMerchant {
  readonly api: Api;
  readonly clock: FakeClock;
  readonly shop: LiveShop;

  private constructor(api: Api, clock: FakeClock, shop: LiveShop) {
    this.api = api;
    this.clock = clock;
    this.shop = shop;
  }

  /** @param providers in the order in which they are tried */
  static async open(api: Api, clock: FakeClock, providers: readonly string[]): Promise<LiveMerchant> {
    return new LiveMerchant(api, clock, await openLiveShop(api, providers));
  }

  simulator(name: string) {
    return this.shop.simulators[name] ?? assert.fail(`${name} has no simulator here`);
  }

  call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    return this.api.call(method, path, { key: this.shop.key, headers, ...(body ? { body } : {}) });
  }

  /** Creates a payment. @returns its id */
  async createPayment(amount = 1_000, fields: object = {}): Promise<string> {
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

  /** Creates and charges a payment, and waits until it succeeded. @returns its id */
  async createSucceeded(amount = 1_000): Promise<string> {
    const id = await this.createPayment(amount);
    assert.equal((await this.charge(id)).status, 202);
    await this.waitForStatus(`/payments/${id}`, 'succeeded');
    return id;
  }

  /** Advances the clock until the resource has the status. Far from the real time, signatures are too old. */
  waitForStatus(path: string, status: string, step_ms = 1_000) {
    return this.waitUntil(path, (resource) => resource.status === status, step_ms);
  }

  /** Waits for the status with the clock stopped: nothing is polled, so that only a callback can change it. */
  waitForCallback(path: string, status: string) {
    return this.waitUntil(path, (resource) => resource.status === status, 0);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  waitUntil(path: string, fits: (resource: any) => boolean, step_ms: number) {
    const read = async () => {
      this.clock.advance(step_ms);
      const { body } = await this.call('GET', path);
      return body.transaction ?? body.transfer ?? body.refund;
    };
    return until(read, fits, 120_000);
  }

  /** Returns the event types of a resource, in order. */
  async events(resource_id: string): Promise<string[]> {
    const rows = await this.api.deps.stores.live.db.all<{ type: string }>(
      sql`select type from events where resource_id = ${resource_id} order by sequence`,
    );
    return rows.map(({ type }) => type);
  }

  /** Returns the kinds of the journals of a payment or transfer, in order. */
  async journalKinds(subject_id: string): Promise<string[]> {
    const rows = await this.api.deps.stores.live.db.all<{ kind: string }>(
      sql`select kind from journals where subject_id = ${subject_id} order by id`,
    );
    return rows.map(({ kind }) => kind);
  }

  /** Returns the present balance of an account of the merchant, in hundredths of XAF. GET /balance may be minutes old. */
  async balance(bucket: Account): Promise<bigint> {
    return (await readBalances(this.api.deps.stores.live.db, this.shop.merchant.team.id, 'XAF')).get(bucket) ?? 0n;
  }

  /** Returns how many collections a provider was asked to create. */
  creations(name: string): number {
    return this.simulator(name).requests.filter(({ method, path }) => method === 'POST' && /deposits|requesttopay/.test(path))
      .length;
  }

  stop(): Promise<void> {
    return this.shop.stop();
  }
}
