import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../platform/config/read.ts';
import { isScope, SCOPES, type Scope } from '../../tenants/keys/scopes.ts';
import { isAddressOrRange } from '../../kit/address-list.ts';
import { startOfUtcDay } from '../../kit/days.ts';
import { emailAddressOf } from '../../kit/email.ts';
import { commandClock } from './command-clock.ts';
import { CURRENCIES, isCurrency } from '../../kit/money.ts';
import type { Costs } from '../../providers/provider-accounts/schema.ts';
import { postalAddressOf, taxIdOf, teamNameOf } from '../../tenants/teams/service.ts';

/*
 * Parsers of option values. Each returns the value or throws the message that the command line prints after
 * "option '--x' argument 'y' is invalid."
 */

const MAX_ID = 2n ** 63n - 1n;

/** Parses a file or folder, relative to the folder of the caller (INIT_CWD): the launcher runs the program in the project's folder. */
export function filePath(text: string): string {
  return path.resolve(process.env.INIT_CWD ?? '', text);
}

/** Parses a file as {@link filePath}, or `-` for standard input. */
export function fileOrInput(text: string): string {
  return text === '-' ? text : filePath(text);
}

/** Parses the id of a team. */
export function teamId(text: string): bigint {
  if (/^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= MAX_ID) return BigInt(text);
  throw new InvalidArgumentError('The id of a team is a number: "pirogue teams list" shows them.');
}

/** Parses the name of a team. */
export function teamName(text: string): string {
  const name = teamNameOf(text);
  if (name !== null) return name;
  throw new InvalidArgumentError('A name has 1 to 200 characters and no control characters.');
}

/** Parses a postal address of at most 500 characters in up to eight lines. An empty one removes it. */
export function postalAddress(text: string): string {
  const address = postalAddressOf(text);
  if (address !== null) return address;
  throw new InvalidArgumentError('An address has at most 500 characters and 8 lines, and no control characters.');
}

/** Parses a tax identification number as its country writes it. An empty one removes it. */
export function taxId(text: string): string {
  const id = taxIdOf(text);
  if (id !== null) return id;
  throw new InvalidArgumentError('A tax id has at most 64 characters, and no control characters.');
}

/** Parses an e-mail address. */
export function emailAddress(text: string): string {
  const email = emailAddressOf(text);
  if (email !== null) return email;
  throw new InvalidArgumentError('Use an e-mail address such as owner@shop.example.');
}

/** Parses a currency code, in upper or lower case. */
export function currencyCode(text: string): string {
  const code = text.toUpperCase();
  if (isCurrency(code)) return code;
  throw new InvalidArgumentError(`Use one of ${CURRENCIES.join(', ')}.`);
}

/** Parses the name by which routing rules refer to a provider account. */
export function accountName(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,39}$/.test(text)) return text;
  throw new InvalidArgumentError('Use small letters, digits and hyphens, at most 40.');
}

/** Parses the evidence of a manual decision, which has a minimum length. */
export function evidence(text: string): string {
  const said = text.trim();
  if (said.length >= 10 && said.length <= 2_000 && !/\p{Cc}/u.test(said.replaceAll(/\s/g, ' '))) return said;
  throw new InvalidArgumentError('Give the evidence in 10 to 2,000 characters: which statement, which line, which call.');
}

/** Parses the number of a refund part. A refund has at most as many parts as its payment had tranches. */
export function partNumber(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Parts are numbered from 1.');
}

/** Parses the name of a person. */
export function person(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= 100 && !/\p{Cc}/u.test(name)) return name;
  throw new InvalidArgumentError('A name has 1 to 100 characters.');
}

/** Parses costs such as `mobile_money=1.5%+10,payout=1%`: a percentage and a fixed part in major units. */
export function costList(text: string): Costs {
  const costs: Costs = {};
  for (const item of items(text)) {
    const match = /^(mobile_money|bank|card|payout)=(\d{1,2}(?:\.\d{1,2})?)%(?:\+(\d{1,9}(?:\.\d{1,2})?))?$/.exec(item);
    if (!match)
      throw new InvalidArgumentError(`${item} is not a cost: write mobile_money=1.5%+10; bank, card and payout likewise.`);
    const hundredths = (number: string | undefined) => Math.round(Number(number ?? 0) * 100);
    costs[match[1] as keyof Costs] = { percent_hundredths: hundredths(match[2]), fixed_minor: hundredths(match[3]) };
  }
  return costs;
}

/** Parses a verification level. */
export function level(text: string): number {
  if (/^[0-4]$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use 0 (unverified), 1, 2, 3 or 4.');
}

/** Parses a number of rows, from 1. */
export function count(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use an integer from 1 to 999999.');
}

/** Parses scopes, separated by commas. */
export function scopeList(text: string): Scope[] {
  const names = items(text);
  const wrong = names.filter((name) => !isScope(name));
  if (names.length > 0 && wrong.length === 0) return names.filter(isScope);
  const complaint = wrong.length > 0 ? `${wrong.join(', ')}: unknown scope.` : 'The list of scopes is empty.';
  throw new InvalidArgumentError(`${complaint} Use some of ${SCOPES.join(', ')}.`);
}

/** Parses IP addresses and ranges, separated by commas. */
export function addressList(text: string): string[] {
  const entries = items(text);
  const wrong = entries.filter((entry) => !isAddressOrRange(entry) || entry.includes('%'));
  if (entries.length > 0 && wrong.length === 0) return entries;
  const complaint = wrong.length > 0 ? `${wrong.join(', ')}: not an address or range.` : 'The list of addresses is empty.';
  throw new InvalidArgumentError(
    `${complaint} Use addresses or ranges such as 203.0.113.7 or 2001:db8::/32, separated by commas.`,
  );
}

/** Parses `2027-01-31` (its first moment in UTC) or `2027-01-31T12:00:00Z`. A time requires a time zone. */
export function futureMoment(text: string): Date {
  const at = new Date(isCalendarMoment(text) ? text : Number.NaN);
  if (Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError('Use a date (2027-01-31) or a moment with its zone (2027-01-31T12:00:00Z, …+01:00).');
  }
  if (at.getTime() <= commandClock.now()) throw new InvalidArgumentError('The moment is in the past.');
  return at;
}

/** Returns whether the text is a valid date or time. Date.parse alone accepts 30 February as 2 March. */
function isCalendarMoment(text: string): boolean {
  const parts = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  return startOfUtcDay(parts?.[1] ?? '') !== null;
}

/** Parses the page size of an API list. */
export function pageSize(text: string): number {
  if (/^([1-9]\d?|100)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use an integer from 1 to 100.');
}

const MAX_SPAN_MS = 366 * 86_400_000;

/** Parses `90s`, `30m`, `25h` or `2d` into milliseconds. */
export function span(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms > 0 && ms <= MAX_SPAN_MS) return ms;
  throw new InvalidArgumentError('Use a number with its unit, at most a year: 90s, 30m, 25h, 2d.');
}

/** Returns the parts between commas, without duplicates. */
function items(text: string): string[] {
  return [
    ...new Set(
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),
  ];
}
