import { type Html, html } from '../../../../../kit/html.ts';
import type { TeamVisit } from '../../../page.ts';
import { badge } from '../../../parts/parts.ts';
import { ENDPOINT_TEXTS } from './texts.ts';

/** An endpoint as GET /webhooks/{id} returns it. */
export interface Endpoint {
  id: string;
  url: string;
  events: string[];
  description: string | null;
  active: boolean;
  api_version: string;
  failing_since: string | null;
  disabled_reason: string | null;
  backlog_full_since: string | null;
  created_at: string;
}

/** Returns the endpoint in the path. @throws Problem 404 when it does not exist */
export async function endpointOf(visit: TeamVisit): Promise<Endpoint> {
  const { body } = await visit.api('GET /webhooks/:id', { params: { id: visit.params.id ?? '' } });
  return (body as { webhook: Endpoint }).webhook;
}

/** Renders the state of an endpoint. */
export function endpointBadge(endpoint: Endpoint, language: TeamVisit['language']): Html {
  const { active, failing_since, disabled_reason, backlog_full_since } = endpoint;
  const { states } = ENDPOINT_TEXTS[language];
  if (!active) return disabled_reason === null ? badge(states.inactive, 'idle') : badge(states.disabled, 'bad');
  if (backlog_full_since !== null) return badge(states.full, 'bad');
  return failing_since === null ? badge(states.active, 'good') : badge(states.failing, 'warn');
}

/** Renders the event types that an endpoint receives. */
export function subscriptions({ events }: Endpoint, language: TeamVisit['language']): Html {
  if (events.includes('*')) return html`${ENDPOINT_TEXTS[language].everything}`;
  return html`<span class="dots">${events.map((type) => html`<code>${type}</code>`)}</span>`;
}

/** Link back to an endpoint. */
export function backTo({ base, language }: TeamVisit, endpoint?: Endpoint): Html {
  const path = `${base}/developers/endpoints`;
  if (!endpoint) return html`<p class="back"><a href="${path}">← ${ENDPOINT_TEXTS[language].title}</a></p>`;
  return html`<p class="back"><a href="${path}/${endpoint.id}">← ${endpoint.url}</a></p>`;
}
