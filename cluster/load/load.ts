import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Client } from './client.ts';
import type { Merchant } from './merchants.ts';

/** What a merchant knows of one order. */
export interface Order {
  reference: string;
  team_id: string;
  amount: number;
  /** Ids of the payment in all answers of 2xx: more than one is a defect. */
  ids: Set<string>;
  /** Whether the creation was answered. */
  created: boolean;
  /** Whether the charge was answered with success or "under way". */
  charged: boolean;
  /** Answers that no client should get. */
  wrong: string[];
}

/** Share of the orders whose creation is sent again after it succeeded. */
const REPEATED = 0.1;
const CHANNELS = [
  { channel: 'cm.mtn', stem: '+237670' },
  { channel: 'cm.mtn', stem: '+237671' },
  { channel: 'cm.mtn', stem: '+237672' },
  { channel: 'cm.orange', stem: '+237691' },
] as const;
const FIRST_PHONE = 100_000;
const PHONES = 890_000;
/** After the end of the load, requests are repeated for at most this long. */
const PATIENCE_MS = 60_000;

/** A steady stream of orders: each is due at its time, however slow the answers are. */
export class Load {
  readonly orders: Order[] = [];
  readonly #client: Client;
  readonly #merchants: readonly Merchant[];
  readonly #prefix: string;
  readonly #first_phone: number;
  readonly #running = new Set<Promise<void>>();
  #stopped_at: number | null = null;
  #loop: Promise<void>;

  constructor(client: Client, merchants: readonly Merchant[], options: { rate: number; prefix: string; first_phone: number }) {
    this.#client = client;
    this.#merchants = merchants;
    this.#prefix = options.prefix;
    this.#first_phone = options.first_phone;
    this.#loop = this.#run(1000 / options.rate);
  }

  /** Begins no new order, and waits until each has its answers. */
  async stop(): Promise<void> {
    this.#stopped_at = performance.now();
    await this.#loop;
    await Promise.all(this.#running);
  }

  async #run(interval_ms: number): Promise<void> {
    const since = performance.now();
    for (let number = 0; this.#stopped_at === null; number++) {
      const wait = since + number * interval_ms - performance.now();
      if (wait > 0) await sleep(wait);
      const running: Promise<void> = this.#serve(number).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  async #serve(number: number): Promise<void> {
    const merchant = this.#merchants[number % this.#merchants.length] as Merchant;
    const turn = Math.floor(number / this.#merchants.length);
    const who = { key: merchant.keys[turn % merchant.keys.length] as string, ip: `192.0.2.${1 + (number % 250)}` };
    const { channel, stem } = CHANNELS[number % CHANNELS.length] as (typeof CHANNELS)[number];
    const phone = stem + String(FIRST_PHONE + ((this.#first_phone + number) % PHONES));
    const amount = 1_000 + (number % 40) * 100;
    const order: Order = {
      ...{ reference: `${this.#prefix}-${number}`, team_id: merchant.team_id, amount },
      ...{ ids: new Set<string>(), created: false, charged: false, wrong: [] },
    };
    this.orders.push(order);
    const body = { amount, currency: 'XAF', phone, reference: order.reference };
    const create = { ...who, path: '/payments', idempotency_key: order.reference, body };
    const made = await this.#client.insist('create', create, this.#isOver);
    const id = this.#noteCreated(order, made);
    if (id === null) return;
    const charge = {
      ...who,
      path: `/payments/${id}`,
      idempotency_key: `${order.reference}-charge`,
      body: { channel, data: { phone } },
    };
    const charged = await this.#client.insist('charge', charge, this.#isOver);
    if (charged && ![200, 202].includes(charged.status))
      order.wrong.push(`charge ${charged.status} ${charged.text.slice(0, 200)}`);
    order.charged = charged !== null && charged.status < 300;
    if (number % (1 / REPEATED) === 0) this.#noteCreated(order, await this.#client.insist('repeat', create, this.#isOver));
  }

  readonly #isOver = (): boolean => this.#stopped_at !== null && performance.now() - this.#stopped_at > PATIENCE_MS;

  #noteCreated(order: Order, answer: Answer | null): string | null {
    if (answer === null) return null;
    if (answer.status >= 300) {
      order.wrong.push(`create ${answer.status} ${answer.text.slice(0, 200)}`);
      return null;
    }
    const { id } = (JSON.parse(answer.text) as { transaction: { id: string } }).transaction;
    order.created = true;
    order.ids.add(id);
    return id;
  }
}
