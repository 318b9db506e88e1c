import { displayNames } from '../../kit/formatters.ts';
import { formatMoney, type Minor } from '../../kit/money.ts';
import type { PaymentRow } from '../../core/payments/schema.ts';
import { type Language, localeOf } from './language.ts';
import type { CheckoutTexts } from './texts/checkout.ts';
import type { Theme } from './theme/theme.ts';

/** Data that every page of a payment needs. */
export interface Scene {
  language: Language;
  texts: CheckoutTexts;
  /** Every page shows that no real money moves. Card fields exist only in the sandbox. */
  sandbox: boolean;
  merchant: string;
  payment: PaymentRow;
  /** `/pay/<token>`: path of the page and target of its forms. */
  path: string;
  theme: Theme;
}

/** Returns a country's name in the payer's language. */
export function countryName(language: Language, code: string): string {
  return displayNames(localeOf(language), { type: 'region' }).of(code) ?? code;
}

/** Formats an amount in the payment's currency and the payer's language. */
export function money({ payment, language }: Scene, amount: Minor): string {
  return formatMoney(amount, payment.currency, localeOf(language));
}

/** Label of a button that pays, with the merchant's text where it set one. */
export function payLabel(scene: Scene, amount: Minor): string {
  const { theme, texts } = scene;
  return theme.button_text === null ? texts.pay(money(scene, amount)) : `${theme.button_text} · ${money(scene, amount)}`;
}
