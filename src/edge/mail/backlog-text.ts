import type { Environment } from '../../kit/environment.ts';
import type { MailFacts } from '../../tenants/outbox/schema.ts';
import { FRENCH_ENVIRONMENTS } from './environments.ts';
import type { Languages } from './texts.ts';

/** Text: the backlog of a webhook endpoint reached its limit, and no more deliveries are queued. */
export function endpointBacklogFull(
  { webhook, host, limit, since }: MailFacts['endpoint_backlog_full'],
  environment: Environment,
): Languages {
  return {
    fr: {
      subject: 'Trop d’envois en attente pour un point de terminaison webhook',
      text: `Environ ${limit} envois sont en attente pour le point de terminaison webhook ${webhook} (${host},
${FRENCH_ENVIRONMENTS[environment]}) : votre serveur ne répond pas, ou trop lentement. Depuis le ${since} (UTC), les nouveaux
événements ne sont plus mis en file pour ce point de terminaison. Ceux qui sont déjà en attente lui seront encore envoyés.

Les événements restent consultables pendant 90 jours (GET /events). Quand la file sera presque vide, nous reprendrons les envois
et vous indiquerons par e-mail la période des événements à redemander (POST /events/{id}/resend).`,
    },
    en: {
      subject: 'Too many deliveries wait for a webhook endpoint',
      text: `About ${limit} deliveries wait for the webhook endpoint ${webhook} (${host}, ${environment} environment): your server does not
answer, or answers too slowly. Since ${since} (UTC) new events are not queued for this endpoint. Those that wait are still
sent to it.

The events stay readable for 90 days (GET /events). When the queue is nearly empty, new events are queued again and a second
mail gives you the period of the events to ask for (POST /events/{id}/resend).`,
    },
  };
}

/** Text: queueing has resumed, and the events of the gap have to be fetched. */
export function endpointBacklogOver(
  { webhook, host, since, until }: MailFacts['endpoint_backlog_over'],
  environment: Environment,
): Languages {
  return {
    fr: {
      subject: 'Les envois vers un point de terminaison webhook ont repris',
      text: `Les nouveaux événements sont de nouveau envoyés au point de terminaison webhook ${webhook} (${host},
${FRENCH_ENVIRONMENTS[environment]}).

Ceux qui ont été créés entre le ${since} et le ${until} (UTC) ne lui ont pas été envoyés. Consultez-les avec GET /events
et demandez ceux qui vous manquent (POST /events/{id}/resend).`,
    },
    en: {
      subject: 'Deliveries to a webhook endpoint have resumed',
      text: `New events are sent to the webhook endpoint ${webhook} (${host}, ${environment} environment) again.

Those created between ${since} and ${until} (UTC) were not sent to it. List them with GET /events and request the ones
that you need (POST /events/{id}/resend).`,
    },
  };
}
