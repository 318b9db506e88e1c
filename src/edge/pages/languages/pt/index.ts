import type { LanguageTexts } from '../../texts/texts.ts';
import { checkout } from './checkout.ts';
import { invoice } from './invoice.ts';
import { link } from './link.ts';
import { mails } from './mails.ts';
import { onboarding } from './onboarding.ts';
import { reasons } from './reasons.ts';
import { receipt } from './receipt.ts';
import { start } from './start.ts';

/**
 * Portuguese of Angola and Mozambique, in the spelling before the agreement of 1990, which banks there print (`factura`,
 * `transacção`). The payer is addressed without a pronoun (`o seu PIN`, `Confirme`).
 */
export const pt: LanguageTexts = {
  name: 'Português',
  locale: 'pt-AO',
  countries: ['AO', 'BR', 'CV', 'GW', 'MZ', 'PT', 'ST'],
  checkout,
  link,
  invoice,
  receipt,
  onboarding,
  start,
  mails,
  reasons,
};
