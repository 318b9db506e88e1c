import type { Reason } from '../../../providers/adapters/reasons.ts';
import type { CheckoutTexts } from './checkout.ts';
import type { InvoiceTexts } from './invoice.ts';
import type { LinkTexts } from './link.ts';
import type { MailTexts } from './mails.ts';
import type { OnboardingTexts } from './onboarding.ts';
import type { ReceiptTexts } from './receipt.ts';
import type { StartTexts } from './start.ts';

/** A language of the pages and of the mails to payers. A language that misses a text does not compile. */
export interface LanguageTexts {
  /** Name of the language, in the language itself. */
  name: string;
  /** BCP 47 tag by which dates, numbers, amounts and names of countries are formatted. */
  locale: string;
  /** Countries (ISO 3166-1 alpha-2) whose people are addressed in this language when nothing else tells their language. */
  countries: readonly string[];
  checkout: CheckoutTexts;
  link: LinkTexts;
  invoice: InvoiceTexts;
  receipt: ReceiptTexts;
  onboarding: OnboardingTexts;
  start: StartTexts;
  mails: MailTexts;
  /** Why no money moved. */
  reasons: Record<Reason, string>;
}
