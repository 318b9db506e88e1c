import type { Channel } from '../../providers/reference/channels.ts';
import { countryByCode } from '../../providers/reference/countries.ts';
import { detectChannel, parsePhone } from '../../providers/reference/phones.ts';

/** Result of the detection of a typed number, among the channels that can take the payment. */
export type Guess =
  /** A number of exactly one operator. */
  | { kind: 'found'; channel: Channel }
  /** A number of one or more of the countries, but not of exactly one operator. */
  | { kind: 'unclear'; countries: string[] }
  /** Not a number of any of the countries. */
  | { kind: 'none' };

/**
 * Detects the operator by the longest known prefix. A national number can be valid in several countries (70 00 00 00 is
 * Moov's in Burkina Faso and TMoney's in Togo). Then nothing is guessed: the wrong person's phone could be prompted.
 */
export function guessChannel(text: string, channels: readonly Channel[]): Guess {
  const wallets = channels.filter(({ kind }) => kind === 'mobile_money');
  const numbers = [...new Set(wallets.map(({ country }) => country))].flatMap((country) => {
    const number = parsePhone(text, country);
    return number ? [{ country, channel: detectChannel(number.e164) }] : [];
  });
  if (numbers.length === 0) return { kind: 'none' };
  const [channel, another] = numbers.flatMap((number) => (number.channel ? [number.channel] : []));
  if (channel && !another && wallets.includes(channel)) return { kind: 'found', channel };
  return { kind: 'unclear', countries: numbers.map(({ country }) => country) };
}

/**
 * Returns what the page's script needs to detect the operator as the payer types: calling code, trunk digit, number of
 * digits, and the prefix that older numbers lack (Benin's, since 30 November 2024). Empty for an unknown country.
 */
export function numbersOf({ country }: Channel): string {
  const plan = countryByCode(country);
  if (!plan) return '';
  return [plan.calling_code, plan.trunk, plan.mobile_digits, country === 'BJ' ? '01' : ''].join();
}
