import { randomBytes } from 'node:crypto';
import type { Entry } from '../kit/book.ts';
import type { CallbackRequest, CallbackContent } from '../kit/callbacks.ts';
import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import { type Ending, failsWith, SUCCEEDS } from '../kit/operations.ts';
import type { Fault } from '../kit/faults.ts';
import { type Outcome, outcomeOf } from '../kit/outcomes.ts';
import { closedPage, leadsTo, payingPage, typedNumber } from '../kit/pages.ts';
import type { Kit } from '../kit/simulator.ts';

/** An order and its page. It is in the book only after a payer has used the page. */
interface Order {
  order_id: string;
  amount: number;
  currency: string;
  pay_token: string;
  notif_token: string;
  notif_url: string;
  return_url: string;
  /** The fault selected when the order was created. It applies to the payment. */
  fault: Fault;
  made_at: number;
  used: boolean;
}

const CURRENCIES: Record<string, string> = {
  ...{ dev: 'OUV', cm: 'XAF', ci: 'XOF', sn: 'XOF', ml: 'XOF', bf: 'XOF', gn: 'GNF', cd: 'CDF', mg: 'MGA' },
};
const FIELDS = ['merchant_key', 'currency', 'order_id', 'amount', 'return_url', 'cancel_url', 'notif_url', 'lang', 'reference'];
const MAX: Record<string, number> = { order_id: 30, return_url: 120, cancel_url: 120, notif_url: 120, reference: 30 };
/** Period after which an unused page is closed. */
const PAGE_LIVES_MS = 600_000;

/** Orange returns a status and no reason. */
const ENDINGS: Record<Outcome, Ending> = {
  succeeds: SUCCEEDS,
  insufficient_funds: failsWith('FAILED'),
  declined: failsWith('FAILED'),
  times_out: failsWith('EXPIRED', 2),
  payer_refuses: failsWith('FAILED'),
  recipient_unregistered: failsWith('FAILED'),
  invalid_recipient: failsWith('FAILED'),
  refund_fails: failsWith('FAILED'),
};

/** Returns an error in Orange's envelope. */
export function error(status: number, code: number, message: string): Answer {
  return { status, body: { code, message, description: `${message}.` } };
}

/** The merchant's orders. */
export class Orders {
  readonly #kit: Kit;
  readonly #merchant_key: string;
  readonly #byToken = new Map<string, Order>();
  readonly #byId = new Map<string, Order>();

  constructor(kit: Kit, merchant_key: string) {
    this.#kit = kit;
    this.#merchant_key = merchant_key;
  }

  create(call: Call): Answer {
    const fields = jsonOf(call) ?? {};
    const wrong = this.#objection(fields, call.params.cc ?? '');
    if (wrong) return wrong;
    if (call.fault === 'closed') return error(503, 5, 'The service is temporarily unavailable');
    const { order_id, currency, notif_url, return_url } = fields as Record<string, string>;
    const order = {
      ...{ order_id, currency, notif_url, return_url, amount: fields.amount, fault: call.fault },
      ...{ pay_token: `v1${randomBytes(32).toString('hex')}`, notif_token: randomBytes(16).toString('hex') },
      ...{ made_at: this.#kit.options.now(), used: false },
    } as Order;
    this.#byToken.set(order.pay_token, order);
    this.#byId.set(order.order_id, order);
    const { pay_token, notif_token } = order;
    const payment_url = `http://${call.headers.host}/payment/pay_token/${pay_token}`;
    return { status: 201, body: { status: 201, message: 'OK', pay_token, payment_url, notif_token } };
  }

  show(call: Call): Answer {
    const { order_id, amount, pay_token } = jsonOf(call) ?? {};
    const order = this.#byToken.get(String(pay_token));
    if (!order || order.order_id !== order_id || order.amount !== amount) return error(404, 60, 'Resource not found');
    const entry = this.#kit.book.visible(order.order_id);
    // An unused page stays INITIATED. Orange reports EXPIRED only to a payer who confirms too late.
    const status = entry ? statusOf(entry) : 'INITIATED';
    return { status: 200, body: { status, order_id, txnid: txnidOf(entry, status) } };
  }

  page(call: Call): Answer {
    const order = this.#byToken.get(call.params.token ?? '');
    if (!order || this.#isClosed(order)) return closedPage(404, 'Cette page n’existe plus.');
    return payingPage('Orange Money', `${order.amount} ${order.currency}`);
  }

  /** Processes the form in which the payer enters a number and approves the payment. */
  async pay(call: Call): Promise<Answer> {
    const order = this.#byToken.get(call.params.token ?? '');
    const msisdn = typedNumber(call);
    if (!order || this.#isClosed(order)) return closedPage(404, 'Cette page n’existe plus.');
    if (!msisdn) return closedPage(422, 'Ce numéro est incorrect.');
    if (!order.used) {
      order.used = true;
      const { order_id: key, amount, currency, notif_url: callback_url, fault } = order;
      const draft = { kind: 'collect', key, amount_minor: BigInt(amount) * 100n, currency, msisdn } as const;
      await this.#kit.operations.create(
        { ...draft, of: null, callback_url, wire: {} },
        ENDINGS[outcomeOf('collect', msisdn)],
        fault,
      );
    }
    return leadsTo(order.return_url);
  }

  /**
   * Composes the callback. It contains the notif_token and not the order, and is not signed, so a forged one differs
   * only in its content.
   */
  compose(entry: Entry, { stage, forged }: CallbackContent): CallbackRequest | null {
    const order = this.#byId.get(entry.key);
    if (!order || entry.callback_url === null) return null;
    const actual = stage === 'interim' ? 'PENDING' : statusOf(entry);
    const status = forged ? (actual === 'SUCCESS' ? 'FAILED' : 'SUCCESS') : actual;
    return {
      method: 'POST',
      url: entry.callback_url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ status, notif_token: order.notif_token, txnid: txnidOf(entry, status) }),
    };
  }

  #objection(fields: Record<string, unknown>, country: string): Answer | null {
    if (CURRENCIES[country] === undefined) return error(404, 60, 'Resource not found');
    const missing = FIELDS.find((name) => fields[name] === undefined || fields[name] === '');
    if (missing) return error(400, 23, 'Missing body field');
    const long = Object.entries(MAX).some(([name, most]) => String(fields[name]).length > most);
    const amount = fields.amount;
    if (long || !Number.isSafeInteger(amount) || Number(amount) <= 0) return error(400, 24, 'Invalid body field');
    if (fields.currency !== CURRENCIES[country]) return error(400, 24, 'Invalid body field');
    if (fields.merchant_key !== this.#merchant_key) return error(403, 50, 'Access denied');
    return this.#byId.has(String(fields.order_id)) ? error(400, 24, 'Order already exists') : null;
  }

  #isClosed({ used, made_at }: Order): boolean {
    return !used && this.#kit.options.now() - made_at > PAGE_LIVES_MS;
  }
}

function statusOf({ state, word }: Entry): string {
  return state === 'pending' ? 'PENDING' : state === 'succeeded' ? 'SUCCESS' : String(word);
}

/** Returns the transaction number, which is empty until the order is paid. */
function txnidOf(entry: Entry | undefined, status: string): string {
  return entry && status === 'SUCCESS' ? `MP261121.1200.A${entry.ref.slice(-5)}` : '';
}
