import { html } from '../../../../../kit/html.ts';
import { type KeyRow, listTeamKeys } from '../../../../../tenants/keys/store.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { number } from '../../../parts/format.ts';
import { type Column, empty, table, when } from '../../../parts/parts.ts';
import { developersHead, tabName } from '../tabs.ts';
import { KEY_TEXTS } from './texts.ts';
import { ends, keyName, rights, stateBadge } from './views.ts';

/** Maximum number of keys that are shown. Keys that are not revoked come first. */
const MAX_SHOWN = 200;

/** Shows the keys of this environment. */
export async function showKeys({ stores }: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const { base, language, team, environment } = visit;
  const texts = KEY_TEXTS[language];
  const keys = await listTeamKeys(stores.control, { team_id: team.id, environment, limit: MAX_SHOWN });
  const add = visit.can('key.write') && html`<a class="button" href="${base}/developers/keys/new">${texts.create}</a>`;
  return {
    kind: 'page',
    title: tabName(visit, 'keys'),
    nav: '/developers',
    body: html`${developersHead(visit, 'keys', add)}${
      keys.length === 0 ? empty(texts.none, texts.noneText) : table(tabName(visit, 'keys'), columns(visit), keys)
    }`,
  };
}

function columns(visit: TeamVisit): Column<KeyRow>[] {
  const { base, language } = visit;
  const texts = KEY_TEXTS[language];
  return [
    {
      head: texts.key,
      kind: 'main',
      cell: (key) => html`<a href="${base}/developers/keys/${key.id}"><code>${keyName(key)}</code></a>`,
    },
    { head: texts.state, cell: (key) => stateBadge(key, visit) },
    { head: texts.rights, cell: (key) => rights(key, language) },
    {
      head: texts.addresses,
      cell: ({ allowed_ips }) => (allowed_ips.length === 0 ? texts.anyAddress : number(allowed_ips.length, language)),
    },
    { head: texts.expires, cell: (key) => ends(key, language) },
    { head: texts.created, cell: ({ created_at }) => when(created_at, language) },
  ];
}
