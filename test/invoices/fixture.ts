import assert from 'node:assert/strict';
import { LiveMerchant } from '../complaints/live-merchant.ts';
import { mailsIn } from '../mail/folder.ts';
import { read } from '../mail/smtp-server.ts';
import { type Api, type FakeClock, until } from '../setup/api.ts';

export const LINES = [
  { name: 'Mangoes', quantity: 2.5, unit_price: 2000 },
  { name: 'Delivery', unit_price: 5000 },
];
export const CUSTOMER = { name: 'Awa Ngo', email: 'awa@buyers.example', phone: '+237670100000' };

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
type Shown = any;

/** The steps of merchant and customer that the tests of invoices share. */
export class InvoiceFixture {
  readonly api: Api;
  readonly merchant: LiveMerchant;

  private constructor(api: Api, merchant: LiveMerchant) {
    this.api = api;
    this.merchant = merchant;
  }

  static async open(api: Api, clock: FakeClock): Promise<InvoiceFixture> {
    return new InvoiceFixture(api, await LiveMerchant.open(api, clock, ['pawapay']));
  }

  call(method: string, where: string, body?: object, headers: Record<string, string> = {}) {
    return this.merchant.call(method, where, body, headers);
  }

  /** A draft of 10,000 XAF. */
  async draft(changes: object = {}): Promise<Shown> {
    const body = { items: LINES, currency: 'XAF', customer: CUSTOMER, ...changes };
    const answer = await this.call('POST', '/invoices', body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.invoice;
  }

  /** A sent invoice. */
  async createSent(changes: object = {}): Promise<Shown> {
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

  /** Returns the page as a browser receives it. */
  page(url: string, language = 'en') {
    return shown(fetch(url, { headers: { 'accept-language': language } }));
  }

  /** Submits the page. @param amount as entered; without it: the whole amount */
  submit(url: string, amount?: string, headers: Record<string, string> = {}) {
    const body = amount === undefined ? '' : new URLSearchParams({ amount }).toString();
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'en' };
    return shown(fetch(url, { method: 'POST', redirect: 'manual', headers: { ...form, ...headers }, body }));
  }

  /** Submits the page. @returns the payment that was created */
  async submitForPayment(url: string, amount?: string): Promise<Shown> {
    const answer = await this.submit(url, amount);
    assert.equal(answer.status, 303, answer.text);
    const token = (answer.headers.get('location') ?? '').split('/pay/')[1] ?? '';
    return (await this.call('GET', `/payments/trx_${token.split('.')[0]}`)).body.transaction;
  }

  /** Pays up to the operator's confirmation. @returns the payment */
  async pay(url: string, amount?: string): Promise<Shown> {
    const { id } = await this.submitForPayment(url, amount);
    assert.equal((await this.merchant.charge(id)).status, 202);
    await this.merchant.waitForStatus(`/payments/${id}`, 'succeeded');
    return this.merchant.payment(id);
  }

  /** Returns the mails to this address, oldest first. */
  async mails(to: string, count: number) {
    const ask = async () =>
      mailsIn(this.api, '.eml')
        .map((mail) => read(mail.replace(/\r?\n/g, '\r\n')))
        .filter(({ headers }) => headers.to === to);
    return until(ask, (mails) => mails.length >= count);
  }

  stop(): Promise<void> {
    return this.merchant.stop();
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
