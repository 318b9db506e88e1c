import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../ops/program.ts';
import { until } from '../setup/api.ts';
import type { Receiver } from '../setup/receiver.ts';

const WRITERS = 3;
const STALLED_MS = 180_000;

/** Customers who create a payment, charge it, repeat the charge with its key, and read the payment, one after the other. */
export class Load {
  readonly failed: string[] = [];
  /** Ids of the payments that were created and charged. */
  readonly paid: string[] = [];
  readonly #url: string;
  readonly #secret: string;
  readonly #writers: Promise<void>[];
  #isOn = true;

  constructor(url: string, secret: string) {
    this.#url = url;
    this.#secret = secret;
    this.#writers = Array.from({ length: WRITERS }, (_, writer) => this.#write(writer));
  }

  /** Waits until so many more payments were charged. */
  async more(count: number): Promise<void> {
    const wanted = this.paid.length + count;
    await until(
      async () => this.paid.length,
      (n) => n >= wanted || this.failed.length > 0,
      STALLED_MS,
    );
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await Promise.all(this.#writers);
  }

  async #write(writer: number): Promise<void> {
    for (let n = 0; this.#isOn; n++) {
      const key = `upgrade-${writer}-${n}`;
      const order = { amount: 500, currency: 'XAF', phone: '+237650000000', reference: key };
      const made = await this.#call('POST', '/payments', 201, order, `${key}-create`);
      if (!made) continue;
      const { id } = made.transaction;
      const charge = { channel: 'cm.mtn', data: { phone: '650000000' } };
      const charged = await this.#call('POST', `/payments/${id}`, 202, charge, `${key}-charge`);
      const repeated = await this.#call('POST', `/payments/${id}`, 202, charge, `${key}-charge`);
      if (charged && repeated) assert.equal(repeated.transaction.id, charged.transaction.id);
      await this.#call('GET', `/payments/${id}`, 200);
      await this.#call('GET', '/events?per_page=5', 200);
      this.paid.push(id);
      await sleep(50);
    }
  }

  async #call(method: string, route: string, expected: number, body?: unknown, key?: string) {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    const response = await call(this.#url, this.#secret, method, route, body, headers);
    if (response.status === expected) return response.body;
    const cause = response.headers.get('x-failure') ?? JSON.stringify(response.body);
    this.failed.push(`${method} ${route}: ${response.status} ${cause}`);
    return undefined;
  }
}

const LIFE = ['payment.created', 'payment.processing', 'payment.succeeded'];

/** Checks that each payment has its three events in order, that all were delivered, and that a repeated delivery has the same bytes. */
export async function checkEvents(url: string, secret: string, { paid }: Load, receiver: Receiver): Promise<void> {
  const delivered = () => new Set(receiver.received.map(({ event }) => event.id)).size;
  await until(
    async () => delivered(),
    (n) => n >= paid.length * LIFE.length,
    STALLED_MS,
  );
  const bodies = new Map<string, string>();
  const lives = new Map<string, string[]>();
  for (const { event, body, headers } of receiver.received) {
    const before = bodies.get(event.id);
    assert.ok(before === undefined || before === body.toString(), `${event.id} was delivered with two bodies`);
    bodies.set(event.id, body.toString());
    const life = lives.get(event.data.id) ?? [];
    life[Number(headers['x-service-sequence']) - 1] = event.event;
    lives.set(event.data.id, life);
  }
  assert.equal(bodies.size, paid.length * LIFE.length);
  for (const id of paid) assert.deepEqual(lives.get(id), LIFE, id);
  for (const type of LIFE) {
    const { body } = await call(url, secret, 'GET', `/events?per_page=1&type=${type}`);
    assert.equal(body.meta.total, paid.length, type);
  }
}
