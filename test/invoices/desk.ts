import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { Counter } from '../complaints/counter.ts';
import { read } from '../mail/smtp-server.ts';
import { type Api, type FakeClock, until } from '../setup/api.ts';

export const LINES = [
  { name: 'Mangoes', quantity: 2.5, unit_price: 2000 },
  { name: 'Delivery', unit_price: 5000 },
];
export const CUSTOMER = { name: 'Awa Ngo', email: 'awa@buyers.example', phone: '+237670100000' };

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
type Shown = any;

/** What the tests of invoices do over and over, as the merchant and as the customer. */
export class Desk {
  readonly api: Api;
  readonly till: Counter;

  private constructor(api: Api, till: Counter) {
    this.api = api;
    this.till = till;
  }

  static async open(api: Api, clock: FakeClock): Promise<Desk> {
    return new Desk(api, await Counter.open(api, clock, ['pawapay']));
  }

  call(method: string, where: string, body?: object, headers: Record<string, string> = {}) {
    return this.till.call(method, where, body, headers);
  }

  /** A draft of 10,000 XAF. */
  async draft(changes: object = {}): Promise<Shown> {
    const body = { items: LINES, currency: 'XAF', customer: CUSTOMER, ...changes };
    const answer = await this.call('POST', '/invoices', body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.invoice;
  }

  /** One that was sent. */
  async issue(changes: object = {}): Promise<Shown> {
    const { id } = await this.draft(changes);
    const answer = await this.call('POST', `/invoices/${id}/send`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.invoice;
  }

  async invoice(id: string): Promise<Shown> {
    return (await this.call('GET', `/invoices/${id}`)).body.invoice;
  }

  async becomes(id: string, status: string): Promise<Shown> {
    return until(
      () => this.invoice(id),
      (invoice) => invoice.status === status,
    );
  }

  /** The page, as a browser gets it. */
  page(url: string, language = 'en') {
    return shown(fetch(url, { headers: { 'accept-language': language } }));
  }

  /** A click on "pay". @param amount what was typed; left out: all of it */
  click(url: string, amount?: string, headers: Record<string, string> = {}) {
    const body = amount === undefined ? '' : new URLSearchParams({ amount }).toString();
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'en' };
    return shown(fetch(url, { method: 'POST', redirect: 'manual', headers: { ...form, ...headers }, body }));
  }

  /** The payment a click led to. */
  async wish(url: string, amount?: string): Promise<Shown> {
    const answer = await this.click(url, amount);
    assert.equal(answer.status, 303, answer.text);
    const token = (answer.headers.get('location') ?? '').split('/pay/')[1] ?? '';
    return (await this.call('GET', `/payments/trx_${token.split('.')[0]}`)).body.transaction;
  }

  /** Pays, all the way to the operator's confirmation. @returns the payment */
  async pay(url: string, amount?: string): Promise<Shown> {
    const { id } = await this.wish(url, amount);
    assert.equal((await this.till.charge(id)).status, 202);
    await this.till.becomes(`/payments/${id}`, 'succeeded');
    return this.till.payment(id);
  }

  /** The mails that went to this address, oldest first. */
  async mails(to: string, count: number) {
    const folder = path.join(this.api.config.data_dir, 'mail');
    const ask = async () =>
      (fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [])
        .filter((file) => file.endsWith('.eml'))
        .map((file) => read(fs.readFileSync(path.join(folder, file), 'utf8').replace(/\r?\n/g, '\r\n')))
        .filter(({ headers }) => headers.to === to);
    return until(ask, (mails) => mails.length >= count);
  }

  stop(): Promise<void> {
    return this.till.stop();
  }
}

async function shown(response: Promise<Response>) {
  const { status, headers, ...rest } = await response.then(async (r) => ({
    status: r.status,
    headers: r.headers,
    text: await r.text(),
  }));
  return { status, headers, text: rest.text };
}
