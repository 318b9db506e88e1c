import type { Call } from '../call.ts';
import type { ListInvoicesQuery } from '../generated/operations.ts';
import type { CreateInvoiceBody, Invoice, UpdateInvoiceBody } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { type Deleted, deleted } from '../lost-answer.ts';
import { List } from '../pages.ts';

/** Invoices: what customers are asked to pay. They exist in live only. */
export class Invoices {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Drafts an invoice: nobody sees it before it is sent. */
  async create(body: CreateInvoiceBody, options?: CreateOptions): Promise<Invoice> {
    return (await this.#call('createInvoice', { body }, options)).invoice;
  }

  /** The invoice as it is now. */
  async retrieve(id: string, options?: CallOptions): Promise<Invoice> {
    return (await this.#call('retrieveInvoice', { path: { id } }, options)).invoice;
  }

  /** Changes what is named; once it was sent, only `metadata`. */
  async update(id: string, body: UpdateInvoiceBody, options?: CallOptions): Promise<Invoice> {
    return (await this.#call('updateInvoice', { path: { id }, body }, options)).invoice;
  }

  /** Deletes a draft. */
  delete(id: string, options?: CallOptions): Promise<Deleted> {
    return deleted(id, async () => (await this.#call('deleteInvoice', { path: { id } }, options)).invoice);
  }

  /** Mails it to its customer; again is a reminder. */
  async send(id: string, options?: CreateOptions): Promise<Invoice> {
    return (await this.#call('sendInvoice', { path: { id } }, options)).invoice;
  }

  /** Asks for no money any more. What was paid stays paid. */
  async cancel(id: string, options?: CreateOptions): Promise<Invoice> {
    return (await this.#call('cancelInvoice', { path: { id } }, options)).invoice;
  }

  /** Invoices, newest first. */
  list(query: ListInvoicesQuery = {}, options?: CallOptions): List<Invoice> {
    return new List((paging) => this.#call('listInvoices', { query: { ...query, ...paging } }, options), query);
  }
}
