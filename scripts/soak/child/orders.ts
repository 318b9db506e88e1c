import { setTimeout as sleep } from 'node:timers/promises';
import { payOn } from '../../../simulators/kit/pages.ts';
import { randomOf } from '../../../simulators/kit/random.ts';
import { LINES, type Line } from '../../../test/system/shop.ts';
import type { Caller } from './caller.ts';

/** Shares of the orders for which the shop does more than create and charge. */
const SHARES = {
  /** The payment is never charged, and expires. */
  abandoned: 0.03,
  /** The amount is paid in tranches. */
  large: 0.005,
  refund: 0.05,
  payout: 0.05,
  erasure: 0.01,
  /** With an e-mail address, to which a receipt is sent. */
  mail: 0.02,
  retrieve: 0.3,
  list: 0.05,
  search: 0.01,
  balance: 0.02,
  page: 0.02,
};
/** Share of phone numbers that pay. The last six digits of the others select how the payment fails. */
const SUCCESSFUL = 0.95;
const FIRST_SUCCESSFUL = 100_000;
const ABANDONED_MINUTES = 5;
const MAX_LOOKS = 20;
const LOOK_MS = 500;
const STREAM_MS = 3_000;

/** Programs of a merchant: they serve one order after another. */
export class Orders {
  readonly #caller: Caller;
  readonly #random: () => number;
  readonly done: Record<string, number> = {};
  created = 0;

  constructor(caller: Caller, seed: number) {
    this.#caller = caller;
    this.#random = randomOf(seed);
  }

  /**
   * Creates, charges and reads a payment, with the further steps that chance selects.
   * @param due when the payment should be created, in milliseconds of the monotonic clock
   */
  async serve(order: number, due: number): Promise<void> {
    const line = this.#line();
    const phone = this.#phone(line);
    const isLarge = line.channel === 'cm.mtn' && this.#draws('large');
    const amount = isLarge ? 1_200_000 : 1_000 + Math.floor(this.#random() * 50) * 100;
    const isAbandoned = this.#draws('abandoned');
    const body = {
      ...{ amount, currency: line.currency, phone, reference: `order-${order}` },
      ...(this.#draws('mail') ? { email: `payer-${order}@shop.example` } : {}),
      ...(isAbandoned ? { expires: { in: ABANDONED_MINUTES } } : {}),
    };
    const made = await this.#caller.write('create', { path: '/payments', key: `order-${order}`, body }, [201], due);
    if (made.status !== 201) return;
    this.created += 1;
    const { id } = made.body.transaction;
    const page = new URL(made.body.authorization_url).pathname;
    const watching = this.#draws('page') ? this.#visit(page) : null;
    if (isAbandoned) this.#count('abandoned');
    else await this.#charge(order, id, { line, phone, amount });
    await this.#look(id, phone);
    await watching;
  }

  /** Opens the page as a payer's browser does: the page, its status, and its stream until the payer leaves. */
  async #visit(page: string): Promise<void> {
    await this.#caller.read('page', page, [200, 0]);
    await this.#caller.read('page', `${page}/status`, [200, 0]);
    await this.#caller.watch(`${page}/events`, STREAM_MS);
    this.#count('visit');
  }

  async #charge(
    order: number,
    id: string,
    { line, phone, amount }: { line: Line; phone: string; amount: number },
  ): Promise<void> {
    const { channel } = line;
    const charge = { path: `/payments/${id}`, key: `charge-${order}`, body: { channel, data: { phone } } };
    // 429: a number that was prompted too often without paying is rejected for an hour. There are only a few failing numbers.
    const charged = await this.#caller.write('charge', charge, [200, 202, 402, ...(fails(phone) ? [429] : [])]);
    this.#count(charged.status === 429 ? 'charge of a number that was prompted too often' : 'charge');
    if (charged.body?.action?.kind === 'redirect') await payOn(charged.body.action.url, phone);
    const [refund, payout, erasure] = [this.#draws('refund'), this.#draws('payout'), this.#draws('erasure')];
    if (payout) await this.#payOut(order, line, amount);
    if (!refund && !erasure) return;
    const payment = await this.#ended(id);
    // Wave has no partial refunds.
    if (refund && payment?.status === 'succeeded') {
      await this.#refund(order, id, channel === 'sn.wave' ? amount : Math.ceil(amount / 2));
    }
    if (erasure && payment?.customer) await this.#erase(payment.customer);
  }

  async #payOut(order: number, line: Line, amount: number): Promise<void> {
    const { channel, currency } = line;
    const body = { recipient: this.#phone(line), channel, currency, amount: Math.ceil(amount / 4) };
    await this.#caller.write('payout', { path: '/transfers', key: `payout-${order}`, body }, [201]);
    this.#count('payout');
  }

  async #refund(order: number, payment: string, amount: number): Promise<void> {
    const body = { payment, amount, reason: 'requested_by_customer' };
    // 422: the provider has no refunds.
    const { status } = await this.#caller.write('refund', { path: '/refunds', key: `refund-${order}`, body }, [201, 422]);
    this.#count(status === 201 ? 'refund' : 'refund that the provider does not support');
  }

  async #erase(customer: string): Promise<void> {
    await this.#caller.write('erase', { method: 'DELETE', path: `/customers/${customer}` }, [200]);
    this.#count('erasure');
  }

  /** Waits until the payment has ended, for a limited time. @returns the payment, or null if it has not ended */
  async #ended(id: string): Promise<{ status: string; customer: string | null } | null> {
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      await sleep(LOOK_MS * (1 + looks / 4));
      const { status, body } = await this.#caller.read('retrieve', `/payments/${id}`, [200, 0]);
      if (status === 200 && !['pending', 'processing'].includes(body.transaction.status)) return body.transaction;
    }
    return null;
  }

  /** Reads what the merchant's programs and console read. */
  async #look(id: string, phone: string): Promise<void> {
    if (this.#draws('retrieve')) await this.#caller.read('retrieve', `/payments/${id}`, [200, 0]);
    if (this.#draws('list')) await this.#caller.read('list', '/payments?per_page=50', [200, 0]);
    if (this.#draws('search')) await this.#caller.read('search', `/customers?search=${encodeURIComponent(phone)}`, [200, 0]);
    if (this.#draws('balance')) await this.#caller.read('balance', '/balance?currency=XAF', [200, 0]);
    if (this.#draws('list')) await this.#caller.read('events', '/events?per_page=20', [200, 0]);
  }

  /** Draws the channel of an order. Half of the orders use the first one, which has tranches. */
  #line(): Line {
    const way = this.#random();
    return LINES[way < 0.5 ? 0 : way < 0.7 ? 1 : way < 0.88 ? 2 : 3] as Line;
  }

  #phone({ stem }: Line): string {
    const six =
      this.#random() < SUCCESSFUL ? FIRST_SUCCESSFUL + Math.floor(this.#random() * 800_000) : 1 + Math.floor(this.#random() * 4);
    return stem + String(six).padStart(6, '0');
  }

  #draws(what: keyof typeof SHARES): boolean {
    return this.#random() < SHARES[what];
  }

  #count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }
}

function fails(phone: string): boolean {
  return Number(phone.slice(-6)) < FIRST_SUCCESSFUL;
}
