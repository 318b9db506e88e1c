import type { LanguageTexts } from '../../texts/texts.ts';
import { checkout } from './checkout.ts';
import { invoice } from './invoice.ts';
import { link } from './link.ts';
import { mails } from './mails.ts';
import { onboarding } from './onboarding.ts';
import { reasons } from './reasons.ts';
import { receipt } from './receipt.ts';
import { start } from './start.ts';

export const fr: LanguageTexts = {
  name: 'Français',
  locale: 'fr',
  countries: [
    'BE',
    'BF',
    'BI',
    'BJ',
    'CD',
    'CF',
    'CG',
    'CI',
    'CM',
    'DJ',
    'DZ',
    'FR',
    'GA',
    'GN',
    'GQ',
    'KM',
    'MA',
    'MG',
    'ML',
    'MR',
    'NE',
    'SN',
    'TD',
    'TG',
    'TN',
  ],
  checkout,
  link,
  invoice,
  receipt,
  onboarding,
  start,
  mails,
  reasons,
};
