import type { Actor } from '../../tenants/audit/actor.ts';
import type { Config } from '../../platform/config/config.ts';
import { type FieldErrors, invalid } from '../../kit/errors.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Minor } from '../../kit/money.ts';
import { type Channel, channelById, checkAmount, countryFault } from '../../providers/reference/channels.ts';
import { parsePhone } from '../../providers/reference/phones.ts';
import { withFee } from '../../providers/routing/limits.ts';
import type { Prompter } from '../attempts/schema.ts';
import type { ChargeBody, PaymentRow } from '../payments/schema.ts';
import { totalOn, trancheOf } from './tranches.ts';

/** Payment instrument: a channel and the payer's number or account on it. */
export interface Instrument {
  channel: Channel;
  /** E.164 number, account number or card token; null when the provider asks for it on its own page. */
  payer: string | null;
  /** The saved payment method that the number belongs to; left out when it was typed. */
  method_id?: string | undefined;
  /** The payer asks that the number be saved after a successful payment. */
  remember?: boolean | undefined;
}

/** An {@link Instrument} that fits the payment's currency and amount. */
export interface Charge extends Instrument {
  currency: string;
  /** Amount that this charge would collect now; decides which providers can take it. The final amount is fixed under the lock. */
  tranche_minor: Minor;
  /** All that is left to collect, in tranches or as a whole. */
  left_minor: Minor;
  /** The fee that the payer bears; null when there is none. */
  borne_minor: Minor | null;
  /** The largest tranche that the provider accounts take, where it is below that of the channel. */
  max_minor?: Minor;
  client_ip: string | null;
  /** The actor that requests the charge, for the audit log. */
  by: Actor;
  /** Who causes the prompt on the payer's phone; null when no person does. */
  prompted_by: Prompter | null;
  /** Further data for fraud screening; left out, the charge is not screened. */
  screened?: {
    email: string | null;
    customer_id: string | null;
    /** Amount of the whole payment; null when part of it is already paid. */
    amount_minor: Minor | null;
  };
}

type PayerData = NonNullable<ChargeBody['data']>;

/**
 * Reads channel and payer from a request body; needs no payment.
 * @throws Problem 422 naming `channel`, `data.phone` or `data.account_number`
 */
export function readInstrument(environment: Environment, body: Pick<ChargeBody, 'channel' | 'data'>): Instrument {
  const channel = channelById(body.channel);
  if (!channel) throw invalid({ channel: ['is not a channel: GET /channels lists them'] }, 'channel_not_supported');
  const errors: FieldErrors = {};
  const payer = readPayer(environment, channel, body.data ?? {}, errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return { channel, payer };
}

/**
 * Validates what the schema of a charge cannot express. The body may not fit the schema. An unknown channel has no errors here:
 * {@link readInstrument} reports it.
 * @returns errors by field
 */
export function checkCharge({ channel: id, data = {} }: ChargeBody, environment: Environment): FieldErrors {
  const errors: FieldErrors = {};
  const channel = typeof id === 'string' ? channelById(id) : undefined;
  if (!channel || !isObject(data)) return errors;
  readPayer(environment, channel, textsIn(data), errors);
  // The number may be given as either. The schema reports an account number that is no text.
  if (data.phone === undefined && data.account_number !== undefined && typeof data.account_number !== 'string') return {};
  return errors;
}

/**
 * Rejects a charge whose data names another country than that of its channel. It is called for a charge that is to be made, after
 * the look for an earlier one of the same key: releases before took such a charge, and its payer may be about to pay.
 * @throws Problem 422 naming `data.country`
 */
export function refuseCountry({ channel }: Instrument, country: string | undefined): void {
  const objection = countryFault(channel, country);
  if (objection) throw invalid({ 'data.country': [objection] });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the fields that are texts. The schema reports the others. */
function textsIn(data: PayerData): PayerData {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => typeof value === 'string'));
}

/**
 * Returns the payer's number or account on a channel; null when the provider asks for it on its own page.
 * @param errors receives the errors; the result is not valid when there are any
 */
function readPayer(environment: Environment, channel: Channel, data: PayerData, errors: FieldErrors): string | null {
  switch (channel.kind) {
    case 'mobile_money':
      return readPhone(channel, data.phone ?? data.account_number, errors);
    case 'bank':
      if (!data.account_number && environment === 'sandbox') {
        errors['data.account_number'] = ['is required: its last six digits choose the sandbox outcome'];
      }
      return data.account_number ?? null;
    case 'card':
      return null;
  }
}

function readPhone(channel: Channel, text: string | undefined, errors: FieldErrors): string | null {
  const phone = text ? parsePhone(text, channel.country) : null;
  if (!phone) errors['data.phone'] = [text ? `is not a phone number of ${channel.country}` : 'is required for mobile money'];
  return phone?.e164 ?? null;
}

/** Returns the amounts of a charge on the channel, in hundredths: the next tranche, all that is left, and the fee that the payer bears. */
export function sumsOf(
  config: Pick<Config, 'fees'>,
  payment: PaymentRow,
  channel: Channel,
): Pick<Charge, 'tranche_minor' | 'left_minor' | 'borne_minor'> {
  const total_minor = totalOn(config.fees, payment, channel.kind);
  return {
    tranche_minor: trancheOf(config, payment, channel),
    left_minor: total_minor - payment.captured_minor,
    borne_minor: total_minor === payment.amount_minor ? null : total_minor - payment.amount_minor,
  };
}

/**
 * Returns the charge of a payment with an instrument.
 * @throws Problem 422 naming `channel` (wrong currency) or `amount` (the channel cannot move it)
 */
export function fitCharge(
  config: Pick<Config, 'fees'>,
  payment: PaymentRow,
  instrument: Instrument,
  from: Pick<Charge, 'client_ip' | 'by' | 'prompted_by'>,
): Charge {
  const { channel } = instrument;
  const currencies: readonly string[] = channel.currencies;
  if (!currencies.includes(payment.currency)) {
    throw invalid({ channel: [`does not take ${payment.currency}`] }, 'channel_not_supported');
  }
  const sums = sumsOf(config, payment, channel);
  const problem = checkAmount(channel, payment.currency, sums.left_minor);
  if (problem) throw invalid({ amount: [withFee(problem, payment.currency, sums.borne_minor)] });
  const { email, customer_id, status, amount_minor } = payment;
  const screened = { email, customer_id, amount_minor: status === 'partial' ? null : amount_minor };
  return { ...instrument, currency: payment.currency, ...sums, ...from, screened };
}
