import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Call, Client } from './client.ts';
import type { Merchant } from './merchants.ts';
import { type Order, orderOf, type Requested, requestedOf } from './orders.ts';
import type { Receiver } from './receiver.ts';

/** Share of the orders whose creation is sent again after it succeeded. Refunds and payouts are sent again with all odd numbers. */
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
const STEP_MS = 100;
const CANCELLED = /The payment is cancelled and cannot be cancelled/;

interface LoadOptions {
  rate: number;
  prefix: string;
  first_phone: number;
  /** Where the merchants learn that a payment has succeeded. */
  receiver: Pick<Receiver, 'has'>;
}

/** Whose request it is, and who pays or is paid. */
interface Party {
  key: string;
  ip: string;
  channel: string;
  phone: string;
}

/**
 * A steady stream of orders: each is due at its time, however slow the answers are. Some are cancelled instead of charged, some are
 * refunded when they have succeeded, and after some a part of the money is paid out.
 */
export class Load {
  readonly orders: Order[] = [];
  readonly #client: Client;
  readonly #merchants: readonly Merchant[];
  readonly #options: LoadOptions;
  readonly #running = new Set<Promise<void>>();
  #stopped_at: number | null = null;
  #loop: Promise<void>;

  constructor(client: Client, merchants: readonly Merchant[], options: LoadOptions) {
    this.#client = client;
    this.#merchants = merchants;
    this.#options = options;
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
    const index = number % this.#merchants.length;
    const merchant = this.#merchants[index] as Merchant;
    const turn = Math.floor(number / this.#merchants.length);
    const { prefix, first_phone } = this.#options;
    const { channel, stem } = CHANNELS[number % CHANNELS.length] as (typeof CHANNELS)[number];
    const party: Party = {
      ...{ key: merchant.keys[turn % merchant.keys.length] as string, ip: `192.0.2.${1 + (number % 250)}` },
      ...{ channel, phone: stem + String(FIRST_PHONE + ((first_phone + number) % PHONES)) },
    };
    const order = orderOf(`${prefix}-${number}`, merchant.team_id, number, index, turn);
    this.orders.push(order);
    const body = { amount: order.amount, currency: 'XAF', phone: party.phone, reference: order.reference };
    const create = { ...senderOf(party), path: '/payments', idempotency_key: order.reference, body };
    const made = await this.#client.insist('create', create, this.#isOver);
    const id = this.#noteCreated(order, made);
    if (id === null) return;
    if (order.plan === 'cancel') await this.#cancel(order, party, id);
    else await this.#charge(order, party, id);
    if (number % (1 / REPEATED) === 0) this.#noteCreated(order, await this.#client.insist('repeat', create, this.#isOver));
    if (order.charged) await this.#moveOut(order, party, id, number % 2 === 1);
  }

  async #charge(order: Order, party: Party, id: string): Promise<void> {
    const charge = {
      ...{ ...senderOf(party), path: `/payments/${id}`, idempotency_key: `${order.reference}-charge` },
      body: { channel: party.channel, data: { phone: party.phone } },
    };
    const charged = await this.#client.insist('charge', charge, this.#isOver);
    if (charged && ![200, 202].includes(charged.status))
      order.wrong.push(`charge ${charged.status} ${charged.text.slice(0, 200)}`);
    order.charged = charged !== null && charged.status < 300;
  }

  async #cancel(order: Order, party: Party, id: string): Promise<void> {
    // A cancellation has no key: where the first was carried out and its answer was lost, the repetition finds it done.
    const done_before = CANCELLED;
    const cancel: Call = { ...senderOf(party), method: 'DELETE', path: `/payments/${id}`, done_before };
    const answer = await this.#client.insist('cancel', cancel, this.#isOver);
    if (answer === null) return;
    order.cancelled = answer.status === 200 || done_before.test(answer.text);
    if (!order.cancelled) order.wrong.push(`cancel ${answer.status} ${answer.text.slice(0, 200)}`);
  }

  /** Requests the refund or payout of the order once its payment has succeeded, as far as the merchant's receiver knows. */
  async #moveOut(order: Order, party: Party, payment: string, again: boolean): Promise<void> {
    const requested = requestedOf(order);
    if (!requested) return;
    while (!this.#options.receiver.has(payment, 'payment.succeeded')) {
      if (this.#isOver()) return;
      await sleep(STEP_MS);
    }
    order.outgoing = requested;
    const call = requested.kind === 'refund' ? refundOf(order, payment, requested) : payoutOf(order, party, requested);
    const request = { ...senderOf(party), ...call, idempotency_key: `${order.reference}-${requested.kind}` };
    for (const operation of again ? [requested.kind, `repeat ${requested.kind}`] : [requested.kind]) {
      noteOutgoing(order, requested, await this.#client.insist(operation, request, this.#isOver));
    }
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

function senderOf({ key, ip }: Party): Pick<Call, 'key' | 'ip'> {
  return { key, ip };
}

function refundOf({ reference }: Order, payment: string, { amount }: Requested): Pick<Call, 'path' | 'body'> {
  return { path: '/refunds', body: { payment, amount, reason: 'requested_by_customer', metadata: { order: reference } } };
}

function payoutOf({ reference }: Order, { channel, phone }: Party, { amount }: Requested): Pick<Call, 'path' | 'body'> {
  return { path: '/transfers', body: { amount, currency: 'XAF', channel, recipient: phone, reference } };
}

function noteOutgoing(order: Order, requested: Requested, answer: Answer | null): void {
  if (answer === null) return;
  if (answer.status !== 201) {
    order.wrong.push(`${requested.kind} ${answer.status} ${answer.text.slice(0, 200)}`);
    return;
  }
  const { refund, transfer } = JSON.parse(answer.text) as { refund?: { id: string }; transfer?: { id: string } };
  requested.answered = true;
  requested.ids.add((refund ?? transfer)?.id ?? 'an answer without an id');
}
