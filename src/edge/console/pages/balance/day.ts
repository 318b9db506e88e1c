import type { HistoryItem } from '../../../../core/balance/schema.ts';
import { readStatement, type StatementDay } from '../../../../core/balance/statement.ts';
import { notFound } from '../../../../kit/errors.ts';
import { type Html, html } from '../../../../kit/html.ts';
import { hundredths } from '../../../../kit/money.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { FIGURE_NAMES } from '../../parts/figures.ts';
import { change, dayText, signedMoney } from '../../parts/format.ts';
import { type CursorMeta, pager } from '../../parts/pager.ts';
import { card, type Column, empty, facts, pageHead, shortId, table } from '../../parts/parts.ts';
import { withQuery } from '../../paths.ts';
import { oneDay } from './months.ts';
import { bucketOf, currencySwitch, navOf, ownerOf, queryOf, type Selection, selectionOf } from './selection.ts';
import { BALANCE_TEXTS, kindText } from './texts.ts';

const PER_PAGE = 50;

/** Shows one day of a statement: the opening and closing balance, the movements by kind, and each entry. */
export async function showDay(visit: TeamVisit): Promise<Answer> {
  const { language, store, params } = visit;
  const days = oneDay(params.day ?? '');
  if (!days) throw notFound();
  const texts = BALANCE_TEXTS[language];
  const selection = await selectionOf(visit);
  const { currency, subaccount } = selection;
  const [statement, entries] = await Promise.all([
    readStatement(store.db, ownerOf(visit, selection), bucketOf(selection), days),
    entriesOf(visit, selection, days.from),
  ]);
  const path = `${selection.path}/${days.from}`;
  const back = withQuery(selection.path, { ...queryOf(selection), month: days.from.slice(0, 7) });
  const name = FIGURE_NAMES[language][selection.figure];
  return {
    kind: 'page',
    title: `${name} · ${dayText(days.from, language)}`,
    nav: navOf(selection),
    body: html`<p class="back"><a href="${back}">← ${texts.statement}</a></p>
${pageHead(dayText(days.from, language), { note: [subaccount?.name, name, currency, 'UTC'].filter(Boolean).join(' · '), actions: currencySwitch(visit, path, selection) })}
<div class="columns"><div>${entriesCard(visit, selection, path, entries)}</div><div>${
      statement
        ? sums(visit, selection, statement.days[0] ?? nothing(days.from, statement.closing_minor))
        : card(texts.byKind, empty(texts.counting, texts.countingText))
    }</div></div>`,
  };
}

function nothing(day: string, balance_minor: bigint): StatementDay {
  return { day, opening_minor: balance_minor, in_minor: 0n, out_minor: 0n, closing_minor: balance_minor, kinds: [] };
}

function sums({ language }: TeamVisit, { currency }: Selection, day: StatementDay): Html {
  const texts = BALANCE_TEXTS[language];
  const shown = (amount: bigint) => signedMoney(amount, currency, language);
  const rows = day.kinds.map(
    ({ kind, amount_minor }) => [kindText(kind, language), change(amount_minor, currency, language)] as const,
  );
  return card(
    texts.byKind,
    html`<div class="balance ends">${facts([[texts.opening, shown(day.opening_minor)], ...rows, [texts.closing, shown(day.closing_minor)]])}</div>`,
  );
}

interface Entries {
  items: HistoryItem[];
  meta: CursorMeta;
}

async function entriesOf(visit: TeamVisit, selection: Selection, day: string): Promise<Entries> {
  const { cursor = '' } = visit.query;
  const filters = { date_from: day, date_to: day, currency: selection.currency, bucket: bucketOf(selection) };
  const { body } = await visit.api('GET /balance/history', {
    query: { ...filters, per_page: PER_PAGE, cursor },
    sync: selection.subaccount?.id ?? null,
  });
  return body as unknown as Entries;
}

function entriesCard(visit: TeamVisit, selection: Selection, path: string, { items, meta }: Entries): Html {
  const { language } = visit;
  const texts = BALANCE_TEXTS[language];
  if (items.length === 0) return card(texts.entries, empty(texts.noEntries, ''));
  const columns: Column<HistoryItem>[] = [
    {
      head: texts.time,
      cell: ({ created_at }) => html`<time datetime="${created_at}">${created_at.slice(11, 19)}</time>`,
    },
    { head: texts.cause, kind: 'main', cell: ({ kind }) => kindText(kind, language) },
    ...(selection.figure === 'total'
      ? [{ head: texts.figure, cell: ({ bucket }: HistoryItem) => FIGURE_NAMES[language][bucket] }]
      : []),
    { head: texts.subject, cell: (entry) => subject(visit, entry) },
    {
      head: texts.amount,
      kind: 'number',
      cell: ({ amount, currency }) => change(hundredths(amount), currency, language),
    },
  ];
  return card(
    texts.entries,
    html`${table(texts.entries, columns, items)}${pager({ ...visit, query: { ...queryOf(selection), cursor: visit.query.cursor ?? '' } }, path, meta)}`,
  );
}

/** The payment or payout that an entry belongs to, with a link to its page. */
function subject({ base, can }: TeamVisit, { subject: id }: HistoryItem): Html {
  if (id.startsWith('trx_') && can('payment.read')) return shortId(id, `${base}/payments/${id}`);
  if (id.startsWith('po_') && can('transfer.read')) return shortId(id, `${base}/payouts/${id}`);
  return shortId(id);
}
