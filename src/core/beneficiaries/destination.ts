import { type FieldErrors, invalid } from '../../kit/errors.ts';
import type { ChannelKind } from '../../kit/channel-kind.ts';
import { type Channel, channelById, countryFault } from '../../providers/reference/channels.ts';
import { parsePhone } from '../../providers/reference/phones.ts';

/** Kinds of channels that support payouts. */
export type PayeeKind = Exclude<ChannelKind, 'card'>;

/** A channel that supports payouts. */
export type PayoutChannel = Channel & { kind: PayeeKind };

/** The phone or account number on a channel, in the format that providers accept. */
export interface Destination {
  /** In E.164 format. */
  phone: string | null;
  account_number: string | null;
}

export interface DestinationFields {
  phone?: string | null | undefined;
  account_number?: string | null | undefined;
  country?: string | null | undefined;
}

/**
 * Returns the payout channel. It is checked first, because all other fields depend on it.
 * @param path name of the field in `errors`
 * @throws Problem 422 for an unknown channel, or one without payouts
 */
export function payoutChannel(id: string, path: string): PayoutChannel {
  const channel = channelById(id);
  if (!channel) throw invalid({ [path]: ['is not a channel: GET /channels lists them'] }, 'channel_not_supported');
  if (!paysOut(channel)) throw invalid({ [path]: ['cannot be paid out to'] }, 'channel_not_supported');
  return channel;
}

/** Returns the payout channel; undefined for anything else, which {@link payoutChannel} reports. */
export function knownPayoutChannel(id: unknown): PayoutChannel | undefined {
  const channel = typeof id === 'string' ? channelById(id) : undefined;
  return channel && paysOut(channel) ? channel : undefined;
}

function paysOut(channel: Channel): channel is PayoutChannel {
  return channel.kind !== 'card';
}

/**
 * Validates channel and destination of a body that may not fit its schema. An unknown channel has no errors here: {@link payoutChannel}
 * reports it.
 * @returns errors by field
 */
export function checkDestination(body: DestinationFields & { channel: string }): FieldErrors {
  const errors: FieldErrors = {};
  const channel = knownPayoutChannel(body.channel);
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const { phone, account_number, country } = body;
  const fields = { phone: text(phone), account_number: text(account_number), country: text(country) };
  if (channel) readDestination(channel, fields, '', errors);
  return errors;
}

/**
 * Reads the destination on a channel. Mobile money also accepts its number as `account_number`, the name in many APIs.
 * @param prefix prefix of the field names in `errors`, such as `beneficiary.`
 * @param errors receives the errors; the result is not valid when there are any
 */
export function readDestination(
  channel: PayoutChannel,
  fields: DestinationFields,
  prefix: string,
  errors: FieldErrors,
): Destination {
  const objection = countryFault(channel, fields.country);
  if (objection) errors[`${prefix}country`] = [objection];
  const read = channel.kind === 'mobile_money' ? readWallet : readBank;
  return read(channel, fields, prefix, errors);
}

function readWallet(channel: PayoutChannel, fields: DestinationFields, prefix: string, errors: FieldErrors): Destination {
  const field = !fields.phone && fields.account_number ? 'account_number' : 'phone';
  const phone = readPhone(channel, fields[field], `${prefix}${field}`, errors);
  if (!fields[field]) errors[`${prefix}phone`] = ['is required for mobile money'];
  return { phone, account_number: null };
}

function readBank(channel: PayoutChannel, fields: DestinationFields, prefix: string, errors: FieldErrors): Destination {
  const account_number = fields.account_number?.replace(/[\s.-]/g, '') ?? '';
  // The longest national and international account numbers (IBAN) have 34 characters.
  if (!/^[A-Za-z0-9]{4,34}$/.test(account_number)) {
    errors[`${prefix}account_number`] = [fields.account_number ? 'must be 4 to 34 letters and digits' : 'is required for banks'];
  }
  return { phone: readPhone(channel, fields.phone, `${prefix}phone`, errors), account_number };
}

function readPhone(channel: PayoutChannel, text: string | null | undefined, path: string, errors: FieldErrors): string | null {
  if (!text) return null;
  const phone = parsePhone(text, channel.country);
  if (!phone) errors[path] = [`is not a phone number of ${channel.country}`];
  return phone?.e164 ?? null;
}
