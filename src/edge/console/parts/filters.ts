import { type Html, html } from '../../../kit/html.ts';
import type { Texts } from '../language.ts';
import type { TeamVisit } from '../page.ts';

const TEXTS: Texts<{ filters: string; apply: string; clear: string }> = {
  en: { filters: 'Filters of the list', apply: 'Apply', clear: 'Clear filters' },
  fr: { filters: 'Filtres de la liste', apply: 'Appliquer', clear: 'Effacer les filtres' },
};

/**
 * The form above a list. Its fields become part of the address, so that a view can be saved and shared.
 * @param path of the list in the team, such as `/payments`
 * @param names of the fields; a link clears them when one has a value
 */
export function filterForm({ language, query, base }: TeamVisit, path: string, names: readonly string[], fields: Html): Html {
  const texts = TEXTS[language];
  const clear =
    names.some((name) => query[name]) && html`<a class="button quiet-button" href="${base}${path}">${texts.clear}</a>`;
  return html`<form class="filters" action="${base}${path}" role="search" aria-label="${texts.filters}">
${fields}
<div class="form-actions"><button>${texts.apply}</button>${clear}</div>
</form>`;
}
