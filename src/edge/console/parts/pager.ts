import { type Html, html } from '../../../kit/html.ts';
import type { Texts } from '../language.ts';
import type { Visit } from '../page.ts';
import { withQuery } from '../paths.ts';

const TEXTS: Texts<{ newer: string; older: string; pages: string }> = {
  en: { newer: 'Newer', older: 'Older', pages: 'Pages of the list' },
  fr: { newer: 'Plus récents', older: 'Plus anciens', pages: 'Pages de la liste' },
};

/** `meta` of a list of the API: of a page with a cursor, or of a numbered one. */
export interface CursorMeta {
  next_cursor?: string | null;
  prev_cursor?: string | null;
  has_more?: boolean;
  current_page?: number;
  last_page?: number;
}

/** Links to the previous and the next page. The filters in the address are kept. */
export function pager({ language, query }: Visit, path: string, meta: CursorMeta): Html {
  const texts = TEXTS[language];
  const link = (cursor: string | null | undefined, label: string, rel: string) =>
    cursor && html`<a class="button quiet-button" rel="${rel}" href="${withQuery(path, { ...query, cursor })}">${label}</a>`;
  const older = hasMore(meta) ? link(meta.next_cursor, texts.older, 'next') : null;
  const newer = query.cursor ? link(meta.prev_cursor, texts.newer, 'prev') : null;
  return html`${(older || newer) && html`<nav class="pager" aria-label="${texts.pages}">${newer}${older}</nav>`}`;
}

function hasMore({ has_more, current_page = 1, last_page = 1 }: CursorMeta): boolean {
  return has_more ?? current_page < last_page;
}
