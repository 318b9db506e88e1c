import type { Channel } from '../reference/channels.ts';
import { countryByCode } from '../reference/countries.ts';
import { detectChannel, parsePhone } from '../reference/phones.ts';

/** What a typed number says of itself, among the channels that can take the payment. */
export type Guess =
  /** One operator's number. */
  | { kind: 'found'; channel: Channel }
  /** A number of one or more of the countries, but not of exactly one operator. */
  | { kind: 'unclear'; countries: string[] }
  /** No number of any of the countries. */
  | { kind: 'none' };

/**
 * The operator by the longest known prefix. A national number can be one of several countries (70 00 00 00 is Moov's in
 * Burkina Faso and TMoney's in Togo): then nothing is guessed, or a stranger's phone would ring.
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
 * What the page's script needs to guess as the payer types: calling code, trunk digit, digits of a number and what older
 * numbers lack in front (Benin's, since 30 November 2024).
 */
export function numbersOf({ country }: Channel): string {
  const plan = countryByCode(country);
  if (!plan) return '';
  return [plan.calling_code, plan.trunk, plan.mobile_digits, country === 'BJ' ? '01' : ''].join();
}
