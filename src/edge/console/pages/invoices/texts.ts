import type { InvoiceStatus } from '../../../invoices/states.ts';
import type { Texts } from '../../language.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';

/** What an action has done, or is called. */
type Verb = 'create' | 'update' | 'send' | 'remind' | 'cancel' | 'delete';

type Name =
  | 'title'
  | 'none'
  | 'noneText'
  | 'noneFound'
  | 'noneFoundText'
  | 'search'
  | 'searchHelp'
  | 'anyStatus'
  | 'status'
  | 'from'
  | 'to'
  | 'number'
  | 'draft'
  | 'amount'
  | 'customer'
  | 'due'
  | 'created'
  | 'new'
  | 'edit'
  | 'name'
  | 'email'
  | 'phone'
  | 'customerHelp'
  | 'lines'
  | 'line'
  | 'description'
  | 'quantity'
  | 'price'
  | 'addLine'
  | 'linesHelp'
  | 'currency'
  | 'terms'
  | 'dueHelp'
  | 'reference'
  | 'referenceHelp'
  | 'notes'
  | 'notesHelp'
  | 'partial'
  | 'partialLabel'
  | 'least'
  | 'leastHelp'
  | 'locale'
  | 'localeDefault'
  | 'localeHelp'
  | 'save'
  | 'keep'
  | 'total'
  | 'paid'
  | 'refunded'
  | 'left'
  | 'details'
  | 'sent'
  | 'viewed'
  | 'paidAt'
  | 'cancelledAt'
  | 'page'
  | 'payments'
  | 'latest'
  | 'allPayments'
  | 'noMail';

export type InvoiceTexts = Record<Name, string> & {
  statuses: Record<InvoiceStatus, string>;
  /** Names of the fields of a line, for screen readers. */
  ofLine(field: string, n: number): string;
  leastOf(amount: string): string;
  actions: Record<'send' | 'remind' | 'cancel' | 'cancelWhy' | 'delete' | 'deleteWhy' | 'sendTo' | 'sendNoMail', string>;
  done: Record<Verb, string>;
  faults: Record<'amount' | 'quantity', string>;
};

export const INVOICE_TEXTS: Texts<InvoiceTexts> = { en: ENGLISH, fr: FRENCH };
