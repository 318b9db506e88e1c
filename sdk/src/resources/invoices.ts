import type { Call } from '../call.ts';
import type { ListInvoicesQuery } from '../generated/operations.ts';
import type { CreateInvoiceBody, Invoice, UpdateInvoiceBody } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { type Deleted, deleted } from '../lost-answer.ts';
import { List } from '../pages.ts';

/** Invoices to customers. They exist in live only. */
export class Invoices {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Creates a draft, which is not visible to the customer before it is sent. */
  async create(body: CreateInvoiceBody, options?: CreateOptions): Promise<Invoice> {
    return (await this.#call('createInvoice', { body }, options)).invoice;
  }

  /** Returns the invoice in its current state. */
  async retrieve(id: string, options?: CallOptions): Promise<Invoice> {
    return (await this.#call('retrieveInvoice', { path: { id } }, options)).invoice;
  }

  /** Changes the given fields. Once the invoice was sent, only `metadata` can change. */
  async update(id: string, body: UpdateInvoiceBody, options?: CallOptions): Promise<Invoice> {
    return (await this.#call('updateInvoice', { path: { id }, body }, options)).invoice;
  }

  /** Deletes a draft. */
  delete(id: string, options?: CallOptions): Promise<Deleted> {
    return deleted(id, async () => (await this.#call('deleteInvoice', { path: { id } }, options)).invoice);
  }

  /** Mails the invoice to its customer. Sending it again is a reminder. */
  async send(id: string, options?: CreateOptions): Promise<Invoice> {
    return (await this.#call('sendInvoice', { path: { id } }, options)).invoice;
  }

  /** Cancels the invoice: it can no longer be paid. Paid amounts remain. */
  async cancel(id: string, options?: CreateOptions): Promise<Invoice> {
    return (await this.#call('cancelInvoice', { path: { id } }, options)).invoice;
  }

  /** Returns invoices, newest first. */
  list(query: ListInvoicesQuery = {}, options?: CallOptions): List<Invoice> {
    return new List((paging) => this.#call('listInvoices', { query: { ...query, ...paging } }, options), query);
  }
}
