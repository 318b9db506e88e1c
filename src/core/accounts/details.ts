import {
  type Destination,
  knownPayoutChannel,
  type PayoutChannel,
  payoutChannel,
  readDestination,
} from '../beneficiaries/destination.ts';
import { type FieldErrors, invalid } from '../../kit/errors.ts';
import type { JsonObject } from '../../kit/json.ts';
import { checkFreeObjects } from '../../kit/metadata.ts';
import { minorFromWire } from '../../kit/money.ts';
import type { Split } from '../../money/settlement/shares.ts';
import type { AccountRow, ChangeAccountBody, CreateAccountBody, Settlement } from './schema.ts';

/** Fields of an account that the merchant sets. */
export type Details = Pick<AccountRow, 'name' | 'email' | 'phone' | 'business_profile' | 'split' | 'settlement' | 'metadata'>;

const EMPTY = { phone: null, business_profile: null, split: null, settlement: null, metadata: null };

/**
 * Returns all details; absent fields get their default.
 * @throws Problem 422 for what a schema cannot check
 */
export function allDetails(body: CreateAccountBody): Details {
  return { ...EMPTY, name: body.name, email: body.email, ...sentDetails(body) };
}

/**
 * Returns the details that were sent, as columns of the row. null is a value.
 * @throws Problem 422 for what a schema cannot check
 */
export function sentDetails(body: ChangeAccountBody): Partial<Details> {
  const { name, email, phone, business_profile, metadata } = body;
  const split = body.split && { type: body.split.type, value: body.split.value };
  const settlement = body.settlement && readSettlement(body.settlement);
  const errors = checkDetails(body);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const details = {
    name,
    email,
    phone,
    split,
    settlement,
    business_profile: business_profile as JsonObject | null | undefined,
    metadata: metadata as JsonObject | null | undefined,
  };
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}

/**
 * Validates what the schema cannot express. The body may not fit the schema. An unknown channel is reported when the details are read.
 * @returns errors by field
 */
export function checkDetails({ split, settlement, business_profile, metadata }: ChangeAccountBody): FieldErrors {
  const errors = checkFreeObjects({ business_profile, metadata });
  const problem = typeof split?.value === 'number' ? splitProblem(split) : null;
  if (problem) errors['split.value'] = [problem];
  const channel = knownPayoutChannel(settlement?.channel);
  if (channel && typeof settlement?.account_number === 'string') readNumber(channel, settlement, errors);
  return errors;
}

function splitProblem({ type, value }: Split): string | null {
  if (minorFromWire(value) === null) return 'must have at most two decimals';
  return type === 'percentage' && value > 100 ? 'must be at most 100' : null;
}

function readSettlement(settlement: Settlement): Settlement {
  const channel = payoutChannel(settlement.channel, 'settlement.channel');
  const { phone, account_number } = readNumber(channel, settlement, {});
  return { channel: channel.id, account_number: phone ?? account_number ?? '' };
}

function readNumber(channel: PayoutChannel, { account_number }: Settlement, errors: FieldErrors): Destination {
  return readDestination(channel, { account_number }, 'settlement.', errors);
}
