import { compactPhone } from '../../core/customers/phone.ts';
import { COUNTRIES } from '../../providers/reference/countries.ts';
import { numberingPlans, parsePhone } from '../../providers/reference/phones.ts';

/** Characters that people write in a number. */
const WRITTEN = /^[+\d\s()./\p{Cf}\p{Pd}]+$/u;
/** E.164 has at most 15 digits. The shortest numbers have seven with their country code (Niue). */
const E164 = /^\+\d{7,15}$/;

/**
 * Returns the international numbers that a typed one can be: none when it is no number, several when its country is unknown. Without a
 * country code it is read as a number of each country of the currency, because digits alone would make payers of different countries one
 * customer. Of these, the numbering plans decide: nine digits that start with 6 are Cameroon's and not Congo's. Where none of them has the number,
 * its length decides, because plans lag behind the ranges in use.
 */
export function internationalNumbers(typed: string, currency: string): string[] {
  const countries = COUNTRIES.filter(({ currencies }) => currencies.some((code) => code === currency));
  const numbers = countries.flatMap(({ code }) => parsePhone(typed, code)?.e164 ?? []);
  const planned = numbers.filter((number) => numberingPlans().isValidPhoneNumber(number));
  if (numbers.length > 0) return planned.length > 0 ? planned : numbers;
  // A payer abroad: the number of any other country, with its code.
  const abroad = WRITTEN.test(typed) ? (compactPhone(typed) ?? '') : '';
  return E164.test(abroad) ? [abroad] : [];
}
