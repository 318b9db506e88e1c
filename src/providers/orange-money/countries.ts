import type { Offer } from '../contract.ts';

/** Where Web Payment is activated and we have a channel, with the currency there. Left out: Madagascar. */
const CURRENCIES: Readonly<Record<string, string>> = {
  ...{ cm: 'XAF', ci: 'XOF', sn: 'XOF', ml: 'XOF', bf: 'XOF', gn: 'GNF', cd: 'CDF' },
};

/** Orange's sandbox: it plays any country, in a currency of its own. */
export const SANDBOX = 'dev';
const SANDBOX_CURRENCY = 'OUV';

/** What the account's country may be. */
export const COUNTRIES: readonly string[] = [...Object.keys(CURRENCIES), SANDBOX];

/** What an account of this country takes: pages for its wallets, in whole units. */
export function offersOf(country: string): Offer[] {
  const served = country === SANDBOX ? Object.keys(CURRENCIES) : [country];
  return served.flatMap((code) => {
    const currency = CURRENCIES[code];
    if (currency === undefined) return [];
    return [{ channel: `${code}.orange`, currency, operations: ['collect'], min_minor: null, max_minor: null, step_minor: 100n }];
  });
}

/** The currency as Orange is told. */
export function wireCurrency(country: string, currency: string): string {
  return country === SANDBOX ? SANDBOX_CURRENCY : currency;
}
