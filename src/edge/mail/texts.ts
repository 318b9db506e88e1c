import type { Environment } from '../../kit/environment.ts';
import { unreachable } from '../../kit/errors.ts';
import { FRENCH_ENVIRONMENTS } from './environments.ts';
import { floatLow } from './float-text.ts';
import { endpointBacklogFull, endpointBacklogOver } from './backlog-text.ts';
import { invoiceText, receiptText } from './payer-text.ts';
import type { MailText } from '../pages/texts/mails.ts';
import type { MailFacts, MailToSend } from '../../tenants/outbox/schema.ts';
import type { PayerLanguage } from '../../tenants/teams/schema.ts';

/** Data of a mail besides its facts. */
export interface MailContext {
  environment: Environment;
  /** Name of the team. */
  team: string;
  /** Language of its mails to payers. */
  language: PayerLanguage;
  /** Returns the URL of a payment's hosted page. */
  hostedPage(payment_id: string): string;
}

/**
 * Returns the text of a mail. A mail to a team is in French and English, because a team has no language of its own. Mails to payers
 * are in the languages of the pages.
 */
export function textOf(mail: MailToSend, context: MailContext): MailText {
  if (mail.kind === 'invoice') return invoiceText(mail.facts, context);
  if (mail.kind === 'receipt') return receiptText(mail.facts, context, `${context.hostedPage(mail.facts.payment)}/receipt`);
  const { fr, en } = languagesOf(mail, context);
  return {
    subject: `${fr.subject} / ${en.subject}`,
    text: `(English below)\n\nBonjour ${context.team},\n\n${fr.text}\n\n— — —\n\nHello ${context.team},\n\n${en.text}\n`,
  };
}

/** Text of a mail to a team in both of its languages. */
export type Languages = Record<'fr' | 'en', MailText>;

type ToTeam = Exclude<MailToSend, { kind: 'invoice' | 'receipt' }>;

function languagesOf(mail: ToTeam, context: MailContext): Languages {
  switch (mail.kind) {
    case 'secret_key_in_browser':
      return secretKeyInBrowser(mail.facts, mail.created_at, context);
    case 'endpoint_deactivated':
      return endpointDeactivated(mail.facts, context);
    case 'endpoint_backlog_full':
      return endpointBacklogFull(mail.facts, context.environment);
    case 'endpoint_backlog_over':
      return endpointBacklogOver(mail.facts, context.environment);
    case 'float_low':
      return floatLow(mail.facts, context.environment);
    default:
      return unreachable(mail);
  }
}

function secretKeyInBrowser(
  { key_id, last4 }: MailFacts['secret_key_in_browser'],
  at: Date,
  { environment }: MailContext,
): Languages {
  const moment = at.toISOString().slice(0, 16).replace('T', ' ');
  return {
    fr: {
      subject: 'Votre clé secrète est visible dans un navigateur',
      text: `Le ${moment} (UTC), votre clé secrète ${key_id} (${FRENCH_ENVIRONMENTS[environment]}, se terminant par ${last4}) a été
envoyée par un navigateur. Nous avons refusé la requête, mais toute personne qui ouvre cette page peut lire la clé.

1. Créez une nouvelle clé secrète et utilisez-la uniquement sur votre serveur.
2. Révoquez la clé ${key_id}.
3. Dans les pages web, utilisez votre clé publique.

Nous envoyons ce message au plus une fois par heure pour chaque clé.`,
    },
    en: {
      subject: 'Your secret key is visible in a browser',
      text: `On ${moment} (UTC) your secret key ${key_id} (${environment} environment, ending in ${last4}) was sent by a browser. We refused
the request, but everyone who opens that page can read the key.

1. Create a new secret key and use it on your server only.
2. Revoke the key ${key_id}.
3. In web pages, use your public key.

We send this message at most once an hour for each key.`,
    },
  };
}

function endpointDeactivated(
  { webhook, host, days = 5 }: MailFacts['endpoint_deactivated'],
  { environment }: MailContext,
): Languages {
  return {
    fr: {
      subject: 'Un point de terminaison webhook a été désactivé',
      text: `Aucun envoi au point de terminaison webhook ${webhook} (${host}, ${FRENCH_ENVIRONMENTS[environment]}) n’a réussi depuis ${days} jours.
Nous l’avons désactivé ; il ne reçoit plus rien.

Quand votre serveur répond de nouveau, réactivez-le (PATCH /webhooks/${webhook} avec "active": true) et
demandez les événements manqués (GET /events, puis POST /events/{id}/resend).`,
    },
    en: {
      subject: 'A webhook endpoint was deactivated',
      text: `No delivery to the webhook endpoint ${webhook} (${host}, ${environment} environment) has succeeded for ${days} days. We deactivated it;
nothing is sent to it any more.

Once your server answers again, reactivate it (PATCH /webhooks/${webhook} with "active": true) and
ask for the events it missed (GET /events, then POST /events/{id}/resend).`,
    },
  };
}
