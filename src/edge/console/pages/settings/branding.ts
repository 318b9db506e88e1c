import type { Brand } from '../../../../tenants/teams/schema.ts';
import { setBrandColor, type TeamRow } from '../../../../tenants/teams/store.ts';
import { type Html, html } from '../../../../kit/html.ts';
import { sampleForm } from '../../../checkout/sample.ts';
import { styleSources } from '../../../pages/assets.ts';
import { isLanguage, type Language, payerLanguage } from '../../../pages/language.ts';
import { type Colour, hex, readColour } from '../../../pages/theme/colour.ts';
import { BRAND, themeOf } from '../../../pages/theme/theme.ts';
import { FRAMING_HEADERS, framedHeaders } from '../../assets.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, fieldOf, type TeamVisit } from '../../page.ts';
import { withQuery } from '../../paths.ts';
import type { Fault } from '../../parts/fault.ts';
import { alert, card, field, pageHead } from '../../parts/parts.ts';
import { BRANDING_TEXTS } from './branding-texts.ts';
import { saveTeam, teamSeenField } from './save.ts';
import { settingTabs } from './tabs.ts';

/**
 * Shows the colour of the pages for payers, with a sample page.
 * @param typed input; default: the team's colour
 */
export async function showBranding(visit: TeamVisit, typed = visit.team.brand_color ?? BRAND, fault?: Fault): Promise<Answer> {
  const { language, query } = visit;
  const texts = BRANDING_TEXTS[language];
  const color = readColour(typed);
  return {
    kind: 'page',
    title: texts.title,
    nav: '/settings',
    ...(color ? {} : { status: 422 }),
    ...(fault ? { status: fault.status } : {}),
    headers: FRAMING_HEADERS,
    body: html`${pageHead(texts.title, { note: texts.note })}${settingTabs(visit, '/branding')}${fault ? alert(fault.message) : color && query.done === 'save' && alert(texts.saved, 'good')}
<div class="columns"><div>${visit.can('setting.write') && card(texts.color, await form(visit, typed, color === null, fault))}</div>
<div>${card(texts.preview, html`<p class="note">${texts.previewNote}</p>${color && preview(visit, { color: hex(color) })}`)}</div></div>`,
  };
}

async function form(visit: TeamVisit, typed: string, wrong: boolean, fault?: Fault): Promise<Html> {
  const { base, language } = visit;
  const texts = BRANDING_TEXTS[language];
  const path = `${base}/settings/branding`;
  const color = { name: 'brand_color', label: texts.color, value: typed, type: 'color', help: texts.colorHelp } as const;
  return html`<form method="post" action="${path}?from=${encodeURIComponent(path)}" data-preview="${path}/preview">${visit.formFields()}${await teamSeenField(visit, storedIn(visit), fault)}
${field({ ...color, error: wrong ? texts.wrong : undefined })}
<div class="form-actions"><button>${texts.save}</button><button class="quiet-button" name="do" value="preview" formaction="${path}/try">${texts.show}</button>
<button class="quiet-button" name="do" value="reset">${texts.reset}</button></div></form>`;
}

/**
 * Preview of the page for payers. No control in it can be used or focused.
 * @param shown colour and language; default: our colour, and the language for a payer with the browser of this person
 */
export function preview({ base, language }: TeamVisit, shown: { color?: string | null; language?: Language }): Html {
  const path = withQuery(`${base}/settings/branding/preview`, { color: shown.color ?? '', language: shown.language ?? '' });
  return html`<iframe class="preview" src="${path}" title="${BRANDING_TEXTS[language].preview}" sandbox="" inert></iframe>`;
}

/** Shows the form again with the colour that was chosen. Nothing is saved. */
export function tryBranding(visit: TeamVisit): Promise<Answer> {
  return showBranding(visit, fieldOf(visit, 'brand_color'));
}

/** Returns what the form changes, as it is stored. */
function storedIn({ team: { brand_color } }: { team: TeamRow }): Pick<Brand, 'brand_color'> {
  return { brand_color };
}

/** Returns a colour in the stored form; null for our default colour. */
function ownColor(color: Colour): string | null {
  return hex(color) === BRAND ? null : hex(color);
}

/** Saves the colour. */
export async function saveBranding(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const typed = fieldOf(visit, 'do') === 'reset' ? BRAND : fieldOf(visit, 'brand_color');
  const color = readColour(typed);
  if (!color) return showBranding(visit, typed);
  const wanted = { brand_color: ownColor(color) };
  return saveTeam(deps, visit, {
    ...{ path: '/settings/branding', typed: wanted, storedIn, wanted },
    write: (tx) => setBrandColor(tx, visit.team.id, wanted.brand_color),
    show: (now, fault) => showBranding(now, typed, fault),
  });
}

/** Shows the checkout page of a sample payment, in the colour and the language of the address. */
export function showSample({ config }: ConsoleDeps, visit: TeamVisit): Answer {
  const { team, query } = visit;
  const color = readColour(query.color);
  const language = isLanguage(query.language) ? query.language : payerLanguage(visit.language, team);
  const theme = themeOf(null, { brand_color: color && ownColor(color) });
  const { sample: description } = BRANDING_TEXTS[visit.language];
  const { name: merchant, default_currency: currency } = team;
  const content = sampleForm({ language, merchant, theme, currency, description, fees: config.fees });
  return { kind: 'document', content, headers: framedHeaders(styleSources(theme.style, content)) };
}
