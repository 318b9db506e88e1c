/**
 * Returns a phone number in the format by which customers are looked up: a plus and digits, or digits alone without a
 * country code. The country of a national number is unknown until a channel is chosen, so `650000000` and `+237650000000`
 * are different numbers.
 * @returns null when the text has no digit, or only the zeros before a country code
 */
export function compactPhone(text: string): string | null {
  const dialled = text.replace(/\D/g, '');
  const international = /^\D*\+/.test(text) || dialled.startsWith('00');
  const digits = international ? dialled.replace(/^0+/, '') : dialled;
  if (digits === '') return null;
  return international ? `+${digits}` : digits;
}
