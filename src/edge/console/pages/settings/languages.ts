import { ownFaults } from '../../messages/own.ts';
import type { FieldErrors } from '../../../../kit/errors.ts';
import { type Html, html } from '../../../../kit/html.ts';
import type { PayerLanguage } from '../../../../tenants/teams/schema.ts';
import { setPayerLanguage, type TeamRow } from '../../../../tenants/teams/store.ts';
import { DEFAULT_LANGUAGE, isLanguage, LANGUAGES, payerLanguage, textsIn } from '../../../pages/language.ts';
import { FRAMING_HEADERS } from '../../assets.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, fieldOf, type TeamVisit } from '../../page.ts';
import { choices, radio } from '../../parts/choices.ts';
import { type Fault, faultOf, unplaced } from '../../parts/fault.ts';
import { alert, card, facts, pageHead, select } from '../../parts/parts.ts';
import { preview } from './branding.ts';
import { LANGUAGE_TEXTS } from './language-texts.ts';
import { saveTeam, teamSeenField } from './save.ts';
import { settingTabs } from './tabs.ts';

/** Input of the form; before a submit, the team's own values. */
type Typed = Record<'when' | 'payer_language', string>;

const WHEN = ['browser', 'always'] as const;

/** Shows the language of pages and mails for payers; as a form to people who may change it. */
export async function showLanguages(visit: TeamVisit, typed: Typed = storedIn(visit), fault?: Fault): Promise<Answer> {
  const { language, team, query } = visit;
  const texts = LANGUAGE_TEXTS[language];
  const said = fault ? alert(unplaced(fault, Object.keys(typed))) : query.done === 'save' && alert(texts.saved, 'good');
  const shown = preview(visit, { color: team.brand_color, language: payerLanguage(undefined, team) });
  return {
    kind: 'page',
    title: texts.title,
    nav: '/settings',
    ...(fault ? { status: fault.status } : {}),
    headers: FRAMING_HEADERS,
    body: html`${pageHead(texts.title, { note: texts.note })}${settingTabs(visit, '/languages')}${said}
<div class="columns"><div>${card(texts.card, visit.can('setting.write') ? await form(visit, typed, fault) : values(visit))}</div>
<div>${card(texts.preview, html`<p class="note">${texts.previewNote}</p>${shown}`)}</div></div>`,
  };
}

function storedIn({ team: { payer_language, payer_language_always } }: { team: TeamRow }): Typed {
  return { when: payer_language_always ? 'always' : 'browser', payer_language: payer_language ?? DEFAULT_LANGUAGE };
}

async function form(visit: TeamVisit, typed: Typed, fault?: Fault): Promise<Html> {
  const { base, language } = visit;
  const texts = LANGUAGE_TEXTS[language];
  const errors = fault?.errors ?? {};
  const path = `${base}/settings/languages`;
  return html`<form method="post" action="${path}?from=${encodeURIComponent(path)}">${visit.formFields()}${await teamSeenField(visit, storedIn(visit), fault)}
${choices(
  { name: 'when', legend: texts.when, help: texts.whenHelp, error: errors.when?.[0] },
  WHEN.map((when) => radio({ name: 'when', value: when, label: texts[when], checked: typed.when === when })),
)}
${select(
  {
    ...{ name: 'payer_language', label: texts.language, value: typed.payer_language, help: texts.languageHelp },
    error: errors.payer_language?.[0],
  },
  LANGUAGES.map((code) => [code, textsIn(code).name] as const),
)}
<div class="form-actions"><button>${texts.save}</button></div></form>`;
}

function values(visit: TeamVisit): Html {
  const texts = LANGUAGE_TEXTS[visit.language];
  const { when, payer_language } = storedIn(visit);
  const name = isLanguage(payer_language) ? textsIn(payer_language).name : payer_language;
  return facts([
    [texts.when, when === 'always' ? texts.always : texts.browser],
    [texts.language, name],
  ]);
}

/** Saves the language. */
export async function saveLanguages(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const typed: Typed = { when: fieldOf(visit, 'when'), payer_language: fieldOf(visit, 'payer_language') };
  let wanted: PayerLanguage;
  try {
    wanted = readTyped(visit, typed);
  } catch (error) {
    return showLanguages(visit, typed, faultOf(visit, error));
  }
  return saveTeam(deps, visit, {
    ...{ path: '/settings/languages', typed, storedIn, wanted },
    write: (tx) => setPayerLanguage(tx, visit.team.id, wanted),
    show: (now, fault) => showLanguages(now, typed, fault),
  });
}

/** Returns the language settings of the input. @throws Problem 422 for invalid input */
function readTyped({ language }: TeamVisit, { when, payer_language }: Typed): PayerLanguage {
  const { wrong } = LANGUAGE_TEXTS[language];
  const errors: FieldErrors = {
    ...(WHEN.some((one) => one === when) ? {} : { when: [wrong] }),
    ...(isLanguage(payer_language) ? {} : { payer_language: [wrong] }),
  };
  if (Object.keys(errors).length > 0) throw ownFaults(errors);
  return { payer_language, payer_language_always: when === 'always' };
}
