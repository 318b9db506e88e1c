import { formatMoney } from '../../kit/money.ts';
import { moment, zoneOf } from '../pages/moment.ts';
import type { ReceiptMailFacts } from '../../tenants/outbox/schema.ts';
import type { MailText } from './texts.ts';

/**
 * Returns the receipt of a payment for the payer, in the language that the merchant set on the payment, or in both. It has no
 * attachment, because the page and its PDF also include later refunds.
 * @param url URL of the receipt page
 */
export function receiptText(facts: ReceiptMailFacts, team: string, url: string): MailText {
  const [fr, en] = [french(facts, team, url), english(facts, team, url)];
  if (facts.locale !== null) return facts.locale === 'fr' ? fr : en;
  return { subject: `${fr.subject} / ${en.subject}`, text: `(English below)\n\n${fr.text}\n— — —\n\n${en.text}` };
}

function french(facts: ReceiptMailFacts, team: string, url: string): MailText {
  return {
    subject: `Votre reçu de ${team}`,
    text: `Bonjour,

Vous avez payé ${paid(facts, 'fr')} à ${team}.

Date : ${when(facts, 'fr')}
${told('Référence', facts.reference)}Transaction : ${facts.payment}

Voir, imprimer ou télécharger le reçu :
${url}

Ce message est envoyé automatiquement. Pour toute question sur votre achat, adressez-vous à ${team}.
`,
  };
}

function english(facts: ReceiptMailFacts, team: string, url: string): MailText {
  return {
    subject: `Your receipt from ${team}`,
    text: `Hello,

You paid ${paid(facts, 'en')} to ${team}.

Date: ${when(facts, 'en')}
${told('Reference', facts.reference)}Transaction: ${facts.payment}

View, print or download the receipt:
${url}

This message was sent automatically. For any question about your purchase, please ask ${team}.
`,
  };
}

function paid({ total_minor, currency }: ReceiptMailFacts, language: 'en' | 'fr'): string {
  return formatMoney(BigInt(total_minor), currency, language);
}

function when({ paid_at, channel }: ReceiptMailFacts, language: 'en' | 'fr'): string {
  return moment(new Date(paid_at), zoneOf(channel), language);
}

/** Returns the merchant's text on one line, so that it cannot look like a paragraph of ours. */
function told(name: string, text: string | null): string {
  const line = text?.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line ? `${name}${name === 'Référence' ? ' ' : ''}: ${line}\n` : '';
}
