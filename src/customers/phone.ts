/**
 * A phone number as customers are found by: a plus and digits, or digits alone when no country was told. Which country
 * a national number belongs to is not known before a channel is chosen, so `650000000` and `+237650000000` stay two.
 * @returns null when there is not one digit in it
 */
export function compactPhone(text: string): string | null {
  const digits = text.replace(/\D/g, '');
  if (digits === '') return null;
  const international = /^\D*\+/.test(text) || digits.startsWith('00');
  return international ? `+${digits.replace(/^0+/, '')}` : digits;
}
