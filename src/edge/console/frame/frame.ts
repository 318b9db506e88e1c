import { type Html, html, raw } from '../../../kit/html.ts';
import { assetPath } from '../assets.ts';
import { CONSOLE_LANGUAGES, type ConsoleLanguage } from '../language.ts';
import { type Answer, type ConsolePage, MAX_SHOWN_WAITING, type TeamVisit, type Visit } from '../page.ts';
import { consoleIcon } from './icons.ts';
import { navigationOf } from './navigation.ts';
import { FRAME_TEXTS } from './texts.ts';

type Page = Extract<Answer, { kind: 'page' }>;

/** Renders a page of the console: the navigation of a team when the visit is in one, otherwise a single column. */
export function frame(pages: readonly ConsolePage[], visit: Visit | TeamVisit, page: Page): Html {
  const inTeam = 'team' in visit ? visit : null;
  const body = inTeam ? teamBody(pages, inTeam, page) : plainBody(visit, page);
  return sheet(visit.language, page.title, inTeam?.environment === 'sandbox' ? 'sandbox' : inTeam ? 'live' : 'plain', body);
}

/** Renders the document around a body. */
export function sheet(language: ConsoleLanguage, title: string, kind: 'sandbox' | 'live' | 'plain', body: Html): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Pirogue</title>
<link rel="icon" href="${raw(ICON)}">
<link rel="stylesheet" href="${assetPath('style')}">
<script src="${assetPath('script')}" defer></script>
</head>
<body class="${kind}">
<a class="skip" href="#main">${FRAME_TEXTS[language].skip}</a>
${body}
</body>
</html>
`;
}

const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%27http://www.w3.org/2000/svg%27 viewBox=%270 0 9 9%27%3E%3Crect width=%279%27 height=%279%27 rx=%272%27 fill=%27%230b4a5e%27/%3E%3C/svg%3E';

function teamBody(pages: readonly ConsolePage[], visit: TeamVisit, page: Page): Html {
  const texts = FRAME_TEXTS[visit.language];
  return html`
${visit.environment === 'sandbox' && html`<div class="band" role="region" aria-label="${texts.sandbox}">${texts.sandboxNote}</div>`}
<div class="app">
<header class="side">
<div class="brand"><span class="logo" aria-hidden="true"></span>Pirogue</div>
${teamMenu(visit)}
${searchBox(visit)}
<details class="menu" open>
<summary>${consoleIcon('menu')}<span>${texts.menu}</span></summary>
<nav aria-label="${texts.menu}">${navigationOf(pages, visit).map((group) => html`<ul>${group.map((entry) => navLink(visit, page, entry))}</ul>`)}</nav>
${personMenu(visit)}
</details>
</header>
<main id="main" tabindex="-1">${page.body}</main>
</div>`;
}

/** Search of payments, and of anything by its id. */
function searchBox(visit: TeamVisit): Html | null {
  if (!visit.can('payment.read')) return null;
  const { search } = FRAME_TEXTS[visit.language];
  return html`<form class="search" action="${visit.base}/search" role="search" aria-label="${search}">${consoleIcon('search')}
<input type="search" name="q" aria-label="${search}" placeholder="${search}" maxlength="255" enterkeyhint="search"><kbd aria-hidden="true">/</kbd></form>`;
}

function navLink(visit: TeamVisit, { nav }: Page, entry: ReturnType<typeof navigationOf>[number][number]): Html {
  const current = nav === entry.path && raw(' aria-current="page"');
  const label = FRAME_TEXTS[visit.language].nav[entry.name];
  return html`<li><a href="${visit.base}${entry.path}"${current}>${consoleIcon(entry.icon)}${label}${
    entry.name === 'approvals' && waiting(visit)
  }</a></li>`;
}

/** Number of approvals that wait for this person; nothing when none does. */
function waiting({ waiting, language }: TeamVisit): Html | false {
  const text = waiting < MAX_SHOWN_WAITING ? String(waiting) : `${MAX_SHOWN_WAITING - 1}+`;
  return waiting > 0 && html`<span class="count">${text}<span class="quiet"> ${FRAME_TEXTS[language].waiting}</span></span>`;
}

/** Team and environment, with links to others. */
function teamMenu(visit: TeamVisit): Html {
  const texts = FRAME_TEXTS[visit.language];
  const other = visit.environment === 'sandbox' ? 'live' : 'sandbox';
  const others = visit.session.memberships.filter(({ team_id }) => team_id !== visit.team.id);
  return html`<details class="team"><summary><span class="team-name">${visit.team.name}</span>
<span class="environment">${visit.environment === 'sandbox' ? texts.sandbox : texts.live}</span>${consoleIcon('down')}</summary>
<ul><li><a href="/console/${String(visit.team.id)}/${other}">${other === 'live' ? texts.toLive : texts.toSandbox}</a></li>
${others.map(({ team_id, team_name }) => html`<li><a href="/console/${String(team_id)}/${visit.environment}">${team_name}</a></li>`)}</ul></details>`;
}

function personMenu(visit: Visit): Html {
  const texts = FRAME_TEXTS[visit.language];
  return html`<div class="person">${
    visit.session &&
    html`<a href="/console/account">${visit.session.user.name}<span class="note">${texts.account}</span></a>
${visit.session.user.operator && html`<a href="/console/operator">${texts.operator}</a>`}
<form method="post" action="/console/sign-out">${visit.formFields()}<button class="link">${texts.signOut}</button></form>`
  }${languageForm(visit)}</div>`;
}

function languageForm(visit: Visit): Html {
  const others = CONSOLE_LANGUAGES.filter((language) => language !== visit.language);
  const names: Record<ConsoleLanguage, string> = { en: 'English', fr: 'Français' };
  return html`<form method="post" action="/console/language">${visit.formFields()}
<input type="hidden" name="to" value="${visit.path}">${others.map(
    (language) => html`<button class="link" name="language" value="${language}" lang="${language}">${names[language]}</button>`,
  )}</form>`;
}

function plainBody(visit: Visit, page: Page): Html {
  return html`<div class="alone${page.wide && ' wide-page'}"><header class="brand"><span class="logo" aria-hidden="true"></span>Pirogue</header>
<main id="main" tabindex="-1">${page.body}</main>
<footer>${personMenu(visit)}</footer></div>`;
}
