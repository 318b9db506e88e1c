import type { ChannelKind, Collection } from '../contract.ts';
import type { Reason } from '../reasons.ts';
import { amountText } from '../wire/amounts.ts';
import { digitsOf } from '../wire/words.ts';
import { type Way, wayOf, wireDecimals } from './channels.ts';
import { type Meaning, reasonOf } from './map.ts';

/** What every order of a collection has. */
export interface Common {
  tx_ref: string;
  /** Exact: a number prints as the text it was made of. */
  amount: number;
  currency: string;
  redirect_url: string;
}

/** How a collection is ordered; null where Flutterwave does not take its channel, currency or amount. */
export function orderOf(collection: Collection): { way: Way; common: Common } | null {
  const { channel, currency, provider_key: tx_ref, return_url: redirect_url } = collection;
  const way = wayOf(channel.id, currency);
  const amount = amountText(collection.amount_minor, wireDecimals(currency));
  return way && amount !== null ? { way, common: { tx_ref, amount: Number(amount), currency, redirect_url } } : null;
}

/** Why there is no order. */
export function notTaken({ channel, currency }: Collection): { kind: 'unavailable'; message: string } {
  return { kind: 'unavailable', message: `Flutterwave takes no such amount in ${currency} on ${channel.id}` };
}

/** A bank customer's account number is no phone number. */
export function phoneOf({ payer }: Collection): string | null {
  return payer !== null && /^\+?\d{8,15}$/.test(payer) ? digitsOf(payer) : null;
}

/** Why an order was refused. */
export function refusalOf(meaning: Meaning, kind: ChannelKind): Reason {
  const reason = reasonOf(meaning, kind);
  return reason === 'cancelled' ? 'payer_declined' : reason;
}
