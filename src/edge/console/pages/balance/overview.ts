import type { Balance } from '../../../../core/balance/schema.ts';
import { readBalance } from '../../../../core/balance/service.ts';
import { readStatement, type Statement, type StatementDay } from '../../../../core/balance/statement.ts';
import { type Html, html, raw } from '../../../../kit/html.ts';
import { hundredths } from '../../../../kit/money.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { type Figure, FIGURE_NAMES, FIGURES } from '../../parts/figures.ts';
import { change, dayText, monthText, signedMoney } from '../../parts/format.ts';
import { card, type Column, empty, field, pageHead, table } from '../../parts/parts.ts';
import { withQuery } from '../../paths.ts';
import type { Account } from '../subaccounts/read.ts';
import { daysOfMonth, monthBeside, monthOf } from './months.ts';
import { bucketOf, currencySwitch, navOf, ownerOf, queryOf, type Selection, selectionOf } from './selection.ts';
import { BALANCE_TEXTS } from './texts.ts';

/** Shows the eight figures of a currency, and the statement of one of them for a month. */
export async function showBalance(visit: TeamVisit): Promise<Answer> {
  const { language, store, team, query, at } = visit;
  const texts = BALANCE_TEXTS[language];
  const selection = await selectionOf(visit);
  const { currency, subaccount } = selection;
  const month = monthOf(query.month, at);
  const [balance, statement] = await Promise.all([
    readBalance(store.db, team.id, currency, subaccount?.id ?? null),
    readStatement(store.db, ownerOf(visit, selection), bucketOf(selection), daysOfMonth(month)),
  ]);
  const actions = currencySwitch(visit, selection.path, selection);
  const title = subaccount ? `${texts.title} · ${subaccount.name}` : texts.title;
  return {
    kind: 'page',
    title,
    nav: navOf(selection),
    body: html`${subaccount && backTo(visit, subaccount)}${pageHead(`${title} · ${currency}`, { note: texts.note, actions })}${figures(visit, selection, balance)}
${statementCard(visit, selection, month, statement)}${exportCard(visit, selection, month)}`,
  };
}

function backTo({ base }: TeamVisit, { id, name }: Account): Html {
  return html`<p class="back"><a href="${base}/subaccounts/${id}">← ${name}</a></p>`;
}

function figures({ language }: TeamVisit, selection: Selection, balance: Balance): Html {
  const texts = BALANCE_TEXTS[language];
  const { currency } = selection;
  const path = (figure: Figure) => withQuery(selection.path, queryOf({ ...selection, figure }));
  const columns: Column<Figure>[] = [
    {
      head: texts.figure,
      kind: 'main',
      cell: (figure) =>
        html`<a href="${path(figure)}"${figure === selection.figure && raw(' aria-current="true"')}>${FIGURE_NAMES[language][figure]}</a>`,
    },
    { head: texts.meaning, cell: (figure) => html`<span class="note">${texts.meanings[figure]}</span>` },
    {
      head: texts.amount,
      kind: 'number',
      cell: (figure) => signedMoney(hundredths(balance[figure]), currency, language),
    },
  ];
  return card(texts.now, html`<div class="figures">${table(texts.now, columns, FIGURES)}</div>`);
}

function statementCard(visit: TeamVisit, selection: Selection, month: string, statement: Statement | null): Html {
  const { language } = visit;
  const texts = BALANCE_TEXTS[language];
  const title = `${texts.statement} · ${FIGURE_NAMES[language][selection.figure]} · ${monthText(month, language)}`;
  return card(
    title,
    html`${statement ? statementView(visit, selection, statement) : empty(texts.counting, texts.countingText)}`,
    {
      actions: months(visit, selection, month, statement?.earlier ?? false),
    },
  );
}

/** Links to the months beside this one. */
function months({ language, at }: TeamVisit, selection: Selection, month: string, earlier: boolean): Html {
  const texts = BALANCE_TEXTS[language];
  const link = (beside: string, rel: string) =>
    html`<a class="button quiet-button" rel="${rel}" href="${withQuery(selection.path, { ...queryOf(selection), month: beside })}">${monthText(beside, language)}</a>`;
  const isPast = month < monthOf(undefined, at);
  return html`<nav class="months" aria-label="${texts.months}">${earlier && link(monthBeside(month, -1), 'prev')}${isPast && link(monthBeside(month, 1), 'next')}</nav>`;
}

function statementView(visit: TeamVisit, selection: Selection, { opening_minor, closing_minor, days }: Statement): Html {
  const { language } = visit;
  const texts = BALANCE_TEXTS[language];
  const { currency } = selection;
  const shown = (amount: bigint) => signedMoney(amount, currency, language);
  const moved = (amount: bigint) => (amount === 0n ? '—' : change(amount, currency, language));
  if (days.length === 0) return empty(texts.noMovement, `${texts.closing} ${shown(closing_minor)}`);
  const columns: Column<StatementDay>[] = [
    {
      head: texts.day,
      kind: 'main',
      cell: ({ day }) =>
        html`<a href="${withQuery(`${selection.path}/${day}`, queryOf(selection))}">${dayText(day, language)}</a>`,
    },
    { head: texts.opening, kind: 'number', cell: (day) => shown(day.opening_minor) },
    { head: texts.in, kind: 'number', cell: (day) => moved(day.in_minor) },
    { head: texts.out, kind: 'number', cell: (day) => moved(day.out_minor) },
    { head: texts.closing, kind: 'number', cell: (day) => shown(day.closing_minor) },
  ];
  const all = (side: 'in_minor' | 'out_minor') => days.reduce((sum, day) => sum + day[side], 0n);
  const totals = [
    [texts.opening, shown(opening_minor)],
    [texts.in, moved(all('in_minor'))],
    [texts.out, moved(all('out_minor'))],
    [texts.closing, shown(closing_minor)],
  ];
  return html`<dl class="totals">${totals.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p class="note">${texts.statementNote}</p>${table(texts.statement, columns, days.toReversed())}`;
}

/** The form that downloads the entries of a range of days. */
function exportCard({ language, query }: TeamVisit, selection: Selection, month: string): Html {
  const texts = BALANCE_TEXTS[language];
  const { from, before } = daysOfMonth(month);
  const last = new Date(Date.parse(before) - 86_400_000).toISOString().slice(0, 10);
  const hidden = Object.entries(queryOf(selection)).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const isWrong = query.fault === 'days';
  return card(
    texts.export.title,
    html`<p class="note">${texts.export.note}</p><form class="filters" action="${selection.path}/export">${hidden}
${field({ name: 'date_from', label: texts.export.from, type: 'date', value: query.date_from ?? from, required: true, error: isWrong ? texts.export.wrong : undefined })}
${field({ name: 'date_to', label: texts.export.to, type: 'date', value: query.date_to ?? last, required: true })}
<div class="form-actions"><button class="quiet-button">${texts.export.submit}</button></div></form>`,
  );
}
