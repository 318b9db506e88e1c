import { compactPhone } from '../../core/customers/phone.ts';
import { blockedCustomer, customerProblem } from '../../core/customers/payer.ts';
import { findOrCreate } from '../../core/customers/find-or-create.ts';
import type { CustomerRow } from '../../core/customers/schema.ts';
import { getCustomer } from '../../core/customers/service.ts';
import { recordEvents } from '../../money/webhooks/record-store.ts';
import { type FieldErrors, invalid } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { JsonObject } from '../../kit/json.ts';
import { checkMetadata } from '../../kit/metadata.ts';
import { minorFromWire, wireFromMinor } from '../../kit/money.ts';
import type { Tx } from '../../kit/sql.ts';
import { validatorOf } from '../../tenants/api/validation.ts';
import { ENVIRONMENT, eventOf } from './apply.ts';
import { checkItems, itemsOf, termFaults, totalOf } from './items.ts';
import { type ChangeInvoiceBody, type CreateInvoiceBody, type InvoiceRow, type ItemBody, pricedBody } from './schema.ts';
import { insertInvoice } from './store.ts';

/** The originator of a request, and its time. */
export interface InvoiceRequest {
  team_id: bigint;
  key_id: string;
  request_id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Throws to prevent the change of the invoice as it is under its lock. Absent: any state is accepted. */
  verify?(before: InvoiceRow): void;
}

/**
 * Creates a draft and records `invoice.created`.
 * @throws Problem 404 unknown customer, 422
 */
export async function createInvoice(tx: Tx, request: InvoiceRequest, body: CreateInvoiceBody): Promise<InvoiceRow> {
  const { team_id, key_id, request_id, at } = request;
  const now = new Date(at);
  const row: InvoiceRow = {
    ...{ team_id, key_id, request_id },
    id: newId('inv', ENVIRONMENT, at),
    number: null,
    status: 'draft',
    paid_minor: 0n,
    refunded_minor: 0n,
    ...termsOf({ items: body.items, currency: body.currency, allow_partial: false }, body, at),
    ...(await recipientOf(tx, request, body)),
    url: null,
    payment_id: null,
    overdue_at: null,
    sent_at: null,
    mailed_at: null,
    viewed_at: null,
    paid_at: null,
    cancelled_at: null,
    event_count: 1,
    created_at: now,
    updated_at: now,
  };
  await insertInvoice(tx, row);
  await recordEvents(tx, ENVIRONMENT, at, [eventOf(row, 'invoice.created')]);
  return row;
}

/**
 * Returns the fields of a draft after a change.
 * @throws Problem 404 unknown customer, 422
 */
export async function changedDraft(
  tx: Tx,
  request: InvoiceRequest,
  row: InvoiceRow,
  body: ChangeInvoiceBody,
): Promise<Partial<InvoiceRow>> {
  const { due_date, notes, reference, locale, metadata } = row;
  const min_amount = row.least_minor === null ? null : wireFromMinor(row.least_minor);
  const before = { items: bodiesOf(row), currency: row.currency, allow_partial: row.allow_partial, min_amount };
  const terms = termsOf({ ...before, due_date, notes, reference, locale, metadata }, body, request.at);
  const renamed = body.customer_id !== undefined || body.customer !== undefined;
  return { ...terms, ...(renamed ? await recipientOf(tx, request, body) : {}) };
}

/** Returns the items in the format of the request. */
function bodiesOf({ items }: InvoiceRow): ItemBody[] {
  return items.map(({ name, description, quantity, unit_price_minor }) => {
    return { name, description, quantity, unit_price: wireFromMinor(BigInt(unit_price_minor)) };
  });
}

type Terms = Pick<
  InvoiceRow,
  | 'items'
  | 'currency'
  | 'amount_minor'
  | 'allow_partial'
  | 'least_minor'
  | 'due_date'
  | 'notes'
  | 'reference'
  | 'locale'
  | 'metadata'
>;

/**
 * Returns the terms of an invoice: the fields of `change` override those of `before`.
 * @throws Problem 422
 */
function termsOf(
  before: Omit<CreateInvoiceBody, 'currency'> & { currency: string },
  change: ChangeInvoiceBody,
  at: number,
): Terms {
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const body = { ...before, ...(sent as ChangeInvoiceBody) } as typeof before;
  const { currency, due_date = null, notes = null, reference = null, locale = null, allow_partial = false } = body;
  const items = itemsOf(body.items, currency);
  const amount_minor = totalOf(items);
  // Without partial payments there is no minimum, so a stored one is dropped.
  const wanted = allow_partial ? body.min_amount : change.min_amount;
  const least_minor = wanted == null ? null : minorFromWire(wanted);
  const errors = termFaults({ amount_minor, currency, allow_partial, least_minor });
  if (change.due_date != null && change.due_date < dayOf(at)) errors.due_date = ['must not be in the past'];
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const metadata = (body.metadata ?? null) as JsonObject | null;
  return { items, currency, amount_minor, allow_partial, least_minor, due_date, notes, reference, locale, metadata };
}

/** Returns the UTC day, YYYY-MM-DD, as in due dates. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/**
 * Returns the customer and the recipient. Contact details in the request take precedence over those of the profile.
 * @throws Problem 404 unknown customer, 422 blocked customer
 */
async function recipientOf(
  tx: Tx,
  { team_id, at }: InvoiceRequest,
  { customer_id, customer: typed = {} }: Pick<ChangeInvoiceBody, 'customer_id' | 'customer'>,
): Promise<Pick<InvoiceRow, 'customer_id' | 'name' | 'email' | 'phone'>> {
  const found = await (customer_id === undefined
    ? findOrCreate(tx, { environment: ENVIRONMENT, at }, team_id, typed)
    : named(tx, team_id, customer_id));
  if (found.blocked_at !== null) throw blockedCustomer();
  return {
    customer_id: found.id,
    name: typed.name ?? found.name,
    email: typed.email ?? found.email,
    phone: typed.phone ?? found.phone,
  };
}

async function named(tx: Tx, team_id: bigint, id: string): Promise<CustomerRow> {
  const objection = await customerProblem({ environment: ENVIRONMENT, db: tx }, team_id, id);
  if (objection) throw objection;
  return getCustomer(tx, ENVIRONMENT, { team_id, id });
}

const priced = validatorOf(pricedBody, undefined);

/**
 * Validates what the schema of a new invoice cannot check, but for the due date: it is compared with the time, so a replay must come
 * first. The body may not match the schema.
 */
export function checkCreate(body: CreateInvoiceBody): FieldErrors {
  const errors = { ...checkTerms(body), ...checkChange(body) };
  if (body.customer_id === undefined && body.customer === undefined) {
    for (const field of ['customer_id', 'customer']) errors[field] = ['one of customer_id and customer is required'];
  }
  return errors;
}

/** Validates the total and the minimum partial payment of a new invoice. */
function checkTerms({ items, currency, allow_partial = false, min_amount }: CreateInvoiceBody): FieldErrors {
  if (typeof currency !== 'string') return {};
  const faults = { ...priced.body({ items, currency }), ...checkItems(items) };
  const amount_minor = Object.keys(faults).length === 0 ? totalOf(itemsOf(items, currency)) : null;
  // Whether the minimum is allowed, and a total above the largest amount, is not known from what is no boolean.
  if (typeof allow_partial !== 'boolean') return termFaults({ amount_minor, currency, allow_partial: true, least_minor: null });
  const least_minor = typeof min_amount === 'number' ? minorFromWire(min_amount) : null;
  return termFaults({ amount_minor, currency, allow_partial, least_minor });
}

/** Validates what the schema of a change cannot check. The body may not match the schema. */
export function checkChange(body: ChangeInvoiceBody): FieldErrors {
  const errors = checkItems(body.items);
  if (typeof body.min_amount === 'number' && minorFromWire(body.min_amount) === null) {
    errors.min_amount = ['must have at most two decimals'];
  }
  const objection = typeof body.metadata === 'object' && body.metadata ? checkMetadata(body.metadata) : null;
  if (objection) errors.metadata = [objection];
  return { ...errors, ...checkCustomer(body) };
}

function checkCustomer({ customer_id, customer }: ChangeInvoiceBody): FieldErrors {
  if (typeof customer !== 'object' || customer === null) return {};
  if (customer_id !== undefined) return { customer: ['cannot be used together with customer_id'] };
  if (typeof customer.phone === 'string' && compactPhone(customer.phone) === null)
    return { 'customer.phone': ['must be a phone number'] };
  if (customer.email !== undefined || customer.phone !== undefined) return {};
  const message = 'one of email and phone is required';
  return { 'customer.email': [message], 'customer.phone': [message] };
}
