import type { DayFigures } from '../../../../core/figures/schema.ts';
import { type Html, html, raw } from '../../../../kit/html.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { withQuery } from '../../paths.ts';
import { type Figure, FIGURE_NAMES, FIGURES } from '../../parts/figures.ts';
import { money, number, wireMoney } from '../../parts/format.ts';
import { card, empty, facts, pageHead } from '../../parts/parts.ts';
import { collectedChart, successChart } from './charts.ts';
import { channelTable } from './channels.ts';
import { confirmOf, daysOf, endedOf, PERIODS, type Period, successOf, sum } from './figures.ts';
import { duration, percent } from './format.ts';
import type { Attention } from './read.ts';
import { HOME_TEXTS } from './texts.ts';

/** Data of the page. */
export interface Home {
  period: Period;
  currencies: { shown: string; all: string[] };
  /** Figures of the shown currency. */
  days: readonly DayFigures[];
  balance: Record<Figure, number> | null;
  attention: readonly Attention[];
}

/** Renders the first page of a team. */
export function homeView(visit: TeamVisit, home: Home): Answer {
  const texts = HOME_TEXTS[visit.language];
  const isEmpty = endedOf(sum(home.days)) === 0;
  return {
    kind: 'page',
    title: texts.title,
    nav: '',
    body: html`${pageHead(texts.title, { note: texts.note, actions: switches(visit, home) })}
${attention(visit, home)}${figures(visit, home)}
<div class="columns"><div>${card(texts.byDay, collectedChart(visit, home))}${
      !isEmpty && card(texts.successByDay, successChart(visit, home))
    }</div><div>${balance(visit, home)}</div></div>
${card(texts.byChannel, isEmpty ? empty(texts.noPayments, texts.noPaymentsText) : channelTable(visit, home.days))}`,
  };
}

/** Links to the same page for another period or currency. */
function switches(visit: TeamVisit, { period, currencies }: Home): Html {
  const texts = HOME_TEXTS[visit.language];
  const path = visit.base;
  const one = (label: string, query: Record<string, string>, isCurrent: boolean) =>
    html`<a href="${withQuery(path, query)}"${isCurrent && raw(' aria-current="true"')}>${label}</a>`;
  const currency = currencies.all.length > 1 ? currencies.shown : '';
  const periods = PERIODS.map((days) => one(texts.days(days), { days: String(days), currency }, days === period));
  const others = currencies.all.map((name) => one(name, { days: String(period), currency: name }, name === currencies.shown));
  return html`${currencies.all.length > 1 && html`<nav class="switch" aria-label="${texts.currency}">${others}</nav>`}<nav class="switch" aria-label="${texts.period}">${periods}</nav>`;
}

function figures({ language, at }: TeamVisit, { period, currencies, days }: Home): Html {
  const texts = HOME_TEXTS[language];
  const last = daysOf(period, at).at(-1);
  const today = sum(days.filter(({ day }) => day === last));
  const all = sum(days);
  const success = successOf(days);
  const confirm = confirmOf(all);
  const amount = (minor: bigint) => money(minor, currencies.shown, language);
  const payments = (count: number) => texts.payments(number(count, language), count === 1);
  const refunds = all.refunded > 0 && texts.refunded(amount(all.refunded_minor));
  const inPeriod = texts.days(period);
  return html`<div class="cards">${[
    stat(texts.collectedToday, amount(today.collected_minor), payments(today.succeeded)),
    stat(
      `${texts.collected} · ${inPeriod}`,
      amount(all.collected_minor),
      [payments(all.succeeded), refunds].filter(Boolean).join(' · '),
    ),
    stat(`${texts.success} · ${inPeriod}`, success === null ? texts.none : percent(success, language), texts.successNote),
    stat(`${texts.confirm} · ${inPeriod}`, confirm === null ? texts.none : duration(confirm, language), texts.confirmNote),
  ]}</div>`;
}

function stat(name: string, value: string, note: string): Html {
  return html`<section class="card stat"><h2>${name}</h2><p class="figure">${value}</p><p class="note">${note}</p></section>`;
}

/** Matters that need attention, at the top of the page; nothing when there are none. */
function attention({ language }: TeamVisit, { attention }: Home): Html | null {
  if (attention.length === 0) return null;
  const items = attention.map(({ text, path }) => html`<li>${path ? html`<a href="${path}">${text}</a>` : text}</li>`);
  return card(HOME_TEXTS[language].attention, html`<ul class="attention">${items}</ul>`);
}

function balance({ language }: TeamVisit, { balance, currencies }: Home): Html | null {
  if (!balance) return null;
  const texts = HOME_TEXTS[language];
  const rows = FIGURES.map(
    (name) => [FIGURE_NAMES[language][name], wireMoney(balance[name], currencies.shown, language)] as const,
  );
  return card(
    `${texts.balance} · ${currencies.shown}`,
    html`<div class="balance">${facts(rows)}</div><p class="note">${texts.balanceNote}</p>`,
  );
}
