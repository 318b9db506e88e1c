import { formatMoney, type Minor } from '../../kit/money.ts';
import type { PaymentRow } from '../../payments/schema.ts';
import type { Language } from '../language.ts';
import type { Messages } from '../messages.ts';
import type { Theme } from '../theme/theme.ts';

/** What every page of a payment shows or needs. */
export interface Scene {
  language: Language;
  texts: Messages;
  /** Nothing real happens: said on every page, and the only place with card fields. */
  sandbox: boolean;
  merchant: string;
  payment: PaymentRow;
  /** `/pay/<token>`: where the page stands and its forms go. */
  path: string;
  theme: Theme;
}

/** A country's name in the payer's language. */
export function countryName(language: Language, code: string): string {
  return new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code;
}

/** An amount of the payment's currency in the payer's language. */
export function money({ payment, language }: Scene, amount: Minor): string {
  return formatMoney(amount, payment.currency, language);
}

/** What stands on a button that pays, in the merchant's words where it gave some. */
export function payLabel(scene: Scene, amount: Minor): string {
  const { theme, texts } = scene;
  return theme.button_text === null ? texts.pay(money(scene, amount)) : `${theme.button_text} · ${money(scene, amount)}`;
}
