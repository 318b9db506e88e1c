import type { Call } from '../call.ts';
import type { ListCustomerPaymentMethodsQuery, ListCustomerPaymentsQuery, ListCustomersQuery } from '../generated/operations.ts';
import type { CreateCustomerBody, Customer, ListedPayment, PaymentMethod } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { type Deleted, deleted } from '../lost-answer.ts';
import { List } from '../pages.ts';

/** Customers: who pays, kept for the next time. */
export class Customers {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Keeps a customer; an e-mail address or a phone number is required. */
  async create(body: CreateCustomerBody, options?: CreateOptions): Promise<Customer> {
    return (await this.#call('createCustomer', { body }, options)).customer;
  }

  /** The customer as it is now. */
  async retrieve(id: string, options?: CallOptions): Promise<Customer> {
    return (await this.#call('retrieveCustomer', { path: { id } }, options)).customer;
  }

  /** Changes the fields given. */
  async update(id: string, body: CreateCustomerBody, options?: CallOptions): Promise<Customer> {
    return (await this.#call('updateCustomer', { path: { id }, body }, options)).customer;
  }

  /** Changes all fields; what is left out becomes null. */
  async replace(id: string, body: CreateCustomerBody, options?: CallOptions): Promise<Customer> {
    return (await this.#call('replaceCustomer', { path: { id }, body }, options)).customer;
  }

  /** Erases what identifies the person; payments stay. It can not be undone. */
  async erase(id: string, options?: CallOptions): Promise<Customer> {
    return (await this.#call('eraseCustomer', { path: { id } }, options)).customer;
  }

  /** Refuses new payments of the customer. */
  async block(id: string, options?: CallOptions): Promise<Customer> {
    return (await this.#call('blockCustomer', { path: { id } }, options)).customer;
  }

  /** Allows payments again. */
  async unblock(id: string, options?: CallOptions): Promise<Customer> {
    return (await this.#call('unblockCustomer', { path: { id } }, options)).customer;
  }

  /** Customers, newest first. */
  list(query: ListCustomersQuery = {}, options?: CallOptions): List<Customer> {
    return new List((paging) => this.#call('listCustomers', { query: { ...query, ...paging } }, options), query);
  }

  /** Payments of one customer. */
  payments(id: string, query: ListCustomerPaymentsQuery = {}, options?: CallOptions): List<ListedPayment> {
    return new List(
      (paging) => this.#call('listCustomerPayments', { path: { id }, query: { ...query, ...paging } }, options),
      query,
    );
  }

  /** Saved payment methods of one customer. */
  paymentMethods(id: string, query: ListCustomerPaymentMethodsQuery = {}, options?: CallOptions): List<PaymentMethod> {
    return new List(
      (paging) => this.#call('listCustomerPaymentMethods', { path: { id }, query: { ...query, ...paging } }, options),
      query,
    );
  }

  /** Forgets a saved payment method. */
  deletePaymentMethod(id: string, method: string, options?: CallOptions): Promise<Deleted> {
    return deleted(
      method,
      async () => (await this.#call('deletePaymentMethod', { path: { id, method } }, options)).payment_method,
    );
  }
}
