import { recordEvents } from '../../money/webhooks/record-store.ts';
import type { Environment } from '../../kit/environment.ts';
import { type FieldErrors, invalid, notFound } from '../../kit/errors.ts';
import { isId, newId } from '../../kit/ids.ts';
import type { JsonObject } from '../../kit/json.ts';
import { checkFreeObjects } from '../../kit/metadata.ts';
import { retried } from '../../kit/retried.ts';
import { pgCode, pgConstraint, type Queryable, type Tx, UNIQUE_VIOLATION } from '../../kit/sql.ts';
import { compactPhone } from './phone.ts';
import { presentCustomer } from './present.ts';
import type { CustomerBody, CustomerRow } from './schema.ts';
import { type CustomerRef, findCustomer, findHolders, insertCustomer, lockCustomer, updateCustomer } from './store.ts';

/** Environment and time of a change of customers. */
export interface CustomerContext {
  environment: Environment;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * Creates a customer and records `customer.created`.
 * @throws Problem 422
 */
export async function createCustomer(
  tx: Tx,
  context: CustomerContext,
  team_id: bigint,
  body: CustomerBody,
): Promise<CustomerRow> {
  const now = new Date(context.at);
  const row: CustomerRow = {
    team_id,
    id: newId('cus', context.environment, context.at),
    ...fieldsOf(body),
    blocked_at: null,
    archived_at: null,
    event_count: 1,
    created_at: now,
    updated_at: now,
  };
  await check(tx, row, body);
  await insertCustomer(tx, row);
  await announce(tx, context, row, 'customer.created');
  return row;
}

/**
 * Returns a customer.
 * @throws Problem 404, the same for an unknown id, another team's and another environment's
 */
export async function getCustomer(db: Queryable, environment: Environment, ref: CustomerRef): Promise<CustomerRow> {
  const row = isId('cus', environment, ref.id) ? await findCustomer(db, ref) : undefined;
  if (!row) throw notFound('Customer');
  return row;
}

/**
 * PATCH: absent fields keep their value.
 * @throws Problem 404, 422
 */
export function changeCustomer(tx: Tx, context: CustomerContext, ref: CustomerRef, body: CustomerBody): Promise<CustomerRow> {
  return write(tx, context, ref, body, (row) => ({ ...row, ...given(body) }));
}

/**
 * PUT: absent fields become null.
 * @throws Problem 404, 422
 */
export function replaceCustomer(tx: Tx, context: CustomerContext, ref: CustomerRef, body: CustomerBody): Promise<CustomerRow> {
  return write(tx, context, ref, body, (row) => ({ ...row, ...fieldsOf(body) }));
}

/**
 * Blocks or unblocks a customer. Payments of a blocked customer are rejected. Idempotent.
 * @param verify throws to prevent the change of the customer as it is under its lock
 * @throws Problem 404
 */
export async function setBlocked(
  tx: Tx,
  context: CustomerContext,
  ref: CustomerRef,
  blocked: boolean,
  verify: (before: CustomerRow) => void = () => undefined,
): Promise<CustomerRow> {
  const before = await locked(tx, context.environment, ref);
  verify(before);
  if ((before.blocked_at !== null) === blocked) return before;
  return store(tx, context, { ...before, blocked_at: blocked ? new Date(context.at) : null });
}

/**
 * Returns the customer, locked until the transaction ends.
 * @throws Problem 404, also for an erased customer, because erasure is permanent
 */
async function locked(tx: Tx, environment: Environment, ref: CustomerRef): Promise<CustomerRow> {
  const row = isId('cus', environment, ref.id) ? await lockCustomer(tx, ref) : undefined;
  if (!row || row.archived_at !== null) throw notFound('Customer');
  return row;
}

async function write(
  tx: Tx,
  context: CustomerContext,
  ref: CustomerRef,
  body: CustomerBody,
  change: (row: CustomerRow) => CustomerRow,
): Promise<CustomerRow> {
  const wanted = change(await locked(tx, context.environment, ref));
  await check(tx, wanted, body);
  return store(tx, context, wanted);
}

async function store(tx: Tx, context: CustomerContext, wanted: CustomerRow): Promise<CustomerRow> {
  const row = { ...wanted, event_count: wanted.event_count + 1, updated_at: new Date(context.at) };
  await updateCustomer(tx, row);
  await announce(tx, context, row, 'customer.updated');
  return row;
}

/**
 * Validates what the schema of a change cannot express. The body may not fit the schema.
 * @returns errors by field
 */
export function checkChange({ phone, metadata, address, billing }: CustomerBody): FieldErrors {
  const isPhone = typeof phone !== 'string' || compactPhone(phone) !== null;
  return { ...(isPhone ? {} : { phone: ['must be a phone number'] }), ...checkFreeObjects({ metadata, address, billing }) };
}

/** Validates a body that has all fields of a customer, like {@link checkChange}. */
export function checkWhole(body: CustomerBody): FieldErrors {
  return { ...(body.email == null && body.phone == null ? UNREACHABLE : {}), ...checkChange(body) };
}

const REQUIRED = ['one of email and phone is required'];
const UNREACHABLE: FieldErrors = { email: REQUIRED, phone: REQUIRED };

/**
 * Validates the row that a body would make.
 * @throws Problem 422
 */
async function check(tx: Tx, row: CustomerRow, body: CustomerBody): Promise<void> {
  const errors = checkChange(body);
  if (!errors.phone && row.email === null && row.phone === null) Object.assign(errors, UNREACHABLE);
  if (Object.keys(errors).length === 0) Object.assign(errors, heldBy(await findHolders(tx, row)));
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

function heldBy(holders: { email?: string; phone?: string }): FieldErrors {
  return Object.fromEntries(Object.entries(holders).map(([field, id]) => [field, [`belongs to customer ${id}`]]));
}

/**
 * Handles two concurrent requests for the same address: both find it free, and the unique index lets one of them have it. The
 * other runs again, and gets the error of {@link check}, which names the customer.
 * @param work a whole transaction
 * @throws Problem 422 instead of a unique violation, and whatever the work throws
 */
export async function withFreeAddress<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await retried(2, (error) => takenAddress(error) !== null, work);
  } catch (error) {
    const field = takenAddress(error);
    if (field !== null) throw invalid({ [field]: ['belongs to another customer'] });
    throw error;
  }
}

/** Returns the field of an address that a concurrent transaction took first; null for any other error. */
export function takenAddress(error: unknown): 'email' | 'phone' | null {
  if (pgCode(error) !== UNIQUE_VIOLATION) return null;
  switch (pgConstraint(error)) {
    case 'customers_email':
      return 'email';
    case 'customers_phone':
      return 'phone';
    default:
      return null;
  }
}

function fieldsOf(body: CustomerBody) {
  const { name = null, email = null, phone, company_name = null, address, billing, tax_id = null, metadata } = body;
  return {
    name,
    email,
    phone: typeof phone === 'string' ? compactPhone(phone) : null,
    company_name,
    address: (address ?? null) as JsonObject | null,
    billing: (billing ?? null) as JsonObject | null,
    tax_id,
    metadata: (metadata ?? null) as JsonObject | null,
  };
}

/** Returns the fields that were sent. null is a value. */
function given(body: CustomerBody): Partial<CustomerRow> {
  const sent = Object.entries(fieldsOf(body)).filter(([field]) => body[field as keyof CustomerBody] !== undefined);
  return Object.fromEntries(sent);
}

/** Records the event of a change, in the transaction of the change. */
export async function announce(
  tx: Tx,
  { environment, at }: CustomerContext,
  row: CustomerRow,
  type: `customer.${'created' | 'updated' | 'deleted'}`,
): Promise<void> {
  const data = presentCustomer(environment, row);
  await recordEvents(tx, environment, at, [{ team_id: row.team_id, type, resource_id: row.id, sequence: row.event_count, data }]);
}
