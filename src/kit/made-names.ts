/** UUIDs, and hashes and ids in hexadecimal of the usual lengths; the short ones have a letter, or they are numbers. */
const HEXADECIMAL =
  /(?<![\da-z])(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?=\d*[a-f])(?:[\da-f]{16}|[\da-f]{20})|[\da-f]{24}|[\da-f]{32}|[\da-f]{40}|[\da-f]{48}|[\da-f]{56}|[\da-f]{64}|[\da-f]{96}|[\da-f]{128})(?![\da-z])/gi;

/** Account numbers as banks print them: country, two check digits, groups of four. */
const IBAN = /(?<![\da-z])[a-z]{2}\d{2}(?:[ -]?[\da-z]{4}){2,7}(?:[ -]?[\da-z]{1,4})?(?![\da-z])/gi;

/**
 * The text without names that programs give and account numbers whose check digits fit: nobody writes a card number so, and
 * one in a thousand holds digits that would pass for one.
 */
export function withoutMadeNames(text: string): string {
  return text.replace(HEXADECIMAL, 'x').replace(IBAN, (found) => (isIban(found) ? 'x' : found));
}

/** ISO 13616: the first four characters moved behind the others, letters as two digits, gives 1 modulo 97. */
function isIban(text: string): boolean {
  const plain = text.replace(/[ -]/g, '');
  const digits = [...plain.slice(4), ...plain.slice(0, 4)].map((character) => Number.parseInt(character, 36)).join('');
  return BigInt(digits) % 97n === 1n;
}
