import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import type { Config } from '../../src/platform/config/config.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import type { Deps } from '../../src/program/deps.ts';
import { recordEvents } from '../../src/money/webhooks/record-store.ts';
import type { Send } from '../../src/kit/fetch.ts';
import { sql } from '../../src/kit/sql.ts';
import { type DeliveryTuning, startDeliveries } from '../../src/money/webhooks/deliver.ts';
import type { Worker } from '../../src/platform/work/worker.ts';
import { type Api, type Merchant, startApi, until } from './api.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';

export interface Endpoint {
  id: string;
  secret: string;
  url: string;
}

export interface Setting {
  config?: Partial<Config>;
  tuning?: Partial<DeliveryTuning>;
  clock?: Deps['clock'];
  store?: Store;
}

/** What a test of deliveries works with: one service for the file; a merchant, a receiver and workers for each test. */
export class Deliveries {
  api!: Api;
  receiver!: Receiver;
  merchant!: Merchant;
  #workers: Worker[] = [];
  #made = 0;

  /** Registers the hooks of the test file. */
  constructor() {
    before(async () => {
      this.api = await startApi({ workers: false });
    });
    after(() => this.api.stop());
    beforeEach(async () => {
      await this.store.db.run(sql`delete from deliveries`);
      this.receiver = await startReceiver();
      this.merchant = await this.api.newMerchant();
      this.#workers = [];
    });
    afterEach(async () => {
      await this.receiver.close();
      await Promise.all(this.#workers.map((worker) => worker.stop()));
    });
  }

  get store(): Store {
    return this.api.deps.stores.sandbox;
  }

  /** Starts a worker of this process. */
  start({ config = {}, tuning = {}, clock = this.api.deps.clock, store = this.store }: Setting = {}): Worker {
    const worker = startDeliveries({ ...this.api.deps, clock, config: { ...this.api.deps.config, ...config } }, store, tuning);
    this.#workers.push(worker);
    return worker;
  }

  /**
   * A worker whose process dies while it sends: it never hears an answer, and its database never hears of it again.
   * @returns when it has died
   */
  async startAndDie(config: Partial<Config>, lease_slack_ms: number): Promise<void> {
    const { environment, db } = this.store;
    const died = Promise.withResolvers<void>();
    let alive = true;
    const send: Send = () => {
      alive = false;
      died.resolve();
      return new Promise(() => {});
    };
    const connection: typeof db = { ...db, all: (statement) => (alive ? db.all(statement) : new Promise(() => {})) };
    const deps = { ...this.api.deps, config: { ...this.api.deps.config, ...config } };
    startDeliveries(deps, { environment, db: connection }, { send, lease_slack_ms });
    await this.announce();
    await died.promise;
  }

  async call(method: string, path: string, body?: object) {
    const answer = await this.api.call(method, path, { key: this.merchant.sandbox.secret, ...(body ? { body } : {}) });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  }

  async register(path = '/hook', body: object = {}): Promise<Endpoint> {
    return (await this.call('POST', '/webhooks', { url: this.receiver.url + path, ...body })).webhook;
  }

  /** Records events of payments that nobody made. */
  async announce(count = 1, data: object = { id: 'trx_test_x' }, store = this.store): Promise<void> {
    const events = Array.from({ length: count }, () => ({
      team_id: this.merchant.team.id,
      type: 'payment.succeeded' as const,
      resource_id: `trx_test_${++this.#made}`,
      sequence: 1,
      data,
    }));
    await store.db.transaction((tx) => recordEvents(tx, store.environment, Date.now(), events));
    this.api.deps.wake.ring(store.environment);
  }

  async attemptsOf(endpoint: Endpoint) {
    return (await this.call('GET', `/webhooks/${endpoint.id}/deliveries?per_page=100`)).items;
  }

  /** Waits for so many recorded attempts; asks the database, because the API counts how often it is asked. */
  async recorded(endpoint: Endpoint, count: number) {
    const made = () => this.store.db.all(sql`select 1 from delivery_attempts where endpoint_id = ${endpoint.id}`);
    await until(made, (rows) => rows.length >= count);
    return this.attemptsOf(endpoint);
  }

  /** Lets what waits for a retry be due now. A wait of a second may be over before a slow test has got ready for the retry. */
  async dueNow(): Promise<void> {
    await this.store.db.run(sql`update deliveries set due_at = pirogue_now()`);
    this.api.deps.wake.ring(this.store.environment);
  }

  /** How many deliveries are still to be made. */
  async pending(): Promise<number> {
    return (await this.store.db.all(sql`select 1 from deliveries`)).length;
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function deliveryIds(received: Received[]): (string | undefined)[] {
  return received.map(({ headers }) => headers['x-service-delivery-id']);
}
