import { setTimeout as sleep } from 'node:timers/promises';
import { payOn } from '../../simulators/kit/pages.ts';
import { randomOf } from '../../simulators/kit/random.ts';
import type { World } from './world.ts';

/** What one request came to; status 0: no whole answer. */
interface Said {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever shape it expects
  body: any;
}

/** One way to pay; each has two providers or more. */
export interface Line {
  channel: string;
  currency: string;
  stem: string;
}

export const LINES: readonly Line[] = [
  { channel: 'cm.mtn', currency: 'XAF', stem: '+237670' },
  { channel: 'cm.orange', currency: 'XAF', stem: '+237691' },
  { channel: 'sn.wave', currency: 'XOF', stem: '+221771' },
  { channel: 'ke.mpesa', currency: 'KES', stem: '+254708' },
];

const DEADLINE_MS = 30_000;
/** Lives of the API that end before an answer are no fault: on a busy machine each takes half a minute. */
const PATIENCE_MS = 300_000;

/**
 * A merchant's programs: they order, charge, refund and pay out, and repeat what got no answer with the same
 * Idempotency-Key until it has one, as the documentation tells them to.
 */
export class Shop {
  readonly #world: World;
  readonly #random: () => number;
  /** Payments by the order they are for. */
  readonly payments = new Map<number, string>();
  /** Orders, charges, refunds and payouts that were answered. */
  answers = 0;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#random = randomOf(seed);
  }

  /** One order from beginning to end, whatever that is. */
  async serve(order: number): Promise<void> {
    const wish = this.#wish();
    const made = await this.#insist('/payments', `order-${order}`, {
      amount: wish.amount,
      currency: wish.currency,
      phone: wish.phone,
      reference: `order-${order}`,
    });
    if (made.status !== 201) throw new Error(`order ${order}: ${made.status} ${JSON.stringify(made.body)}`);
    const { id } = made.body.transaction;
    this.payments.set(order, id);
    const { channel, currency } = wish;
    const charged = await this.#insist(`/payments/${id}`, `charge-${order}`, { channel, data: { phone: wish.phone } });
    if (charged.body?.action?.kind === 'redirect') await payOn(charged.body.action.url, wish.phone);
    // Wave gives back the whole or nothing.
    if (wish.refund) await this.#refund(order, id, channel === 'sn.wave' ? wish.amount : Math.ceil(wish.amount / 2));
    if (wish.payout) {
      const recipient = { recipient: this.#phone(wish.stem), channel, currency };
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
    const [kind, refund, payout, way] = [this.#random(), this.#random(), this.#random(), this.#random()];
    // In pieces only by prompt: the page of a later piece has to be opened by the payer, who is gone here.
    const line = LINES[kind < 0.04 || way < 0.5 ? 0 : way < 0.7 ? 1 : way < 0.88 ? 2 : 3] as Line;
    const amount = kind < 0.04 ? 1_200_000 : 1_000 + Math.floor(this.#random() * 50) * 100;
    return { ...line, amount, phone: this.#phone(line.stem), refund: refund < 0.15, payout: payout < 0.15 };
  }

  /** Eight in ten succeed; the others fail in the ways that the last six digits choose. */
  #phone(stem: string): string {
    const fate = this.#random();
    const six = fate < 0.8 ? 100_000 + Math.floor(this.#random() * 800_000) : 1 + Math.floor(this.#random() * 4);
    return stem + String(six).padStart(6, '0');
  }

  /** As soon as the payment has succeeded; not at all when it does not within the shop's patience. */
  async #refund(order: number, id: string, amount: number): Promise<void> {
    const until = Date.now() + 5_000;
    while (Date.now() < until) {
      const { status, body } = await this.#ask('GET', `/payments/${id}`);
      if (status === 200 && body.transaction.status === 'succeeded') {
        await this.#insist('/refunds', `refund-${order}`, {
          payment: id,
          amount,
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
      if (said.status !== 0) this.answers += 1;
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
