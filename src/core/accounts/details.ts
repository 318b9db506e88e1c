import { payoutChannel, readDestination } from '../beneficiaries/destination.ts';
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
  const errors: FieldErrors = {};
  const split = body.split && readSplit(body.split, errors);
  const settlement = body.settlement && readSettlement(body.settlement, errors);
  Object.assign(errors, checkFreeObjects({ business_profile, metadata }));
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

function readSplit({ type, value }: Split, errors: FieldErrors): Split {
  if (minorFromWire(value) === null) errors['split.value'] = ['must have at most two decimals'];
  else if (type === 'percentage' && value > 100) errors['split.value'] = ['must be at most 100'];
  return { type, value };
}

function readSettlement(settlement: Settlement, errors: FieldErrors): Settlement {
  const channel = payoutChannel(settlement.channel, 'settlement.channel');
  const { phone, account_number } = readDestination(
    channel,
    { account_number: settlement.account_number },
    'settlement.',
    errors,
  );
  return { channel: channel.id, account_number: phone ?? account_number ?? '' };
}
