import type { Recipient } from '../../../../core/transfers/schema.ts';
import { type HtmlPart, html } from '../../../../kit/html.ts';
import { bankName } from '../../../../providers/reference/banks.ts';
import type { ConsoleLanguage } from '../../language.ts';
import { channelName } from '../../parts/channels.ts';
import { PAYOUT_TEXTS } from './texts.ts';

/** A saved recipient, or that of one payout, with all displayed fields. */
export type ShownRecipient = Pick<Recipient, 'name' | 'phone' | 'account_number' | 'bank_code' | 'email'> & {
  channel: string;
  country: string;
};

/** Returns the labels and values of a recipient, unmasked: the sender of money must see its recipient. */
export function recipientRows(
  { name, phone, account_number, bank_code, email, channel, country }: ShownRecipient,
  language: ConsoleLanguage,
): [string, HtmlPart][] {
  const texts = PAYOUT_TEXTS[language].recipient;
  const bank = bank_code && bankName(country, bank_code);
  return [
    [texts.name, name && html`<strong>${name}</strong>`],
    [texts.channel, html`${channelName(channel, language)} <code>${channel}</code>`],
    [texts.phone, phone && html`<span class="number-text">${phone}</span>`],
    [texts.account, account_number && html`<span class="number-text">${account_number}</span>`],
    [texts.bank, bank_code && html`${bank && `${bank} · `}<code>${bank_code}</code>`],
    [texts.email, email],
  ];
}

/** Returns the name of a recipient in a list. */
export function recipientName({ name, phone, account_number }: Recipient): string {
  return name ?? phone ?? account_number ?? '—';
}

const SEPARATOR = ' · ';

/** Returns name and number of a recipient in one line. A different text means that the money would go to another recipient than shown. */
export function recipientLine({
  name,
  phone,
  account_number,
  bank_code,
}: Pick<Recipient, 'name' | 'phone' | 'account_number' | 'bank_code'>): string {
  return [name, account_number ?? phone, bank_code].filter(Boolean).join(SEPARATOR);
}

/** Matches a number of a recipient: no spaces, and at least six digits in a row. */
const NUMBER = /^\S*\d{6}\S*$/;

/**
 * Returns a key that is the same for payouts of one amount to one number, however the name is written. It is made from the text, because
 * a line of a list that waits for approval contains no other form of the recipient.
 * @param recipient as {@link recipientLine} returns it
 */
export function sameness({
  recipient,
  amount_minor,
  currency,
}: {
  recipient: string | null;
  amount_minor: bigint | null;
  currency: string | null;
}): string {
  const parts = recipient?.split(SEPARATOR) ?? [];
  const destination = NUMBER.test(parts.at(-2) ?? '') ? parts.slice(-2) : parts.slice(-1);
  return [...destination, amount_minor, currency].join('|');
}
