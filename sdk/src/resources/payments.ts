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

/** Payments: incoming money. */
export class Payments {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Creates a pending payment. Send the payer to `authorization_url`. The outcome is reported by webhook and by `retrieve`.
   */
  create(body: CreatePaymentBody, options?: CreateOptions & AccountOptions): Promise<CreatePaymentReply> {
    return this.#call('createPayment', { body }, options);
  }

  /**
   * Charges a pending payment without the hosted page. `action` is the payer's next step.
   * @throws PaymentDeclinedError with the `payer_message` when the payer was not charged
   */
  charge(id: string, body: ChargePaymentBody, options?: CreateOptions): Promise<ChargePaymentReply> {
    const charge = () => this.#call('chargePayment', { path: { id }, body }, options);
    return carriedOut(charge, (rejection) => this.#declineBehind(rejection, id, options));
  }

  /** Returns the payment in its current state. It proves the outcome; the payer's return to your callback does not. */
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

  /** Returns payments of the team, newest first. */
  list(query: ListPaymentsQuery = {}, options?: CallOptions): List<ListedPayment> {
    return new List((paging) => this.#call('listPayments', { query: { ...query, ...paging } }, options), query);
  }

  /** Returns the refunds of one payment. */
  refunds(id: string, query: ListPaymentRefundsQuery = {}, options?: CallOptions): List<Refund> {
    return new List(
      (paging) => this.#call('listPaymentRefunds', { path: { id }, query: { ...query, ...paging } }, options),
      query,
    );
  }

  /**
   * Handles a decline whose 402 was lost: the payment has failed, so the next attempt is rejected as being in the wrong
   * state.
   * @throws PaymentDeclinedError when the payment has failed
   */
  async #declineBehind(rejection: ApiError, id: string, options: CallOptions = {}): Promise<null> {
    const payment = await this.retrieve(id, options);
    if (payment.status === 'failed') throw declined(payment, rejection);
    return null;
  }
}
