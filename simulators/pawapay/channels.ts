/** One operator as served by pawaPay. */
export interface Operator {
  /** pawaPay's name: `MTN_MOMO_CMR`. */
  provider: string;
  /** ISO 3166-1 alpha-3. */
  country: string;
  currencies: readonly string[];
  auth: 'PROVIDER_AUTH' | 'PREAUTH' | 'REDIRECT_AUTH';
  max: number;
}

export interface Market {
  /** ISO 3166-1 alpha-3. */
  country: string;
  prefix: string;
  /** Lengths of a number after the prefix. The second is an older form that test numbers still have. */
  digits: readonly number[];
  currencies: readonly string[];
  providers: readonly string[];
  /** First digits of test numbers. Their last three digits select the result. */
  stem?: string;
}

/** Markets and their operators (docs.pawapay.io/v2/docs/providers and /test_numbers). */
const MARKETS: readonly Market[] = [
  market('BEN', '229', [10, 8], 'XOF', 'MTN_MOMO_BEN MOOV_BEN', '22951345'),
  market('BFA', '226', [8], 'XOF', 'MOOV_BFA ORANGE_BFA', '22602345'),
  market('CMR', '237', [9], 'XAF', 'MTN_MOMO_CMR ORANGE_CMR', '237653456'),
  market('CIV', '225', [10], 'XOF', 'MTN_MOMO_CIV ORANGE_CIV WAVE_CIV', '2250503456'),
  market('COD', '243', [9], 'CDF USD', 'VODACOM_MPESA_COD AIRTEL_COD ORANGE_COD', '243813456'),
  market('COG', '242', [9], 'XAF', 'MTN_MOMO_COG AIRTEL_COG', '242063456'),
  market('GAB', '241', [8], 'XAF', 'AIRTEL_GAB'),
  market('GHA', '233', [9], 'GHS', 'MTN_MOMO_GHA AIRTELTIGO_GHA VODAFONE_GHA'),
  market('KEN', '254', [9], 'KES', 'MPESA_KEN'),
  market('NGA', '234', [10], 'NGN', 'AIRTEL_NGA MTN_MOMO_NGA'),
  market('RWA', '250', [9], 'RWF', 'MTN_MOMO_RWA AIRTEL_RWA', '250783456'),
  market('SEN', '221', [9], 'XOF', 'ORANGE_SEN FREE_SEN WAVE_SEN'),
  market('TZA', '255', [9], 'TZS', 'AIRTEL_TZA VODACOM_TZA TIGO_TZA HALOTEL_TZA'),
  market('UGA', '256', [9], 'UGX', 'MTN_MOMO_UGA AIRTEL_OAPI_UGA'),
  market('ZMB', '260', [9], 'ZMW', 'MTN_MOMO_ZMB AIRTEL_OAPI_ZMB ZAMTEL_ZMB', '260763456'),
];

function market(
  country: string,
  prefix: string,
  digits: readonly number[],
  currencies: string,
  providers: string,
  stem?: string,
): Market {
  const lists = { currencies: currencies.split(' '), providers: providers.split(' ') };
  return { country, prefix, digits, ...lists, ...(stem ? { stem } : {}) };
}

export const MIN_AMOUNT = 1;
const CEILINGS: Record<string, number> = { CMR: 500_000, SEN: 1_500_000, RWA: 2_000_000 };

const OPERATORS = new Map(
  MARKETS.flatMap(({ country, currencies, providers }) =>
    providers.map((provider): [string, Operator] => [
      provider,
      { provider, country, currencies, auth: authOf(provider), max: CEILINGS[country] ?? 5_000_000 },
    ]),
  ),
);

function authOf(provider: string): Operator['auth'] {
  if (provider.startsWith('WAVE_')) return 'REDIRECT_AUTH';
  return provider === 'ORANGE_BFA' ? 'PREAUTH' : 'PROVIDER_AUTH';
}

/** Returns the operator with pawaPay's name, or undefined. */
export function operatorOf(provider: unknown): Operator | undefined {
  return OPERATORS.get(String(provider));
}

/** Returns all markets. */
export function markets(): readonly Market[] {
  return MARKETS;
}

/** Returns the market of a country (ISO 3166-1 alpha-3), or undefined. */
export function marketOf(country: string): Market | undefined {
  return MARKETS.find((one) => one.country === country);
}

/** Returns the market with numbers of this form, or undefined. */
export function marketOfNumber(msisdn: string): Market | undefined {
  return MARKETS.find(
    ({ prefix, digits }) => /^\d+$/.test(msisdn) && msisdn.startsWith(prefix) && digits.includes(msisdn.length - prefix.length),
  );
}

/**
 * Returns whether an operator accepts whole units only: for some currencies, and M-Pesa of the DRC (Providers,
 * decimals in amount).
 */
export function isWhole({ provider }: Pick<Operator, 'provider'>, currency: string): boolean {
  return provider === 'VODACOM_MPESA_COD' || ['XAF', 'XOF', 'UGX', 'RWF'].includes(currency);
}
