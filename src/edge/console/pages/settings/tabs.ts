import { type Html, html, raw } from '../../../../kit/html.ts';
import type { Texts } from '../../language.ts';
import type { TeamVisit } from '../../page.ts';

const TEXTS: Texts<Record<'settings' | 'general' | 'branding' | 'languages' | 'approvals', string>> = {
  en: { settings: 'Settings', general: 'General', branding: 'Branding', languages: 'Languages', approvals: 'Second person' },
  fr: {
    settings: 'Paramètres',
    general: 'Général',
    branding: 'Identité visuelle',
    languages: 'Langues',
    approvals: 'Deuxième personne',
  },
};

const TABS = [
  ['', 'general'],
  ['/branding', 'branding'],
  ['/languages', 'languages'],
  ['/approvals', 'approvals'],
] as const;

/**
 * Links to the pages of the settings.
 * @param current path of the one that is shown, below `/settings`
 */
export function settingTabs({ base, language }: TeamVisit, current: (typeof TABS)[number][0]): Html {
  const texts = TEXTS[language];
  const links = TABS.map(
    ([path, name]) =>
      html`<a href="${base}/settings${path}"${path === current && raw(' aria-current="page"')}>${texts[name]}</a>`,
  );
  return html`<nav class="tabs" aria-label="${texts.settings}">${links}</nav>`;
}
