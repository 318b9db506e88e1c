/**
 * Parses an amount that a person typed, in major units: `25000`, `25 000`, `1250,50`. A comma is a decimal separator. An amount whose
 * comma could separate thousands (`25,000`) is rejected.
 * @returns null for any other text
 */
export function typedAmount(text: string): number | null {
  const compact = text.replace(/[\s\u00A0\u202F]/g, '').replace(',', '.');
  return /^\d{1,13}(?:\.\d{1,2})?$/.test(compact) ? Number(compact) : null;
}
