import { CURRENCIES, type Currency, decimalsOf } from '../../kit/money.ts';

/** English names of ISO 4217. */
const NAMES: Record<Currency, string> = {
  XAF: 'Central African CFA franc',
  XOF: 'West African CFA franc',
  NGN: 'Nigerian naira',
  GHS: 'Ghanaian cedi',
  KES: 'Kenyan shilling',
  UGX: 'Ugandan shilling',
  RWF: 'Rwandan franc',
  TZS: 'Tanzanian shilling',
  CDF: 'Congolese franc',
  GNF: 'Guinean franc',
  ZAR: 'South African rand',
  ZMW: 'Zambian kwacha',
  MAD: 'Moroccan dirham',
  EGP: 'Egyptian pound',
  USD: 'US dollar',
  EUR: 'Euro',
  GBP: 'Pound sterling',
};

export interface CurrencyEntry {
  code: Currency;
  name: string;
  /** Number of decimals of real amounts: 0 or 2. */
  decimals: number;
}

export const CURRENCY_ENTRIES: readonly CurrencyEntry[] = CURRENCIES.map((code) => ({
  code,
  name: NAMES[code],
  decimals: decimalsOf(code),
}));
