import { BUCKETS, type Balance } from '../../../../core/balance/schema.ts';
import { type Html, type HtmlPart, html } from '../../../../kit/html.ts';
import { CURRENCIES, isCurrency } from '../../../../kit/money.ts';
import type { ConsoleLanguage } from '../../language.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { channelName } from '../../parts/channels.ts';
import { FIGURE_NAMES } from '../../parts/figures.ts';
import type { Fault } from '../../parts/fault.ts';
import { wireMoney } from '../../parts/format.ts';
import { alert, card, confirm, doneAlert, facts, idText, select, when } from '../../parts/parts.ts';
import { withQuery } from '../../paths.ts';
import { switchFields } from '../../switch-once.ts';
import { type Account, accountBadges, accountOf, shareOf } from './read.ts';
import { ACCOUNT_TEXTS } from './texts.ts';

/** Shows one subaccount, with the reason of a rejected action. */
export async function showAccount(visit: TeamVisit, fault?: Fault): Promise<Answer> {
  const { base, language, query } = visit;
  const texts = ACCOUNT_TEXTS[language];
  const account = await accountOf(visit);
  const balance = await balanceCard(visit, account);
  return {
    kind: 'page',
    title: account.name,
    nav: '/subaccounts',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${base}/subaccounts">← ${texts.title}</a></p>
<div class="page-head"><div><h1>${account.name} ${accountBadges(account, visit)}</h1><p class="note">${idText(account.id)}</p></div>
<div class="actions">${visit.can('account.write') && actions(visit, account, fault)}</div></div>${alert(fault?.message)}${!fault && doneAlert(texts.done, query.done)}
<div class="columns"><div>${detailsCard(visit, account)}</div><div class="balance">${balance}</div></div>`,
  };
}

function actions(visit: TeamVisit, account: Account, fault?: Fault): Html {
  const { id, active } = account;
  const texts = ACCOUNT_TEXTS[visit.language];
  const hidden = switchFields(visit, account, fault);
  const path = `${visit.base}/subaccounts/${id}`;
  const { deactivate, deactivateWhy, reactivate } = texts.actions;
  return html`<form method="post" action="${path}/onboarding">${visit.formFields()}<button class="quiet-button">${texts.onboard}</button></form>${
    active
      ? confirm({ summary: deactivate, why: deactivateWhy, action: `${path}/deactivate`, danger: true }, hidden)
      : html`<form method="post" action="${path}/reactivate">${hidden}<button class="quiet-button">${reactivate}</button></form>`
  }<a class="button" href="${path}/edit">${texts.edit}</a>`;
}

function detailsCard(visit: TeamVisit, account: Account): Html {
  const { language } = visit;
  const texts = ACCOUNT_TEXTS[language];
  const { email, phone, settlement, created_at, business_profile, metadata } = account;
  const rows: (readonly [string, HtmlPart])[] = [
    [texts.email, email],
    [texts.phone, phone],
    [texts.split, shareOf(account, visit)],
    [texts.settlement, settlement === null ? texts.channelNone : settlementText(settlement, language)],
    [texts.created, when(created_at, language)],
  ];
  return html`${card(texts.details, facts(rows))}${ownCard(texts.profile, business_profile)}${ownCard(texts.metadata, metadata)}`;
}

function settlementText({ channel, account_number }: NonNullable<Account['settlement']>, language: ConsoleLanguage): Html {
  return html`${channelName(channel, language)}<span class="under">${account_number}</span>`;
}

function ownCard(title: string, data: Account['metadata']): Html | false {
  const rows = Object.entries(data ?? {}).map(
    ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  return rows.length > 0 && card(title, facts(rows));
}

/** The balance of the subaccount in one currency, for roles that read balances. */
async function balanceCard(visit: TeamVisit, { id }: Account): Promise<Html | null> {
  if (!visit.can('balance.read')) return null;
  const { language, query, team } = visit;
  const texts = ACCOUNT_TEXTS[language];
  const { currency: wanted = '' } = query;
  const currency = isCurrency(wanted) ? wanted : team.default_currency;
  const { body } = await visit.api('GET /balance', { query: { currency }, sync: id });
  const { balance } = body as unknown as { balance: Balance };
  const rows = BUCKETS.map((bucket) => [FIGURE_NAMES[language][bucket], wireMoney(balance[bucket], currency, language)] as const);
  const choice = select(
    { name: 'currency', label: texts.currency, value: currency },
    CURRENCIES.map((code) => [code, code] as const),
  );
  return card(
    texts.balance,
    html`${facts([[texts.total, wireMoney(balance.total, currency, language)], ...rows])}<p class="note">${texts.balanceNote} <a href="${withQuery(`${visit.base}/subaccounts/${id}/balance`, { currency })}">${texts.statement}</a></p>
<form class="filters" action="${visit.base}/subaccounts/${id}">${choice}<div class="form-actions"><button class="quiet-button">${texts.show}</button></div></form>`,
  );
}
