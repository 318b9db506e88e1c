import { type Html, type HtmlPart, html, raw } from '../../../../kit/html.ts';
import type { Permission } from '../../../../tenants/people/roles.ts';
import type { Texts } from '../../language.ts';
import type { TeamVisit } from '../../page.ts';
import { pageHead } from '../../parts/parts.ts';

const TABS = ['endpoints', 'events', 'requests', 'keys', 'sandbox'] as const;

export type Tab = (typeof TABS)[number];

const PERMISSIONS: Record<Tab, Permission> = {
  endpoints: 'webhook.read',
  events: 'event.read',
  requests: 'request_log.read',
  keys: 'key.read',
  sandbox: 'resource.read',
};

const TEXTS: Texts<Record<Tab | 'title' | 'sections', string>> = {
  en: {
    title: 'Developers',
    sections: 'Sections for developers',
    endpoints: 'Webhooks',
    events: 'Events',
    requests: 'Requests',
    keys: 'API keys',
    sandbox: 'Sandbox',
  },
  fr: {
    title: 'Développeurs',
    sections: 'Rubriques pour les développeurs',
    endpoints: 'Webhooks',
    events: 'Événements',
    requests: 'Requêtes',
    keys: 'Clés d’API',
    sandbox: 'Sandbox',
  },
};

/** Returns the name of a section, for the title of its page. */
export function tabName({ language }: TeamVisit, tab: Tab): string {
  return TEXTS[language][tab];
}

/** Head of a section's page: links to the sections that this person may see here, and actions. */
export function developersHead(visit: TeamVisit, current: Tab, actions: HtmlPart = null): Html {
  const { base, language } = visit;
  const texts = TEXTS[language];
  const seen = TABS.filter((tab) => visit.can(PERMISSIONS[tab]));
  const links = seen.map(
    (tab) => html`<a href="${base}/developers/${tab}"${tab === current && raw(' aria-current="page"')}>${texts[tab]}</a>`,
  );
  return html`${pageHead(texts.title, { actions })}<nav class="tabs" aria-label="${texts.sections}">${links}</nav>`;
}
