import { idPrefix } from '../../kit/ids.ts';
import { Cursors, pageOf } from '../../kit/paging.ts';
import { ListTotals } from '../../platform/db/list-totals.ts';
import type { ListSearcher } from '../../platform/search/list.ts';
import type { Call, Reply } from '../../tenants/api/route.ts';
import type { LinkDeps } from './deps.ts';
import { presentLink } from './present.ts';
import type { LinkRow, ListLinksQuery } from './schema.ts';
import { countLinks, linkConditions, listLinks } from './store.ts';

/** Returns the handler of GET /links: offset or cursor pages, newest first. */
export function linkLister(
  deps: Pick<LinkDeps, 'config' | 'secrets'>,
  searcher: ListSearcher<LinkRow>,
): (call: Call<unknown, ListLinksQuery>) => Promise<Reply> {
  const totals = new ListTotals('lnk');
  return async (call) => {
    const { team, store } = call.caller;
    const { db } = store;
    const cursors = new Cursors(deps.secrets, `links:live:${team.id}`);
    const position = cursors.position(call.query);
    const found = await searcher.search(store, team.id, { query: call.query, position, conditions: linkConditions });
    const rows = found?.rows ?? (await listLinks(db, team.id, call.query, position));
    const { items, meta } = await pageOf(
      cursors,
      position,
      rows,
      idPrefix('lnk', 'live'),
      async () => found?.total ?? totals.of(`${team.id}`, call, (ids) => countLinks(db, team.id, call.query, ids)),
    );
    return { code: 200, message: 'Links retrieved', body: { items: items.map((row) => presentLink(deps, row)), meta } };
  };
}
