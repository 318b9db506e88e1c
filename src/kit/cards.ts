import { GROUPINGS, isIssued, MAX_CARD_DIGITS, MIN_CARD_DIGITS } from './card-table.ts';
import { withoutMadeNames } from './made-names.ts';
import { asciiDigit } from './unicode.ts';

/**
 * Which numbers count as card numbers. `issued`: numbers within an issuer's ranges, so that a merchant's own references are
 * accepted. `any`: any number with the first digits of a card, for bodies that carry payers' data.
 */
export type CardRule = 'issued' | 'any';

/** Runs of digit groups, with separators between two groups (spaces, dashes, dots, invisible characters). */
const DIGIT_GROUPS = /\d+(?:[\s\p{Cc}\p{Pd}\u200b\u2212\u2800._/·•-]{1,7}\d+)*/gu;

/** Combining marks, which are not part of the digit they modify. NFKC turns the two halfwidth sound marks into marks. */
const MARKS = /[\p{M}\uff9e\uff9f]+/gu;
/** Invisible characters. They may join or separate two digits, so both readings are checked. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;
const JOINT = '\u200b';

/**
 * Returns whether the text contains a card number: a single run or a customary grouping of digits, within an issuer's ranges
 * (see {@link CardRule}), with a valid check digit.
 */
export function holdsCard(text: string, rule: CardRule = 'issued'): boolean {
  if (countsDigits(text) < MIN_CARD_DIGITS) return false;
  return (withoutMadeNames(asSeen(text)).match(DIGIT_GROUPS) ?? []).some((run) => isCardIn(run, rule));
}

/** Returns the text with every card number replaced by `[redacted]`. */
export function blotCards(text: string): string {
  if (!holdsCard(text)) return text;
  return asSeen(text).replace(DIGIT_GROUPS, (run) => (isCardIn(run, 'issued') ? '[redacted]' : run));
}

function countsDigits(text: string): number {
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code >= 48 && code <= 57) || code > 127) digits++;
  }
  return digits;
}

/**
 * Converts full-width, Arabic and all other decimal digits to ASCII, because people read them as digits. Marks are removed
 * before NFKC, so normalisation has none to sort and runs in linear time.
 */
function asSeen(text: string): string {
  if (!/[^\u0020-\u007e]/.test(text)) return text;
  const plain = text.replace(MARKS, '').replace(UNSEEN, JOINT).normalize('NFKC');
  return plain.replace(MARKS, '').replace(/(?!\d)\p{Nd}/gu, asciiDigit);
}

function isCardIn(run: string, rule: CardRule): boolean {
  if (!run.includes(JOINT)) return isCardAmong(groupsOf(run), rule);
  return isCardAmong(groupsOf(run.replaceAll(JOINT, '')), rule) || isCardAmong(groupsOf(run), rule);
}

function groupsOf(run: string): string[] {
  return run.split(/\D+/);
}

/** Checks every sequence of adjacent groups, so that an expiry date before or after the number does not conceal it. */
function isCardAmong(groups: readonly string[], rule: CardRule): boolean {
  const isCard = (digits: string) => isCardNumber(digits, rule);
  for (let at = 0; at < groups.length; at++) {
    const group = groups[at] as string;
    if (isCard(group)) return true;
    if (GROUPINGS.some((sizes) => isGrouped(groups, at, sizes) && isCard(joined(groups, at, sizes.length)))) return true;
    if (group.length !== 1) continue;
    const from = at;
    while (groups[at + 1]?.length === 1) at++;
    if (isCardAtEnd(joined(groups, from, at + 1 - from), isCard)) return true;
  }
  return false;
}

/**
 * Checks digits that were written one by one: a card number at the start or at the end of the run, because an expiry date may
 * be written in the same way before or after it.
 */
function isCardAtEnd(digits: string, isCard: (digits: string) => boolean): boolean {
  for (let length = MIN_CARD_DIGITS; length <= Math.min(MAX_CARD_DIGITS, digits.length); length++) {
    if (isCard(digits.slice(0, length)) || isCard(digits.slice(-length))) return true;
  }
  return false;
}

function isGrouped(groups: readonly string[], from: number, sizes: readonly number[]): boolean {
  return sizes.every((size, index) => groups[from + index]?.length === size);
}

function joined(groups: readonly string[], from: number, count: number): string {
  return groups.slice(from, from + count).join('');
}

/** References that start with a date (20261121033348…) pass the Luhn check one time in ten. No card scheme issues 20xx. */
const DATED = /^20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])/;

function isCardNumber(digits: string, rule: CardRule): boolean {
  if (digits.length < MIN_CARD_DIGITS || digits.length > MAX_CARD_DIGITS) return false;
  const begins = isIssued(digits) || (rule === 'any' && /^([2-6]|81|82|9792)/.test(digits) && !DATED.test(digits));
  return begins && passesLuhn(digits);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    sum += i % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}
