import type { Call } from '../call.ts';
import type { ListCustomerPaymentMethodsQuery, ListCustomerPaymentsQuery, ListCustomersQuery } from '../generated/operations.ts';
import type { CreateCustomerBody, Customer, ListedPayment, PaymentMethod } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { type Deleted, deleted } from '../lost-answer.ts';
import { List } from '../pages.ts';

/** Customers: saved payers. */
export class Customers {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Saves a customer. An e-mail address or a phone number is required. */
  async create(body: CreateCustomerBody, options?: CreateOptions): Promise<Customer> {
    return (await this.#call('createCustomer', { body }, options)).customer;
  }

  /** Returns the customer in its current state. */
  async retrieve(id: string, options?: CallOptions): Promise<Customer> {
    return (await this.#call('retrieveCustomer', { path: { id } }, options)).customer;
  }

  /** Changes the given fields. */
  async update(id: string, body: CreateCustomerBody, options?: CallOptions): Promise<Customer> {
    return (await this.#call('updateCustomer', { path: { id }, body }, options)).customer;
  }

  /** Replaces all fields. Absent fields become null. */
  async replace(id: string, body: CreateCustomerBody, options?: CallOptions): Promise<Customer> {
    return (await this.#call('replaceCustomer', { path: { id }, body }, options)).customer;
  }

  /** Erases the customer's personal data. Payments remain. It cannot be undone. */
  async erase(id: string, options?: CallOptions): Promise<Customer> {
    return (await this.#call('eraseCustomer', { path: { id } }, options)).customer;
  }

  /** Blocks the customer: new payments are rejected. */
  async block(id: string, options?: CallOptions): Promise<Customer> {
    return (await this.#call('blockCustomer', { path: { id } }, options)).customer;
  }

  /** Unblocks the customer: payments are accepted again. */
  async unblock(id: string, options?: CallOptions): Promise<Customer> {
    return (await this.#call('unblockCustomer', { path: { id } }, options)).customer;
  }

  /** Returns customers, newest first. */
  list(query: ListCustomersQuery = {}, options?: CallOptions): List<Customer> {
    return new List((paging) => this.#call('listCustomers', { query: { ...query, ...paging } }, options), query);
  }

  /** Returns the payments of one customer. */
  payments(id: string, query: ListCustomerPaymentsQuery = {}, options?: CallOptions): List<ListedPayment> {
    return new List(
      (paging) => this.#call('listCustomerPayments', { path: { id }, query: { ...query, ...paging } }, options),
      query,
    );
  }

  /** Returns the saved payment methods of one customer. */
  paymentMethods(id: string, query: ListCustomerPaymentMethodsQuery = {}, options?: CallOptions): List<PaymentMethod> {
    return new List(
      (paging) => this.#call('listCustomerPaymentMethods', { path: { id }, query: { ...query, ...paging } }, options),
      query,
    );
  }

  /** Deletes a saved payment method. */
  deletePaymentMethod(id: string, method: string, options?: CallOptions): Promise<Deleted> {
    return deleted(
      method,
      async () => (await this.#call('deletePaymentMethod', { path: { id, method } }, options)).payment_method,
    );
  }
}
