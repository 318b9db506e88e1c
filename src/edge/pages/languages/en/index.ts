import type { LanguageTexts } from '../../texts/texts.ts';
import { checkout } from './checkout.ts';
import { invoice } from './invoice.ts';
import { link } from './link.ts';
import { mails } from './mails.ts';
import { onboarding } from './onboarding.ts';
import { reasons } from './reasons.ts';
import { receipt } from './receipt.ts';
import { start } from './start.ts';

export const en: LanguageTexts = {
  name: 'English',
  /** British English: the day first, as in most of the supported countries. */
  locale: 'en-GB',
  countries: [
    'BW',
    'EG',
    'ET',
    'GB',
    'GH',
    'GM',
    'KE',
    'LR',
    'LS',
    'MW',
    'NA',
    'NG',
    'RW',
    'SC',
    'SL',
    'SS',
    'SZ',
    'TZ',
    'UG',
    'US',
    'ZA',
    'ZM',
    'ZW',
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
