import { type Html, type HtmlPart, html, raw } from '../../../../kit/html.ts';
import type { Permission } from '../../../../tenants/people/roles.ts';
import type { TeamVisit } from '../../page.ts';
import { pageHead } from '../../parts/parts.ts';
import { PAYOUT_TEXTS } from './texts.ts';

const TABS = [
  { name: 'list', path: '/payouts', permission: 'transfer.read' },
  { name: 'beneficiaries', path: '/payouts/beneficiaries', permission: 'beneficiary.read' },
] as const satisfies { name: string; path: string; permission: Permission }[];

export type Tab = (typeof TABS)[number]['name'];

/** Head of a list: links to the related lists, and actions. */
export function payoutsHead({ base, language, can }: TeamVisit, current: Tab, actions: HtmlPart): Html {
  const texts = PAYOUT_TEXTS[language];
  const links = TABS.filter(({ permission }) => can(permission)).map(
    ({ name, path }) => html`<a href="${base}${path}"${name === current && raw(' aria-current="page"')}>${texts.tabs[name]}</a>`,
  );
  return html`${pageHead(texts.title, { actions })}<nav class="tabs" aria-label="${texts.sections}">${links}</nav>`;
}
