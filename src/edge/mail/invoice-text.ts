import { formatMoney } from '../../kit/money.ts';
import type { InvoiceFacts } from '../../tenants/outbox/schema.ts';
import type { MailText } from './texts.ts';

/** Returns the mail with an invoice for the customer, in the invoice's language, or in both. */
export function invoiceText(facts: InvoiceFacts, team: string): MailText {
  const [fr, en] = [french(facts, team), english(facts, team)];
  if (facts.locale !== null) return facts.locale === 'fr' ? fr : en;
  return { subject: `${fr.subject} / ${en.subject}`, text: `(English below)\n\n${fr.text}\n— — —\n\n${en.text}` };
}

function french({ number, url, due_minor, currency, due_date, reminder }: InvoiceFacts, team: string): MailText {
  const due = due_date === null ? '' : ` avant la fin du ${day(due_date, 'fr')}`;
  return {
    subject: `${reminder ? 'Rappel : facture' : 'Facture'} ${number} de ${team}`,
    text: `Bonjour,

${reminder ? `La facture ${number} de ${team} n’est pas encore réglée.` : `${team} vous envoie la facture ${number}.`}
Montant à payer${due} : ${formatMoney(BigInt(due_minor), currency, 'fr')}

Voir et payer la facture :
${url}

Si vous n’attendiez pas cette facture, ignorez ce message : rien n’est payé tant que vous ne l’avez pas confirmé.
`,
  };
}

function english({ number, url, due_minor, currency, due_date, reminder }: InvoiceFacts, team: string): MailText {
  const due = due_date === null ? '' : ` by the end of ${day(due_date, 'en')}`;
  return {
    subject: `${reminder ? 'Reminder: invoice' : 'Invoice'} ${number} from ${team}`,
    text: `Hello,

${reminder ? `Invoice ${number} from ${team} has not been paid yet.` : `${team} has sent you invoice ${number}.`}
Amount to pay${due}: ${formatMoney(BigInt(due_minor), currency, 'en')}

View and pay the invoice:
${url}

If you did not expect this invoice, ignore this message: nothing is paid until you confirm it.
`,
  };
}

function day(date: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));
}
