import { hasCome } from '../../../kit/clock.ts';
import { decimalsOf, type Minor } from '../../../kit/money.ts';
import type { Tools } from '../connector.ts';
import { amountText } from '../wire/amounts.ts';
import { plainText } from '../wire/text.ts';
import type { Client, Product } from './client.ts';
import { type Creation, creationOf, type State, stateOf } from './codes.ts';

/** A request to pay, a transfer or a refund. MTN's API creates and returns all three in the same way. */
export interface Order {
  /** X-Reference-Id: the idempotency key and the key of status reads. */
  key: string;
  amount_minor: Minor;
  currency: string;
  /** Shown to the payer and stored with the payee. */
  description: string;
  callback_url: string;
  /** Fields of this kind of order: the payer, the payee or the reference of the refunded collection. */
  particulars: Record<string, unknown>;
}

/**
 * Maximum length of payerMessage and payeeNote. Apostrophes, accents and other marks cause a 400 or an error page of
 * MTN's firewall.
 */
const MAX_TEXT = 160;

/** Period without callbacks after MTN rejected the callback address. Otherwise every submission would cost two calls. */
const WITHOUT_CALLBACKS_MS = 600_000;

/** Creates orders and reads their status. */
export class Orders {
  readonly #client: Client;
  readonly #tools: Tools;
  #callbacks_from = 0;

  constructor(client: Client, tools: Tools) {
    this.#client = client;
    this.#tools = tools;
  }

  /**
   * Creates an order.
   * @param path of the kind of order: `/v1_0/requesttopay`
   */
  async create(product: Product, path: string, order: Order): Promise<Creation> {
    const amount = amountText(order.amount_minor, decimalsOf(order.currency) === 0 ? 0 : 2);
    if (amount === null) return notCreated(`the amount cannot be moved in ${order.currency}`);
    const send = async (callback: Record<string, string>): Promise<Creation> => {
      const headers = { 'x-reference-id': order.key, ...callback };
      return creationOf(await this.#client.call(product, { method: 'POST', path, headers, body: bodyOf(order, amount) }));
    };
    if (!hasCome(this.#callbacks_from, this.#tools.clock.now(), WITHOUT_CALLBACKS_MS)) return send({});
    const first = await send({ 'x-callback-url': order.callback_url });
    if (first.kind !== 'not_created' || first.because !== 'callback') return first;
    // Polling also finds the outcome, so a callback address unknown to MTN must not prevent a payment.
    const second = await send({});
    if (second.kind === 'created') this.#doWithoutCallbacks();
    return second;
  }

  async read(product: Product, path: string, key: string): Promise<State> {
    return stateOf(await this.#client.call(product, { method: 'GET', path: `${path}/${encodeURIComponent(key)}` }), key);
  }

  #doWithoutCallbacks(): void {
    this.#callbacks_from = this.#tools.clock.now() + WITHOUT_CALLBACKS_MS;
    this.#tools.log.warn('MTN MoMo rejects our callback address: its host must be the providerCallbackHost of the API user');
  }
}

function bodyOf({ key, currency, description, particulars }: Order, amount: string): object {
  const text = plainText(description, MAX_TEXT) || 'Payment';
  // Callbacks contain externalId and not the reference. Both are set to the same value, so that either identifies the
  // order.
  return { amount, currency, externalId: key, ...particulars, payerMessage: text, payeeNote: text };
}

function notCreated(message: string): Creation {
  return { kind: 'not_created', message, because: null };
}

/** Returns a party in MTN's format: an E.164 number as digits only, with the country code. Null when it is not a number. */
export function partyOf(number: string | null): { partyIdType: 'MSISDN'; partyId: string } | null {
  const digits = number?.replace(/^\+/, '') ?? '';
  return /^\d{8,15}$/.test(digits) ? { partyIdType: 'MSISDN', partyId: digits } : null;
}

/** MTN limits each account to ten status calls a second. A payer has five minutes to approve. */
export const POLLS = { first_ms: 5_000, factor: 1.5, max_ms: 300_000 };
