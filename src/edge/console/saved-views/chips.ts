import { type Html, html, raw } from '../../../kit/html.ts';
import { listViews, type ViewPlace } from '../../../tenants/people/view-store.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { TeamVisit } from '../page.ts';
import { field } from '../parts/parts.ts';
import { VIEW_TEXTS } from './texts.ts';

/** A list whose filters can be saved. */
export interface ViewedList {
  /** Below the team's base. */
  path: string;
  /** Filters that are saved. The search text is not saved: it can name a payer, and would survive an erasure. */
  kept: readonly string[];
}

/** Reason why a view was not saved, with the typed name. */
export interface ViewFault {
  name: string;
  message: string;
}

/** Returns the list as this person sees it. */
export function placeOf({ session, team, environment }: TeamVisit, { path }: ViewedList): ViewPlace {
  return { user_id: session.user.id, team_id: team.id, environment, page: path };
}

/** Returns the filters in the address that a view keeps, in a fixed order; empty when there are none. */
export function keptQuery({ query }: TeamVisit, { kept }: ViewedList): string {
  const given = kept.flatMap((name): [string, string][] => (query[name] ? [[name, query[name]]] : []));
  return new URLSearchParams(given).toString();
}

/** Links to the saved views of a list, and the form that saves the filters in the address. */
export async function viewChips(deps: ConsoleDeps, visit: TeamVisit, list: ViewedList, fault?: ViewFault): Promise<Html> {
  const texts = VIEW_TEXTS[visit.language];
  const all = visit.base + list.path;
  const current = keptQuery(visit, list);
  const views = await listViews(deps.stores.control, placeOf(visit, list));
  const path = (name: string) => `${all}/views${name}${current && `?${current}`}`;
  const chips = views.map(({ name, query }) => {
    const shown = query === current && raw(' aria-current="true"');
    return html`<li><a href="${all}?${query}"${shown}>${name}</a><form method="post" action="${path('/delete')}">${visit.formFields()}
<input type="hidden" name="name" value="${name}"><button class="link" aria-label="${texts.remove(name)}">×</button></form></li>`;
  });
  const known = views.some(({ query }) => query === current);
  const form =
    ((current !== '' && !known) || fault) &&
    html`<details class="more"${fault && raw(' open')}><summary class="button quiet-button">${texts.save}</summary><form class="save-view" method="post" action="${path('')}">${visit.formFields()}
${field({ name: 'name', label: texts.name, value: fault?.name, error: fault?.message, help: texts.help, maxlength: 40, required: true, autocomplete: 'off' })}
<div class="form-actions"><button>${texts.save}</button></div></form></details>`;
  if (chips.length === 0 && !form) return html``;
  return html`<div class="views">${chips.length > 0 && html`<ul class="chips" aria-label="${texts.views}">${chips}</ul>`}${form}</div>`;
}
