import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../../twins/kit/random.ts';
import type { World } from './world.ts';

/** What one request came to; status 0: no whole answer. */
interface Said {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever shape it expects
  body: any;
}

const DEADLINE_MS = 30_000;
const PATIENCE_MS = 120_000;

/**
 * A merchant's programs: they order, charge, refund and pay out, and repeat what got no answer with the same
 * Idempotency-Key until it has one, as the documentation tells them to.
 */
export class Shop {
  readonly #world: World;
  readonly #random: () => number;
  /** Payments by the order they are for. */
  readonly payments = new Map<number, string>();

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#random = randomOf(seed);
  }

  /** One order from beginning to end, whatever that is. */
  async serve(order: number): Promise<void> {
    const wish = this.#wish();
    const made = await this.#insist('/payments', `order-${order}`, {
      amount: wish.amount,
      currency: 'XAF',
      phone: wish.phone,
      reference: `order-${order}`,
    });
    if (made.status !== 201) throw new Error(`order ${order}: ${made.status} ${JSON.stringify(made.body)}`);
    const { id } = made.body.transaction;
    this.payments.set(order, id);
    await this.#insist(`/payments/${id}`, `charge-${order}`, { channel: 'cm.mtn', data: { phone: wish.phone } });
    if (wish.refund) await this.#refund(order, id, wish.amount);
    if (wish.payout) {
      const recipient = { recipient: this.#phone(), channel: 'cm.mtn', currency: 'XAF' };
      await this.#insist('/transfers', `payout-${order}`, { ...recipient, amount: Math.ceil(wish.amount / 4) });
    }
  }

  /** Sixteen at a time. */
  async serveAll(orders: number, served: (count: number) => void): Promise<void> {
    let next = 0;
    let done = 0;
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        while (next < orders) {
          await this.serve(next++);
          served(++done);
        }
      }),
    );
  }

  #wish() {
    const [kind, refund, payout] = [this.#random(), this.#random(), this.#random()];
    const amount = kind < 0.04 ? 1_200_000 : 1_000 + Math.floor(this.#random() * 50) * 100;
    return { amount, phone: this.#phone(), refund: refund < 0.15, payout: payout < 0.15 };
  }

  /** Eight in ten succeed; the others fail in the ways that the last six digits choose. */
  #phone(): string {
    const fate = this.#random();
    const six = fate < 0.8 ? 100_000 + Math.floor(this.#random() * 800_000) : 1 + Math.floor(this.#random() * 4);
    return `+237670${String(six).padStart(6, '0')}`;
  }

  /** Of a part, as soon as the payment has succeeded; not at all when it does not within the shop's patience. */
  async #refund(order: number, id: string, amount: number): Promise<void> {
    const until = Date.now() + 5_000;
    while (Date.now() < until) {
      const { status, body } = await this.#ask('GET', `/payments/${id}`);
      if (status === 200 && body.transaction.status === 'succeeded') {
        await this.#insist('/refunds', `refund-${order}`, {
          payment: id,
          amount: Math.ceil(amount / 2),
          reason: 'requested_by_customer',
        });
        return;
      }
      if (status === 200 && ['failed', 'cancelled'].includes(body.transaction.status)) return;
      await sleep(150);
    }
  }

  /** Repeats with the same key what was not answered, was answered with a 5xx, or nobody could take. */
  async #insist(place: string, key: string, body: object): Promise<Said> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const said = await this.#ask('POST', place, body, key);
      if (said.status !== 0 && said.status < 500) return said;
      if (Date.now() > until) return said;
      await sleep(100 + this.#random() * 200);
    }
  }

  async #ask(method: string, place: string, body?: object, key?: string): Promise<Said> {
    try {
      const response = await fetch(this.#world.url + place, {
        method,
        signal: AbortSignal.timeout(DEADLINE_MS),
        headers: {
          authorization: this.#world.key,
          'content-type': 'application/json',
          ...(key ? { 'idempotency-key': key } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, body: await response.json() };
    } catch {
      return { status: 0, body: null };
    }
  }
}
