/**
 * UUIDs, and hexadecimal hashes and ids of the usual lengths. The short ones must contain a letter; otherwise they are
 * numbers.
 */
const HEXADECIMAL =
  /(?<![\da-z])(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?=\d*[a-f])(?:[\da-f]{16}|[\da-f]{20})|[\da-f]{24}|[\da-f]{32}|[\da-f]{40}|[\da-f]{48}|[\da-f]{56}|[\da-f]{64}|[\da-f]{96}|[\da-f]{128})(?![\da-z])/gi;

/** IBANs as banks print them: country code, two check digits, groups of four. */
const IBAN = /(?<![\da-z])[a-z]{2}\d{2}(?:[ -]?[\da-z]{4}){2,7}(?:[ -]?[\da-z]{1,4})?(?![\da-z])/gi;

/**
 * Removes machine-generated identifiers and IBANs with valid check digits. Card numbers are not written in these forms, but one
 * identifier in a thousand contains digits that would pass as a card number.
 */
export function withoutMadeNames(text: string): string {
  return text.replace(HEXADECIMAL, 'x').replace(IBAN, (found) => (isIban(found) ? 'x' : found));
}

/**
 * ISO 13616: with the first four characters moved to the end and letters converted to two digits, the number is 1 modulo 97.
 */
function isIban(text: string): boolean {
  const plain = text.replace(/[ -]/g, '');
  const digits = [...plain.slice(4), ...plain.slice(0, 4)].map((character) => Number.parseInt(character, 36)).join('');
  return BigInt(digits) % 97n === 1n;
}
