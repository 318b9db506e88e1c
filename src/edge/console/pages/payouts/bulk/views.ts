import { sayStored } from '../../../messages/say.ts';
import type { Pair } from '../../../messages/template.ts';
import { readBalance } from '../../../../../core/balance/service.ts';
import type { BatchRow, LineStatus, LineSum, ShownLine } from '../../../../../core/payout-batches/schema.ts';
import { MAX_WAITING } from '../../../../../tenants/approvals/schema.ts';
import { type Html, html, raw } from '../../../../../kit/html.ts';
import { hundredths } from '../../../../../kit/money.ts';
import { assetPath } from '../../../assets.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { meter } from '../../../parts/charts.ts';
import { checkbox } from '../../../parts/choices.ts';
import { money, number, signedMoney } from '../../../parts/format.ts';
import { alert, badge, card, type Column, pageHead, shortId, table, type Tone, when } from '../../../parts/parts.ts';
import { approvalBadge } from '../../approvals/parts.ts';
import { payoutBadge } from '../status.ts';
import { PAYOUT_TEXTS } from '../texts.ts';
import { type Followed, linesEnded, unpaidLines } from './follow.ts';
import { hasJustPaid } from './go-on.ts';
import { COLUMNS, MAX_CHARACTERS } from './parse.ts';
import { BULK_TEXTS } from './texts.ts';

/** Lines on one page. */
export const PAGE = 100;

const EXAMPLE = [
  COLUMNS.join(','),
  '+237650000000,cm.mtn,Ama Ngono,,25000,XAF,PAIE-11-01,Salaire de novembre',
  '0123456789,ng.bank,Kofi Ltd,044,1250.50,NGN,INV-118,',
].join('\n');

type Latest = BatchRow & { open: number; unpaid: number; waits: boolean };

/** The form of a list, with the lists that were uploaded before. */
export function formView(visit: TeamVisit, latest: readonly Latest[], csv: string, fault: string | undefined): Answer {
  const { language, base } = visit;
  const texts = BULK_TEXTS[language];
  const path = `${base}/payouts/bulk`;
  // A list that is too long is not repeated in the form, because a part of it could be submitted as the whole list.
  const isLong = csv.length > MAX_CHARACTERS;
  const limit = html` data-max="${MAX_CHARACTERS}" data-too-long="${texts.faults.long(number(MAX_CHARACTERS, language))}"`;
  return {
    kind: 'page',
    title: texts.title,
    nav: '/payouts',
    ...(fault === undefined ? {} : { status: 422 }),
    body: html`<p class="back"><a href="${base}/payouts">← ${PAYOUT_TEXTS[language].title}</a></p>${pageHead(texts.title, { note: texts.note })}
<section class="card"><form method="post" action="${path}?from=${encodeURIComponent(path)}">${visit.formFields()}
<div class="field" hidden><label for="f-file">${texts.file}</label><input type="file" id="f-file" accept=".csv,text/csv" data-fills="f-csv"></div>
<div class="field"><label for="f-csv">${texts.csv}</label><textarea id="f-csv" name="csv" rows="10" spellcheck="false" required${limit} aria-describedby="f-csv-help${fault !== undefined && ' f-csv-error'}"${fault !== undefined && raw(' aria-invalid="true"')}>${!isLong && csv}</textarea>
${fault !== undefined && html`<p class="error" id="f-csv-error">${fault}</p>`}<p class="help" id="f-csv-help">${texts.csvHelp}</p>${isLong && beginning(texts.beginning, csv)}</div>
<div class="form-actions"><button>${texts.check}</button></div></form></section>
${card(texts.format, html`<p class="note">${texts.formatText}</p><pre tabindex="0"><code>${EXAMPLE}</code></pre>`)}${latest.length > 0 && latestCard(visit, latest)}
<script src="${assetPath('payouts')}" defer></script>`,
  };
}

/** Number of characters that are shown of a list that is too long, so that its author recognises it. */
const MAX_SHOWN = 2_000;

function beginning(title: string, csv: string): Html {
  return html`<p>${title}</p><pre tabindex="0" aria-label="${title}"><code>${csv.slice(0, MAX_SHOWN)}…</code></pre>`;
}

function latestCard({ language, base }: TeamVisit, latest: readonly Latest[]): Html {
  const texts = BULK_TEXTS[language];
  const columns: Column<Latest>[] = [
    {
      head: texts.uploaded,
      kind: 'main',
      cell: ({ id, created_at }) => html`<a href="${base}/payouts/bulk/${id}">${when(created_at, language)}</a>`,
    },
    { head: texts.linesHead, kind: 'number', cell: ({ lines }) => number(lines, language) },
    { head: texts.state, cell: (batch) => stateBadge(language, batch) },
  ];
  return card(texts.latest, html`<p class="note">${texts.latestNote}</p>${table(texts.latest, columns, latest)}`);
}

function stateBadge(
  language: TeamVisit['language'],
  { started_at, open, waits, unpaid }: Pick<Latest, 'started_at' | 'open' | 'waits' | 'unpaid'>,
): Html {
  const texts = BULK_TEXTS[language].states;
  if (started_at === null) return badge(texts.preview, 'idle');
  if (open > 0) return badge(texts.paused, 'warn');
  if (waits) return badge(texts.waiting, 'warn');
  return unpaid > 0 ? badge(texts.unpaid, 'warn') : badge(texts.finished, 'good');
}

/** A list with its sums and a page of its lines. */
export interface ShownBatch {
  batch: BatchRow;
  sums: readonly LineSum[];
  lines: readonly ShownLine[];
  /** Lines that are invalid, have failed or repeat a payout. */
  troubled: readonly ShownLine[];
  /** First line of the page. */
  from: number;
  /** Number of lines that will need a second person, for a list that is not confirmed. */
  second: number;
  /** Line numbers in the uploaded text of the first and last lines of its pages. */
  places: ReadonlyMap<number, number>;
  /** Lines whose approval was requested, by number. */
  asked: ReadonlyMap<number, Followed>;
}

/** Page of a list before, during and after its payout. */
export async function batchView(visit: TeamVisit, shown: ShownBatch): Promise<Answer> {
  const { language, base, query } = visit;
  const texts = BULK_TEXTS[language];
  const { batch, sums } = shown;
  const open = countOf(sums, 'open');
  const unpaid = sums.reduce((count, one) => count + one.unpaid, 0) + unpaidLines(shown.asked).length;
  const notMade = countOf(sums, 'failed') + linesEnded(shown.asked, 'refused', 'undone').length;
  const stop = query.stop === 'balance' || query.stop === 'sure' ? texts.stops[query.stop] : null;
  return {
    kind: 'page',
    title: texts.title,
    nav: '/payouts',
    body: html`<p class="back"><a href="${base}/payouts/bulk">← ${texts.title}</a></p>
${pageHead(texts.list(number(batch.lines, language)), { note: when(batch.created_at, language), actions: stateBadge(language, { ...batch, open, unpaid: unpaid + notMade, waits: linesEnded(shown.asked, 'waiting').length > 0 }) })}
${alert(stop)}${alert(unpaid > 0 && texts.unpaid(number(unpaid, language)), 'info')}${batch.started_at === null ? await preview(visit, shown) : progress(visit, shown)}${linesCard(visit, shown)}
<script src="${assetPath('payouts')}" defer></script>`,
  };
}

function countOf(sums: readonly LineSum[], ...statuses: LineStatus[]): number {
  return sums.filter(({ status }) => statuses.includes(status)).reduce((count, { lines }) => count + lines, 0);
}

/** The payouts that the list would make, and the confirmation. */
async function preview(visit: TeamVisit, { batch, sums, second }: ShownBatch): Promise<Html> {
  const { language, base, store, team, can } = visit;
  const texts = BULK_TEXTS[language];
  const open = sums.filter(({ status }) => status === 'open');
  const balances = await Promise.all(open.map(({ currency }) => readBalance(store.db, team.id, currency ?? '', null)));
  const rows = open.map((sum, i) => {
    const available = hundredths(balances[i]?.available ?? 0);
    return { ...sum, available, after: available - sum.amount_minor - sum.fee_minor };
  });
  const count = countOf(sums, 'open');
  const wrong = countOf(sums, 'wrong');
  const repeated = open.reduce((total, sum) => total + sum.repeated, 0);
  const path = `${base}/payouts/bulk/${batch.id}`;
  const shown = (amount: bigint, { currency }: LineSum) => signedMoney(amount, currency ?? '', language);
  const columns: Column<(typeof rows)[number]>[] = [
    { head: texts.currency, kind: 'main', cell: ({ currency }) => currency },
    { head: texts.linesHead, kind: 'number', cell: ({ lines }) => number(lines, language) },
    { head: texts.amount, kind: 'number', cell: (row) => shown(row.amount_minor, row) },
    { head: texts.fees, kind: 'number', cell: (row) => shown(row.fee_minor, row) },
    { head: texts.available, kind: 'number', cell: (row) => shown(row.available, row) },
    { head: texts.after, kind: 'number', cell: (row) => shown(row.after, row) },
  ];
  return html`${alert(wrong > 0 && texts.wrong(number(wrong, language)), 'info')}${alert(second > 0 && texts.second(number(second, language), MAX_WAITING), 'info')}${alert(rows.some(({ after }) => after < 0n) && texts.uncovered)}
${rows.length > 0 && card(texts.sums, table(texts.sums, columns, rows))}${
  count > 0 &&
  can('transfer.write') &&
  html`<form class="card-form" method="post" action="${path}/run?from=${encodeURIComponent(path)}">${visit.formFields()}
${sureBox(language, repeated)}
<p class="help">${PAYOUT_TEXTS[language].final}</p><div class="form-actions"><button>${texts.start(number(count, language))}</button><a class="button quiet-button" href="${base}/payouts/bulk">${PAYOUT_TEXTS[language].keep}</a></div></form>`
}`;
}

/** The confirmation of lines that repeat a payout. */
function sureBox(language: TeamVisit['language'], repeated: number): Html | false {
  const label = BULK_TEXTS[language].sure(number(repeated, language));
  return repeated > 0 && checkbox({ name: 'sure', value: String(repeated), checked: false, label });
}

/** Progress of the list, with the actions that continue it. */
function progress(visit: TeamVisit, { batch, sums, asked }: ShownBatch): Html {
  const { language, base, query, can } = visit;
  const texts = BULK_TEXTS[language];
  const [open, failed] = [countOf(sums, 'open'), countOf(sums, 'failed')];
  const right = batch.lines - countOf(sums, 'wrong');
  const path = `${base}/payouts/bulk/${batch.id}`;
  const words = [
    texts.progress(number(right - open, language), number(right, language)),
    countOf(sums, 'asked') > 0 && texts.asked(number(countOf(sums, 'asked'), language)),
    ...(['done', 'refused', 'undone'] as const).map((ending) => {
      const { length } = linesEnded(asked, ending);
      return length > 0 && texts.ended[ending](number(length, language));
    }),
    failed > 0 && texts.failed(number(failed, language)),
  ].filter(Boolean);
  const post = (action: string, label: string, goesOn: boolean, ask?: Html | false) =>
    html`<form method="post" action="${path}/${action}?from=${encodeURIComponent(path)}"${goesOn && raw(' data-go-on')}>${visit.formFields()}${ask}<button>${label}</button></form>`;
  const repeated = sums.reduce((sum, one) => sum + (one.status === 'failed' ? one.repeated : 0), 0);
  const isGoing = open > 0 && hasJustPaid(visit, batch.id, query.go);
  return card(
    texts.progressTitle,
    html`<p class="rate progress" role="status">${meter(right === 0 ? 1 : (right - open) / right)} <span>${words.join(' ')}</span></p>${
      can('transfer.write') &&
      html`<div class="form-actions">${open > 0 && post('run', texts.goOn, isGoing)}${isGoing && html`<a class="button quiet-button" href="${path}">${texts.pause}</a>`}${open === 0 && failed > 0 && post('retry', texts.retry, false, sureBox(language, repeated))}</div>`
    }`,
  );
}

const TONES: Record<LineStatus, Tone> = { wrong: 'bad', open: 'idle', done: 'good', asked: 'warn', failed: 'bad' };

/** Returns the first and the last line of each page. */
export function pagesOf({ lines }: BatchRow): [first: number, last: number][] {
  const count = Math.ceil(lines / PAGE);
  return Array.from({ length: count }, (_, i) => [i * PAGE + 1, Math.min((i + 1) * PAGE, lines)]);
}

function linesCard(visit: TeamVisit, { batch, lines, troubled, from, asked, places }: ShownBatch): Html {
  const texts = BULK_TEXTS[visit.language];
  const path = `${visit.base}/payouts/bulk/${batch.id}`;
  const columns = columnsOf(visit, asked);
  const pages = pagesOf(batch);
  const at = (line: number) => places.get(line) ?? line;
  const links = pages.map(
    ([first, last]) =>
      html`<a href="${path}?from=${first}"${first === from && raw(' aria-current="true"')}>${at(first)}–${at(last)}</a>`,
  );
  return html`${troubled.length > 0 && card(texts.troubled, table(texts.troubled, columns, troubled))}${card(
    texts.linesHead,
    html`${pages.length > 1 && html`<nav class="switch" aria-label="${texts.linesHead}">${links}</nav>`}${table(texts.linesHead, columns, lines)}`,
  )}`;
}

/** Reasons set by the console itself, as stored with a line. */
const OWN: readonly Pair[] = [
  [BULK_TEXTS.en.faults.surplus, BULK_TEXTS.fr.faults.surplus],
  [BULK_TEXTS.en.faults.changed, BULK_TEXTS.fr.faults.changed],
  [PAYOUT_TEXTS.en.wrongAmount, PAYOUT_TEXTS.fr.wrongAmount],
];

function columnsOf({ language, base }: TeamVisit, asked: ShownBatch['asked']): Column<ShownLine>[] {
  const texts = BULK_TEXTS[language];
  return [
    { head: texts.line, kind: 'number', cell: ({ line, file_line }) => number(file_line ?? line, language) },
    { head: PAYOUT_TEXTS[language].to_whom, kind: 'main', cell: ({ recipient }) => recipient ?? '—' },
    {
      head: texts.amount,
      kind: 'number',
      cell: ({ amount_minor, currency }) => (amount_minor === null ? '—' : money(amount_minor, currency ?? '', language)),
    },
    {
      head: texts.state,
      cell: (line) => {
        const { status, repeats } = line;
        const { transfer_status, message, state } = asked.get(line.line) ?? { ...line, state: 'open' as const };
        const waits = state === 'open' ? badge(texts.lineStates[status], TONES[status]) : approvalBadge(state, language);
        return html`${transfer_status ? payoutBadge(transfer_status, language) : waits}${
          repeats && html` ${badge(texts.repeats[repeats], 'warn')}`
        }${message && html`<span class="under">${sayStored(language, message, OWN)}</span>`}`;
      },
    },
    {
      head: texts.result,
      cell: ({ line, status, result_id }) => {
        const transfer = status === 'asked' ? asked.get(line)?.transfer : result_id;
        if (transfer) return shortId(transfer, `${base}/payouts/${transfer}`);
        return result_id === null ? '—' : shortId(result_id, `${base}/approvals/${result_id}`);
      },
    },
  ];
}
