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
import { type ApiError, declined } from '../errors.ts';
import { carriedOut } from '../lost-answer.ts';
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
    const charge = () => this.#call('chargePayment', { path: { id }, body }, options);
    return carriedOut(charge, (rejection) => this.#declineBehind(rejection, id, options));
  }

  /** The payment as it is now: proof of what happened, unlike the payer's return to your callback. */
  async retrieve(id: string, options?: CallOptions): Promise<Payment> {
    return (await this.#call('retrievePayment', { path: { id } }, options)).transaction;
  }

  /** Cancels a payment that is still pending. */
  cancel(id: string, options?: CallOptions): Promise<Payment> {
    return carriedOut(
      async () => (await this.#call('cancelPayment', { path: { id } }, options)).transaction,
      async () => {
        const payment = await this.retrieve(id, options);
        return payment.status === 'cancelled' ? payment : null;
      },
    );
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

  /** The decline whose 402 was lost: the payment it ended rejects the next try as being in the wrong state. */
  async #declineBehind(rejection: ApiError, id: string, options: CallOptions = {}): Promise<null> {
    const payment = await this.retrieve(id, options);
    if (payment.status === 'failed') throw declined(payment, rejection);
    return null;
  }
}
