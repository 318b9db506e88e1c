import { InvalidArgumentError } from 'commander';
import { type Currency, type Minor, minorFromWire } from '../../../kit/money.ts';
import { channelById } from '../../../providers/reference/channels.ts';
import { COUNTRIES } from '../../../providers/reference/countries.ts';
import type { Weight } from '../../../providers/routing/schema.ts';
import { accountName, currencyCode } from '../values.ts';

/* Parsers of the options of `pirogue rules`, as in ../values.ts. */

const MAX_WEIGHT = 1_000_000;

/** Parses country codes. @throws InvalidArgumentError */
export function countryList(text: string): string[] {
  return listOf(text, 'country', (item) => {
    const code = item.toUpperCase();
    if (COUNTRIES.some((country) => country.code === code)) return code;
    throw new InvalidArgumentError(`${item}: unknown country. Use some of ${COUNTRIES.map((one) => one.code).join(', ')}.`);
  });
}

/** Parses a channel id. @throws InvalidArgumentError */
export function channel(text: string): string {
  const id = text.trim().toLowerCase();
  if (channelById(id)) return id;
  throw new InvalidArgumentError(`${text}: unknown channel. GET /channels lists them, such as cm.mtn.`);
}

/** Parses channel ids. @throws InvalidArgumentError */
export function channelList(text: string): string[] {
  return listOf(text, 'channel', channel);
}

/** Parses currency codes. @throws InvalidArgumentError */
export function currencyList(text: string): Currency[] {
  return listOf(text, 'currency', currencyCode) as Currency[];
}

/** Parses names of provider accounts. @throws InvalidArgumentError */
export function nameList(text: string): string[] {
  return listOf(text, 'account', accountName);
}

/**
 * Parses shares such as `kora=70,hub2=30`.
 * @throws InvalidArgumentError
 */
export function shareList(text: string): Weight[] {
  const shares = listOf(text, 'account', (item) => item).map((item) => {
    const [, name, weight] = /^([^=]+)=([1-9]\d{0,6})$/.exec(item) ?? [];
    if (name === undefined || Number(weight) > MAX_WEIGHT) {
      throw new InvalidArgumentError('Use account=weight with integer weights from 1 to 1000000, such as kora=70,hub2=30.');
    }
    return { name: accountName(name), weight: Number(weight) };
  });
  if (new Set(shares.map(({ name }) => name)).size === shares.length) return shares;
  throw new InvalidArgumentError('An account is listed twice.');
}

/** Parses an amount in major units. @returns hundredths @throws InvalidArgumentError */
export function amount(text: string): Minor {
  const minor = /^\d{1,13}(\.\d{1,2})?$/.test(text) ? minorFromWire(Number(text)) : null;
  if (minor) return minor;
  throw new InvalidArgumentError('Use major units with at most two decimals, such as 5000.');
}

/** Parses a priority; the lowest number comes first. @throws InvalidArgumentError */
export function priority(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use an integer from 0 to 999999; lower comes first.');
}

/** Returns the parts between commas, each validated, without duplicates. */
function listOf(text: string, what: string, read: (item: string) => string): string[] {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map(read);
  if (items.length > 0) return [...new Set(items)];
  throw new InvalidArgumentError(`Give at least one ${what}.`);
}
