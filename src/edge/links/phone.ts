import { compactPhone } from '../../core/customers/phone.ts';
import { COUNTRIES } from '../../providers/reference/countries.ts';
import { numberingPlans, parsePhone } from '../../providers/reference/phones.ts';

/** Characters that people write in a number. */
const WRITTEN = /^[+\d\s()./\p{Cf}\p{Pd}]+$/u;
/** E.164 has at most 15 digits. The shortest numbers have seven with their country code (Niue). */
const E164 = /^\+\d{7,15}$/;

/**
 * Returns the international numbers that a typed text can mean: none when it is not a number, several when its country is unknown. A
 * number without a country code is tried in each country of the currency: digits alone would merge payers of different countries into
 * one customer. Numbering plans select among them: nine digits that start with 6 are valid in Cameroon and not in Congo. When no plan has
 * the number, its length decides, because plans lag behind the ranges in use.
 */
export function internationalNumbers(typed: string, currency: string): string[] {
  const countries = COUNTRIES.filter(({ currencies }) => currencies.some((code) => code === currency));
  const numbers = countries.flatMap(({ code }) => parsePhone(typed, code)?.e164 ?? []);
  const planned = numbers.filter((number) => numberingPlans().isValidPhoneNumber(number));
  if (numbers.length > 0) return planned.length > 0 ? planned : numbers;
  // A payer abroad may type the number of any other country, with its code.
  const abroad = WRITTEN.test(typed) ? (compactPhone(typed) ?? '') : '';
  return E164.test(abroad) ? [abroad] : [];
}
