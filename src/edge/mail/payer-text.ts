import { formatMoney } from '../../kit/money.ts';
import { channelById } from '../../providers/reference/channels.ts';
import { COUNTRIES } from '../../providers/reference/countries.ts';
import type { InvoiceFacts, ReceiptMailFacts } from '../../tenants/outbox/schema.ts';
import type { PayerLanguage } from '../../tenants/teams/schema.ts';
import {
  DEFAULT_LANGUAGE,
  fixedLanguage,
  isLanguage,
  type Language,
  languageOfCountry,
  localeOf,
  teamLanguage,
  textsIn,
} from '../pages/language.ts';
import { day, moment, zoneOf } from '../pages/moment.ts';
import type { MailText } from '../pages/texts/mails.ts';

/** The team in whose name a mail is. */
interface Sender {
  team: string;
  language: PayerLanguage;
}

/** Returns the mail with an invoice for the customer. */
export function invoiceText(facts: InvoiceFacts, { team: merchant, language: own }: Sender): MailText {
  const { number, url, due_minor, currency, due_date, reminder } = facts;
  return inLanguages(languagesOf(facts, null, own), (language) =>
    textsIn(language).mails.invoice({
      ...{ merchant, number, url, reminder },
      amount: formatMoney(BigInt(due_minor), currency, localeOf(language)),
      due: due_date === null ? null : day(new Date(`${due_date}T00:00:00Z`), 'UTC', language),
    }),
  );
}

/**
 * Returns the receipt of a payment for the payer. It has no attachment, because the page and its PDF also include later
 * refunds.
 * @param url URL of the receipt page
 */
export function receiptText(facts: ReceiptMailFacts, { team: merchant, language: own }: Sender, url: string): MailText {
  const { payment, total_minor, currency, reference, paid_at, channel } = facts;
  return inLanguages(languagesOf(facts, channel, own), (language) =>
    textsIn(language).mails.receipt({
      ...{ merchant, payment, url },
      amount: formatMoney(BigInt(total_minor), currency, localeOf(language)),
      date: moment(new Date(paid_at), zoneOf(channel), language),
      reference: onOneLine(reference),
    }),
  );
}

/**
 * Returns the languages of a mail: the one that the merchant set for the payment or for all payers; without it those of the countries
 * where the payer can be, by channel or else by currency, and the team's or the default language for readers who understand none of them.
 */
function languagesOf(
  { locale, currency }: { locale: string | null; currency: string },
  channel: string | null,
  team: PayerLanguage,
): Language[] {
  const wanted = isLanguage(locale) ? locale : fixedLanguage(team);
  if (wanted) return [wanted];
  const country = channel === null ? undefined : channelById(channel)?.country;
  const countries = COUNTRIES.filter(({ code, currencies }) =>
    country === undefined ? currencies.some((accepted) => accepted === currency) : code === country,
  );
  const spoken = countries.flatMap(({ code }) => languageOfCountry(code) ?? []);
  return [...new Set([...spoken, teamLanguage(team) ?? DEFAULT_LANGUAGE])];
}

/** Writes a mail in one or several languages, one below the other. */
function inLanguages(languages: readonly Language[], write: (language: Language) => MailText): MailText {
  const mails = languages.map(write);
  const below = languages.slice(1).map((language) => `${textsIn(language).mails.below}\n\n`);
  return {
    subject: mails.map(({ subject }) => subject).join(' / '),
    text: `${below.join('')}${mails.map(({ text }) => text).join('\n— — —\n\n')}`,
  };
}

/** Returns the merchant's text on one line, so that it cannot look like a paragraph of ours; null when it is empty. */
function onOneLine(text: string | null): string | null {
  return text?.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim() || null;
}
