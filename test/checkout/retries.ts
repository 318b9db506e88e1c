import assert from 'node:assert/strict';
import { type Api, type FakeClock, type Merchant, until } from '../setup/api.ts';
import { newPayment, Payer } from './payer.ts';

/** The last six digits decide the outcome in the sandbox. */
export const DECLINED = { channel: 'cm.mtn', phone: '650000001' };
export const PAID = { channel: 'cm.mtn', phone: '650000000' };
export const CALLBACK = 'https://shop.example/thanks?cart=7';

/** Payments that a merchant made by the API, whose payers try again on the hosted page. */
export class Retries {
  readonly #api: Api;
  readonly #clock: FakeClock;
  readonly shop: Merchant;

  constructor(api: Api, clock: FakeClock, shop: Merchant) {
    this.#api = api;
    this.#clock = clock;
    this.shop = shop;
  }

  get key(): string {
    return this.shop.sandbox.secret;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
  async get(id: string): Promise<any> {
    return (await this.#api.call('GET', `/payments/${id}`, { key: this.key })).body.transaction;
  }

  becomes(id: string, status: string) {
    return this.reaches(id, (payment) => payment.status === status);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
  reaches(id: string, isReached: (payment: any) => boolean, step_ms = 100) {
    return until(async () => {
      this.#clock.advance(step_ms);
      return this.get(id);
    }, isReached);
  }

  /** A payment whose first charge was declined, and the browser that tried. */
  async declined(changes: object = {}, by: Record<string, string> = DECLINED, key = this.key) {
    const order = { reference: 'order-7', callback: CALLBACK, metadata: { cart: 7 }, ...changes };
    const payment = await newPayment(this.#api, order, key);
    const payer = new Payer(payment.url);
    await payer.get();
    const answer = await payer.submit(by);
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get('location'), `/pay/${payment.token}`);
    return { ...payment, payer };
  }

  /** Goes on as the browser does when it is redirected: with the cookie of the page to which it is led. */
  async follow(payer: Payer, location: string | null): Promise<Payer> {
    assert.ok(location?.startsWith('/pay/'), String(location));
    const next = new Payer(`${this.#api.url}${location}`);
    next.cookie = payer.setCookie?.includes(`Path=${location};`) ? payer.cookie : null;
    await next.get();
    return next;
  }
}
