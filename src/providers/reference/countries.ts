import type { Currency } from '../../kit/money.ts';

export interface Country {
  /** ISO 3166-1 alpha-2. */
  code: string;
  name: string;
  /** ITU country code, without the plus. */
  calling_code: string;
  /** The trunk prefix, dialled before a number inside the country. It is not part of the number. */
  trunk: '0' | '';
  /**
   * Number of digits of a mobile number after the calling code, required of numbers entered for a channel of this
   * country.
   */
  mobile_digits: number;
  /** The currencies of its channels; the first is the default. */
  currencies: readonly Currency[];
}

function country(
  code: string,
  name: string,
  calling_code: string,
  trunk: '0' | '',
  mobile_digits: number,
  ...currencies: Currency[]
): Country {
  return { code, name, calling_code, trunk, mobile_digits, currencies };
}

/**
 * Countries with at least one channel: first those with mobile money, then those that add a card and a bank channel
 * for ZAR, MAD, EGP, USD, EUR and GBP. Names: ISO 3166. Trunk digits and lengths: libphonenumber's plans and example
 * mobile numbers (test/reference/phones.test.ts compares the two).
 */
export const COUNTRIES: readonly Country[] = [
  country('CM', 'Cameroon', '237', '', 9, 'XAF'),
  country('CI', 'Côte d’Ivoire', '225', '', 10, 'XOF'),
  country('SN', 'Senegal', '221', '', 9, 'XOF'),
  country('BJ', 'Benin', '229', '', 10, 'XOF'),
  country('BF', 'Burkina Faso', '226', '', 8, 'XOF'),
  country('ML', 'Mali', '223', '', 8, 'XOF'),
  country('TG', 'Togo', '228', '', 8, 'XOF'),
  country('GA', 'Gabon', '241', '', 8, 'XAF'),
  country('CG', 'Congo', '242', '', 9, 'XAF'),
  country('TD', 'Chad', '235', '', 8, 'XAF'),
  country('CF', 'Central African Republic', '236', '', 8, 'XAF'),
  country('GN', 'Guinea', '224', '', 9, 'GNF'),
  country('CD', 'Democratic Republic of the Congo', '243', '0', 9, 'CDF', 'USD'),
  country('GH', 'Ghana', '233', '0', 9, 'GHS'),
  country('NG', 'Nigeria', '234', '0', 10, 'NGN'),
  country('KE', 'Kenya', '254', '0', 9, 'KES'),
  country('UG', 'Uganda', '256', '0', 9, 'UGX'),
  country('TZ', 'Tanzania', '255', '0', 9, 'TZS'),
  country('RW', 'Rwanda', '250', '0', 9, 'RWF'),
  country('ZM', 'Zambia', '260', '0', 9, 'ZMW'),
  country('ZA', 'South Africa', '27', '0', 9, 'ZAR'),
  country('MA', 'Morocco', '212', '0', 9, 'MAD'),
  country('EG', 'Egypt', '20', '0', 10, 'EGP'),
  country('US', 'United States', '1', '', 10, 'USD'),
  country('FR', 'France', '33', '0', 9, 'EUR'),
  country('GB', 'United Kingdom', '44', '0', 10, 'GBP'),
];

const byCode = new Map(COUNTRIES.map((entry) => [entry.code, entry]));

/**
 * Returns a country, or undefined if it is not supported.
 * @param code ISO 3166-1 alpha-2, in either case
 */
export function countryByCode(code: string): Country | undefined {
  return byCode.get(code.toUpperCase());
}
