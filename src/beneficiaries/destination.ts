import { type FieldErrors, invalid } from '../kit/errors.ts';
import type { ChannelKind } from '../providers/contract.ts';
import { type Channel, channelById } from '../reference/channels.ts';
import { parsePhone } from '../reference/phones.ts';

/** Kinds of channels that pay out. */
export type PayeeKind = Exclude<ChannelKind, 'card'>;

/** A channel that pays out. */
export type PayoutChannel = Channel & { kind: PayeeKind };

/** The number or account on a channel, in the form that providers take. */
export interface Destination {
  /** E.164. */
  phone: string | null;
  account_number: string | null;
}

export interface DestinationFields {
  phone?: string | null | undefined;
  account_number?: string | null | undefined;
  country?: string | null | undefined;
}

/**
 * Without the channel nothing else can be judged, so it is asked for first.
 * @param path the field to name
 * @throws Problem 422 for an unknown channel, or one that money can not be paid out to
 */
export function payoutChannel(id: string, path: string): PayoutChannel {
  const channel = channelById(id);
  if (!channel) throw invalid({ [path]: ['is not a channel: GET /channels lists them'] }, 'channel_not_supported');
  if (!paysOut(channel)) throw invalid({ [path]: ['can not be paid out to'] }, 'channel_not_supported');
  return channel;
}

function paysOut(channel: Channel): channel is PayoutChannel {
  return channel.kind !== 'card';
}

/**
 * Reads who is paid on the channel. Mobile money also takes its number as `account_number`, as many APIs call it.
 * @param prefix stands before the field names in `errors`, such as `beneficiary.`
 * @param errors takes what is wrong; the result means nothing then
 */
export function readDestination(
  channel: PayoutChannel,
  fields: DestinationFields,
  prefix: string,
  errors: FieldErrors,
): Destination {
  if (fields.country && fields.country.toUpperCase() !== channel.country) {
    errors[`${prefix}country`] = [`is not the country of ${channel.id}`];
  }
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
