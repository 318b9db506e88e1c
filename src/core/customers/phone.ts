/**
 * Returns a phone number in the format by which customers are looked up: a plus and digits, or digits alone without a
 * country code. The country of a national number is unknown until a channel is chosen, so `650000000` and `+237650000000`
 * are different numbers.
 * @returns null when the text has no digit
 */
export function compactPhone(text: string): string | null {
  const digits = text.replace(/\D/g, '');
  if (digits === '') return null;
  const international = /^\D*\+/.test(text) || digits.startsWith('00');
  return international ? `+${digits.replace(/^0+/, '')}` : digits;
}
