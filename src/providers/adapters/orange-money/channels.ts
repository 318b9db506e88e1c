import type { Offer } from '../contract.ts';

/** Countries where Web Payment is active and we have a channel, with their currency. Madagascar is not included. */
const CURRENCIES: Readonly<Record<string, string>> = {
  ...{ cm: 'XAF', ci: 'XOF', sn: 'XOF', ml: 'XOF', bf: 'XOF', gn: 'GNF', cd: 'CDF' },
};

/** Orange's sandbox. It simulates any country, in its own currency. */
export const SANDBOX = 'dev';
const SANDBOX_CURRENCY = 'OUV';

/** Accepted values of an account's country. */
export const COUNTRIES: readonly string[] = [...Object.keys(CURRENCIES), SANDBOX];

/** Returns the channels of an account in this country: payment pages for its Orange wallet, in whole units. */
export function offersOf(country: string): Offer[] {
  const served = country === SANDBOX ? Object.keys(CURRENCIES) : [country];
  return served.flatMap((code) => {
    const currency = CURRENCIES[code];
    if (currency === undefined) return [];
    return [{ channel: `${code}.orange`, currency, operations: ['collect'], min_minor: null, max_minor: null, step_minor: 100n }];
  });
}

/** Returns the currency code Orange expects. */
export function wireCurrency(country: string, currency: string): string {
  return country === SANDBOX ? SANDBOX_CURRENCY : currency;
}
