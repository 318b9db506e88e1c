import type { Call } from '../call.ts';
import type { ListPaymentRefundsQuery, ListPaymentsQuery } from '../generated/operations.ts';
import type {
  ChargePaymentBody,
  ChargePaymentReply,
  CreatePaymentBody,
  CreatePaymentReply,
  ListedPayment,
  Payment,
  Refund,
} from '../generated/types.ts';
import type { AccountOptions, CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';

/** Payments: money that comes in. */
export class Payments {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Makes a pending payment. Send the payer to `authorization_url`; the outcome comes by webhook, or by `retrieve`. */
  create(body: CreatePaymentBody, options?: CreateOptions & AccountOptions): Promise<CreatePaymentReply> {
    return this.#call('createPayment', { body }, options);
  }

  /**
   * Charges a pending payment without the hosted page. `action` is what the payer has to do.
   * @throws PaymentDeclinedError with the `payer_message` when the payer's money did not move
   */
  charge(id: string, body: ChargePaymentBody, options?: CreateOptions): Promise<ChargePaymentReply> {
    return this.#call('chargePayment', { path: { id }, body }, options);
  }

  /** The payment as it is now: proof of what happened, unlike the payer's return to your callback. */
  async retrieve(id: string, options?: CallOptions): Promise<Payment> {
    return (await this.#call('retrievePayment', { path: { id } }, options)).transaction;
  }

  /** Cancels a payment that is still pending. */
  async cancel(id: string, options?: CallOptions): Promise<Payment> {
    return (await this.#call('cancelPayment', { path: { id } }, options)).transaction;
  }

  /** Payments of the team, newest first. */
  list(query: ListPaymentsQuery = {}, options?: CallOptions): List<ListedPayment> {
    return new List((paging) => this.#call('listPayments', { query: { ...query, ...paging } }, options), query);
  }

  /** Refunds of one payment. */
  refunds(id: string, query: ListPaymentRefundsQuery = {}, options?: CallOptions): List<Refund> {
    return new List(
      (paging) => this.#call('listPaymentRefunds', { path: { id }, query: { ...query, ...paging } }, options),
      query,
    );
  }
}
