/** Digits in groups, as people write card numbers: up to three separators (spaces, dashes, dots, …) between two groups. */
const DIGIT_GROUPS = /\d+(?:[\s\p{Pd}\p{Cf}._/-]{1,3}\d+)*/gu;
const FEWEST = 13;
const MOST = 19;
/** People write card numbers in groups of four to six; a longer group is a number of its own. */
const LONGEST_GROUP = 8;

/**
 * Names that programs give (UUIDs, and hashes and ids in hexadecimal of the usual lengths): nobody writes a card number so, and one in
 * a thousand holds digits that would pass for one.
 */
const MADE_NAME =
  /(?<![\da-z])(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{24}|[\da-f]{32}|[\da-f]{40}|[\da-f]{64})(?![\da-z])/gi;

/** Whether the text holds 13 to 19 digits, in one run or in groups, that start as cards do and pass the Luhn check. */
export function holdsCard(text: string): boolean {
  if (countsDigits(text) < FEWEST) return false;
  return (asciiDigits(text).replace(MADE_NAME, 'x').match(DIGIT_GROUPS) ?? []).some(isCardIn);
}

/** The text with every card number in it blotted out. */
export function blotCards(text: string): string {
  if (!holdsCard(text)) return text;
  return asciiDigits(text).replace(DIGIT_GROUPS, (run) => (isCardIn(run) ? '[redacted]' : run));
}

function countsDigits(text: string): number {
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code >= 48 && code <= 57) || code > 127) digits++;
  }
  return digits;
}

/** Full-width, Arabic and all other decimal digits are digits to a person, so they are to us. */
function asciiDigits(text: string): string {
  if (!/[^\u0020-\u007e]/.test(text)) return text;
  return text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** Every script's digits stand in a row from zero to nine. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) as number;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}

/** Looks at every row of neighbouring groups, so that an expiry date behind the number, or another before it, hides nothing. */
function isCardIn(run: string): boolean {
  const groups = run.split(/\D+/).filter((group) => group !== '');
  return groups.some((group, start) => isCardNumber(group) || isCardFrom(groups, start));
}

/** At most 19 groups are looked at from each start, so the time grows with the text and no faster. */
function isCardFrom(groups: readonly string[], start: number): boolean {
  if (!/^[2-689]/.test(groups[start] as string)) return false;
  let digits = '';
  for (let i = start; i < groups.length; i++) {
    const group = groups[i] as string;
    digits += group;
    if (group.length > LONGEST_GROUP || digits.length > MOST) return false;
    if (isCardNumber(digits)) return true;
  }
  return false;
}

/** References made from the clock (20261121033348…) pass the check sum one time in ten; no card scheme issues 20xx. */
const DATED = /^20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])/;

function isCardNumber(digits: string): boolean {
  const fits = digits.length >= FEWEST && digits.length <= MOST && /^([2-6]|81|82|9792)/.test(digits);
  return fits && !DATED.test(digits) && passesLuhn(digits);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    sum += i % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}
