import type { ChannelKind } from '../../../kit/channel-kind.ts';
import type { Collection } from '../contract.ts';
import type { Reason } from '../reasons.ts';
import { amountText } from '../wire/amounts.ts';
import { digitsOf } from '../wire/words.ts';
import { type Way, wayOf, wireDecimals } from './channels.ts';
import { type Meaning, reasonOf } from './map.ts';

/** Fields common to all collection orders. */
export interface Common {
  tx_ref: string;
  /** Exact: the number prints as the text it was parsed from. */
  amount: number;
  currency: string;
  redirect_url: string;
}

/** Returns the order of a collection, or null where Flutterwave does not accept its channel, currency or amount. */
export function orderOf(collection: Collection): { way: Way; common: Common } | null {
  const { channel, currency, provider_key: tx_ref, return_url: redirect_url } = collection;
  const way = wayOf(channel.id, currency);
  const amount = amountText(collection.amount_minor, wireDecimals(currency));
  return way && amount !== null ? { way, common: { tx_ref, amount: Number(amount), currency, redirect_url } } : null;
}

/** Returns the result for a collection without an order. */
export function notTaken({ channel, currency }: Collection): { kind: 'unavailable'; message: string } {
  return { kind: 'unavailable', message: `Flutterwave takes no such amount in ${currency} on ${channel.id}` };
}

/** Returns the payer's phone number. A bank customer's account number is not a phone number, so it gives null. */
export function phoneOf({ payer }: Collection): string | null {
  return payer !== null && /^\+?\d{8,15}$/.test(payer) ? digitsOf(payer) : null;
}

/** Returns the reason of a rejected order. */
export function refusalOf(meaning: Meaning, kind: ChannelKind): Reason {
  const reason = reasonOf(meaning, kind);
  return reason === 'cancelled' ? 'payer_declined' : reason;
}
