import { type Html, html } from '../../../../kit/html.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { findPage } from '../../parts/lists.ts';
import { type CursorMeta, pager } from '../../parts/pager.ts';
import { alert, type Column, empty, pageHead, table, when } from '../../parts/parts.ts';
import { type Account, accountBadges, shareOf } from './read.ts';
import { ACCOUNT_TEXTS } from './texts.ts';

/** Shows the list of subaccounts. */
export async function showAccounts(visit: TeamVisit): Promise<Answer> {
  const texts = ACCOUNT_TEXTS[visit.language];
  const found = await findPage<Account>(visit, 'GET /accounts', []);
  const actions = visit.can('account.write') && html`<a class="button" href="${visit.base}/subaccounts/new">${texts.new}</a>`;
  return {
    kind: 'page',
    title: texts.title,
    nav: '/subaccounts',
    body: html`${pageHead(texts.title, { note: texts.note, actions })}${'items' in found ? results(visit, found.items, found.meta) : alert(found.message)}`,
  };
}

function results(visit: TeamVisit, items: Account[], meta: CursorMeta): Html {
  const { language, base } = visit;
  const texts = ACCOUNT_TEXTS[language];
  if (items.length === 0) return empty(texts.none, texts.noneText);
  const columns: Column<Account>[] = [
    { head: texts.name, kind: 'main', cell: ({ id, name }) => html`<a href="${base}/subaccounts/${id}">${name}</a>` },
    { head: texts.status, cell: (account) => accountBadges(account, visit) },
    { head: texts.split, cell: (account) => shareOf(account, visit) },
    { head: texts.email, cell: ({ email }) => email },
    { head: texts.created, cell: ({ created_at }) => when(created_at, language) },
  ];
  return html`${table(texts.title, columns, items)}${pager(visit, `${base}/subaccounts`, meta)}`;
}
