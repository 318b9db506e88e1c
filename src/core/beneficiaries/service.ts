import { recordEvents } from '../../money/webhooks/record-store.ts';
import type { Environment } from '../../kit/environment.ts';
import { type FieldErrors, invalid, notFound } from '../../kit/errors.ts';
import { isId, newId } from '../../kit/ids.ts';
import type { JsonObject } from '../../kit/json.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { checkFreeObjects } from '../../kit/metadata.ts';
import {
  checkDestination,
  type Destination,
  type PayoutChannel,
  knownPayoutChannel,
  payoutChannel,
  readDestination,
} from './destination.ts';
import { presentBeneficiary } from './present.ts';
import type { BeneficiaryRow, ChangeBeneficiaryBody, CreateBeneficiaryBody, ReplaceBeneficiaryBody } from './schema.ts';
import {
  type BeneficiaryRef,
  deleteBeneficiary,
  findBeneficiary,
  holdBeneficiary,
  insertBeneficiary,
  lockBeneficiary,
  updateBeneficiary,
} from './store.ts';

/** Environment and time of a change of beneficiaries. */
export interface BeneficiaryContext {
  environment: Environment;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * Validates what the schema of a change cannot express. The body may not fit the schema.
 * @returns errors by field
 */
export function checkChange({ metadata }: ChangeBeneficiaryBody): FieldErrors {
  return checkFreeObjects({ metadata });
}

/** Validates a new beneficiary, like {@link checkChange}. An unknown channel is reported when it is created. */
export function checkCreate(body: CreateBeneficiaryBody): FieldErrors {
  const errors = { ...checkChange(body), ...checkDestination(body) };
  const channel = knownPayoutChannel(body.channel);
  const { currency } = body;
  if (channel && currency !== undefined && !channel.currencies.some((code) => code === currency)) {
    errors.currency = [`is not a currency of ${channel.id}`];
  }
  return errors;
}

/**
 * Creates a beneficiary and records `beneficiary.created`.
 * @throws Problem 422
 */
export async function createBeneficiary(
  tx: Tx,
  context: BeneficiaryContext,
  team_id: bigint,
  body: CreateBeneficiaryBody,
): Promise<BeneficiaryRow> {
  const channel = payoutChannel(body.channel, 'channel');
  const errors: FieldErrors = {};
  const destination = readDestination(channel, body, '', errors);
  refuse(errors);
  const now = new Date(context.at);
  const row: BeneficiaryRow = {
    team_id,
    id: newId('ben', context.environment, context.at),
    channel: channel.id,
    type: channel.kind,
    country: channel.country,
    currency: body.currency ?? (channel.currencies[0] as string),
    ...fieldsOf(body),
    ...destination,
    event_count: 1,
    created_at: now,
    updated_at: now,
  };
  await insertBeneficiary(tx, row);
  await announce(tx, context, row, 'beneficiary.created');
  return row;
}

/**
 * Returns a beneficiary.
 * @throws Problem 404, the same for an unknown id, another team's and another environment's
 */
export async function getBeneficiary(db: Queryable, environment: Environment, ref: BeneficiaryRef): Promise<BeneficiaryRow> {
  return known(isId('ben', environment, ref.id) ? await findBeneficiary(db, ref) : undefined);
}

/** Returns a beneficiary like {@link getBeneficiary}. Until the caller's transaction ends, it is neither changed nor deleted. */
export async function keepBeneficiary(tx: Tx, environment: Environment, ref: BeneficiaryRef): Promise<BeneficiaryRow> {
  return known(isId('ben', environment, ref.id) ? await holdBeneficiary(tx, ref) : undefined);
}

function known(row: BeneficiaryRow | undefined): BeneficiaryRow {
  if (!row) throw notFound('Beneficiary');
  return row;
}

/**
 * PATCH: absent fields keep their value.
 * @param verify throws to prevent the change of the beneficiary as it is under its lock
 * @throws Problem 404, 422
 */
export function changeBeneficiary(
  tx: Tx,
  context: BeneficiaryContext,
  ref: BeneficiaryRef,
  body: ChangeBeneficiaryBody,
  verify: (before: BeneficiaryRow) => void = () => undefined,
): Promise<BeneficiaryRow> {
  return write(tx, context, ref, body, (before) => {
    verify(before);
    return { ...before, ...given(body) };
  });
}

/**
 * PUT: absent fields are reset to their default.
 * @throws Problem 404, 422
 */
export function replaceBeneficiary(
  tx: Tx,
  context: BeneficiaryContext,
  ref: BeneficiaryRef,
  body: ReplaceBeneficiaryBody,
): Promise<BeneficiaryRow> {
  const { phone = null, account_number = null } = body;
  return write(tx, context, ref, body, (row) => ({ ...row, ...fieldsOf(body), phone, account_number }));
}

/**
 * Deletes a beneficiary. Transfers to it remain.
 * @throws Problem 404
 */
export async function removeBeneficiary(tx: Tx, context: BeneficiaryContext, ref: BeneficiaryRef): Promise<BeneficiaryRow> {
  const before = await locked(tx, context.environment, ref);
  const row = { ...before, event_count: before.event_count + 1 };
  await deleteBeneficiary(tx, ref);
  await announce(tx, context, row, 'beneficiary.deleted');
  return row;
}

async function write(
  tx: Tx,
  context: BeneficiaryContext,
  ref: BeneficiaryRef,
  body: ChangeBeneficiaryBody,
  change: (row: BeneficiaryRow) => BeneficiaryRow,
): Promise<BeneficiaryRow> {
  const before = await locked(tx, context.environment, ref);
  const wanted = change(before);
  const errors = moved(before, body);
  const destination = destinationOf(payoutChannel(before.channel, 'channel'), wanted, body, errors);
  refuse(errors);
  const row = { ...wanted, ...destination, event_count: before.event_count + 1, updated_at: new Date(context.at) };
  await updateBeneficiary(tx, row);
  await announce(tx, context, row, 'beneficiary.updated');
  return row;
}

/**
 * Returns the new destination. In a PATCH of a mobile money beneficiary, `account_number` replaces the stored phone number.
 */
function destinationOf(
  channel: PayoutChannel,
  wanted: BeneficiaryRow,
  body: ChangeBeneficiaryBody,
  errors: FieldErrors,
): Destination {
  const renamed = channel.kind === 'mobile_money' && body.phone === undefined && body.account_number;
  return readDestination(channel, { ...wanted, ...(renamed ? { phone: null } : {}) }, '', errors);
}

/**
 * Errors for a change of channel, country or currency. Existing transfers refer to the beneficiary, so its destination cannot
 * move: the merchant creates a new beneficiary instead.
 */
function moved(row: BeneficiaryRow, body: ChangeBeneficiaryBody): FieldErrors {
  const wanted = { channel: body.channel, country: body.country?.toUpperCase(), currency: body.currency };
  const changed = Object.entries(wanted).filter(
    ([field, value]) => value !== undefined && value !== row[field as keyof typeof wanted],
  );
  return Object.fromEntries(changed.map(([field]) => [field, ['cannot be changed: make a new beneficiary']]));
}

function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

async function locked(tx: Tx, environment: Environment, ref: BeneficiaryRef): Promise<BeneficiaryRow> {
  const row = isId('ben', environment, ref.id) ? await lockBeneficiary(tx, ref) : undefined;
  if (!row) throw notFound('Beneficiary');
  return row;
}

/** Fields that can change, other than the phone and account number. */
function fieldsOf(body: ReplaceBeneficiaryBody) {
  const { name, email = null, bank_code = null, description = null, reference = null, metadata = null } = body;
  return { name, email, bank_code, description, reference, metadata: metadata as JsonObject | null };
}

/** Returns the fields that were sent. null is a value. */
function given(body: ChangeBeneficiaryBody): Partial<BeneficiaryRow> {
  const { name, phone, account_number, email, bank_code, description, reference, metadata } = body;
  const fields = { name, phone, account_number, email, bank_code, description, reference, metadata };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

async function announce(
  tx: Tx,
  { environment, at }: BeneficiaryContext,
  row: BeneficiaryRow,
  type: `beneficiary.${'created' | 'updated' | 'deleted'}`,
): Promise<void> {
  await recordEvents(tx, environment, at, [
    {
      team_id: row.team_id,
      type,
      resource_id: row.id,
      sequence: row.event_count,
      data: presentBeneficiary(environment, row),
    },
  ]);
}
