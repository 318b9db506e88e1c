import { createHmac } from 'node:crypto';
import type { Draft, Entry } from '../kit/book.ts';
import type { CallbackRequest, CallbackContent } from '../kit/callbacks.ts';
import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import type { Fault } from '../kit/faults.ts';
import { closedPage, leadsTo, payingPage, typedNumber } from '../kit/pages.ts';
import type { Kit } from '../kit/simulator.ts';
import { endingOf, pageCode } from './codes.ts';

export const SITE = { apikey: 'twin-of-cinetpay-apikey', site_id: '445160', secret_key: 'twin-of-cinetpay-secret-key' };

/** Amount limits of a payment, in major units, from tables of the integrators' community. */
const BOUNDS: Record<string, [least: number, most: number]> = {
  ...{ XOF: [100, 2_000_000], XAF: [100, 1_500_000], CDF: [100, 2_000_000], GNF: [1_000, 15_000_000] },
};
const CHANNELS = ['ALL', 'MOBILE_MONEY', 'CREDIT_CARD', 'WALLET'];

/** Lifetime of a page. */
const LIVES_MS = 30 * 60_000;

/** A payment page. Its payment is in the book only after a payer has paid there, or tried to. */
interface Page {
  draft: Draft;
  return_url: string;
  /** The fault selected when the page was opened. It applies to the payment. */
  fault: Fault;
  opened_at: number;
  used: boolean;
}

/** The payment pages, each locked to one number. */
export class Pages {
  readonly #kit: Kit;
  /** Pages by our key, and by the token in their address. */
  readonly #byKey = new Map<string, Page>();
  readonly #byToken = new Map<string, Page>();

  constructor(kit: Kit) {
    this.#kit = kit;
  }

  open(call: Call): Answer {
    const fields = jsonOf(call) ?? {};
    if (!isOurs(fields)) return pageCode(609, [], 401);
    const draft = draftOf(fields);
    if (typeof draft === 'number') return pageCode(draft, [], 400);
    if (call.fault === 'closed') return pageCode(804, [], 400);
    const payment_token = `token-${this.#byToken.size + 1}`;
    const opened_at = this.#kit.options.now();
    const page = { draft, return_url: String(fields.return_url), fault: call.fault, opened_at, used: false };
    this.#byKey.set(draft.key, page);
    this.#byToken.set(payment_token, page);
    const data = { payment_token, payment_url: `http://${call.headers.host}/payment/${payment_token}` };
    return {
      status: 200,
      body: { code: '201', message: 'CREATED', description: 'Transaction created', data, api_response_id: '1' },
    };
  }

  show({ params }: Call): Answer {
    const page = this.#byToken.get(params.token ?? '');
    if (!page || this.#isOver(page)) return closedPage(404, 'Ce paiement n’est plus ouvert.');
    return payingPage('CinetPay', `${page.draft.amount_minor / 100n} ${page.draft.currency}`);
  }

  async pay(call: Call): Promise<Answer> {
    const page = this.#byToken.get(call.params.token ?? '');
    const typed = typedNumber(call);
    if (!page || this.#isOver(page)) return closedPage(404, 'Ce paiement n’est plus ouvert.');
    if (typed !== page.draft.msisdn) return closedPage(422, 'Ce numéro est incorrect.');
    if (!page.used) {
      page.used = true;
      await this.#kit.operations.create(page.draft, endingOf('collect', typed), page.fault);
    }
    return leadsTo(page.return_url);
  }

  check(call: Call): Answer {
    const fields = jsonOf(call) ?? {};
    if (!isOurs(fields)) return pageCode(609, [], 401);
    const page = this.#byKey.get(String(fields.transaction_id));
    if (!page) return pageCode(723, []);
    const { draft } = page;
    const data = {
      ...{ amount: String(draft.amount_minor / 100n), currency: draft.currency, payment_method: 'OM', metadata: null },
      ...{ description: draft.wire.description, payment_date: '2026-11-21 10:00:00' },
    };
    const entry = this.#kit.book.visible(draft.key);
    if (entry?.state === 'succeeded') {
      const paid = { ...data, operator_id: `MP${entry.ref}`, status: 'ACCEPTED' };
      return { status: 200, body: { code: '00', message: 'SUCCES', data: paid, api_response_id: '1' } };
    }
    if (entry?.state === 'failed') return pageCode(Number(entry.word), { ...data, status: 'REFUSED' });
    return this.#isOver(page) ? pageCode(625, data) : pageCode(662, { ...data, status: 'WAITING_FOR_CUSTOMER' });
  }

  /** Returns whether the page has expired. A payment started on it has its own result. */
  #isOver({ used, opened_at }: Page): boolean {
    return !used && this.#kit.options.now() > opened_at + LIVES_MS;
  }
}

/** Returns the payment to create, or the code of the error in the request. */
function draftOf(fields: Record<string, unknown>): Draft | number {
  const { transaction_id, amount, currency, description, channels, customer_phone_number, lock_phone_number } = fields;
  const texts = [transaction_id, currency, description, fields.notify_url, fields.return_url, fields.customer_name];
  if (![...texts, fields.customer_surname].every((text) => typeof text === 'string' && text !== '')) return 608;
  if (!/^[A-Za-z0-9]{1,50}$/.test(String(transaction_id)) || /[#/$_&]/.test(String(description))) return 624;
  if (!CHANNELS.includes(String(channels))) return 624;
  const bounds = BOUNDS[String(currency)];
  if (!bounds || typeof amount !== 'number' || !Number.isInteger(amount) || amount % 5 !== 0) return 624;
  if (amount < bounds[0]) return 641;
  if (amount > bounds[1]) return 642;
  const msisdn = String(customer_phone_number ?? '').replace(/\D/g, '');
  if (lock_phone_number !== true || msisdn.length < 8) return 635;
  return {
    ...{ kind: 'collect', key: String(transaction_id), amount_minor: BigInt(amount) * 100n, currency: String(currency), msisdn },
    ...{ of: null, callback_url: String(fields.notify_url), wire: { description } },
  };
}

function isOurs({ apikey, site_id }: Record<string, unknown>): boolean {
  return apikey === SITE.apikey && site_id === SITE.site_id;
}

/** Fields covered by the notification token, in this order. */
const TOKEN_OVER = `cpm_site_id cpm_trans_id cpm_trans_date cpm_amount cpm_currency signature payment_method cel_phone_num
  cpm_phone_prefixe cpm_language cpm_version cpm_payment_config cpm_page_action cpm_custom cpm_designation cpm_error_message`
  .split(/\s+/)
  .filter(Boolean);

/** Composes the notification of a payment: a form with a token over its fields. It contains no authoritative status. */
export function composeForm(entry: Entry, { stage, amount_minor, forged }: CallbackContent): CallbackRequest {
  const fields: Record<string, string> = {
    ...{ cpm_site_id: SITE.site_id, cpm_trans_id: entry.key, cpm_trans_date: '2026-11-21 10:00:00' },
    ...{
      cpm_amount: String(amount_minor / 100n),
      cpm_currency: entry.currency,
      signature: `s${entry.ref}`,
      payment_method: 'OM',
    },
    ...{ cel_phone_num: entry.msisdn.slice(3), cpm_phone_prefixe: entry.msisdn.slice(0, 3), cpm_language: 'fr' },
    ...{ cpm_version: 'V4', cpm_payment_config: 'SINGLE', cpm_page_action: 'PAYMENT', cpm_custom: '' },
    cpm_designation: String(entry.wire.description),
    cpm_error_message: stage === 'interim' ? 'WAITING_CUSTOMER' : entry.state === 'succeeded' ? 'SUCCES' : 'PAYMENT_FAILED',
  };
  const text = TOKEN_OVER.map((name) => fields[name] ?? '').join('');
  const token = createHmac('sha256', forged ? 'another-key' : SITE.secret_key)
    .update(text)
    .digest('hex');
  return {
    ...{ method: 'POST', url: String(entry.callback_url), body: new URLSearchParams(fields).toString() },
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-token': token },
  };
}
