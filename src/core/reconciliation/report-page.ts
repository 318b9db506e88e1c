import { numberFormat } from '../../kit/formatters.ts';
import { type Html, html, raw } from '../../kit/html.ts';
import { decimal } from '../../money/ledger/decimal.ts';
import type { Flow } from '../../providers/adapters/statement.ts';
import { STYLE } from './report-style.ts';
import { BREAK_KINDS, type BreakKind, type BreakRow, type Run, type Tally } from './schema.ts';
import { FLOW_LABELS, KIND_LABELS } from './labels.ts';

/** Maximum rows of one kind on the page. All rows are in the CSV. */
export const ROWS_SHOWN = 500;

const FLOWS: readonly Flow[] = ['collect', 'payout', 'refund'];
const STATE_LABELS: Record<BreakRow['state'], string> = {
  open: 'open',
  closed: 'closed',
  held: 'in hold',
  settled: 'settled',
  refused: 'not done',
};

/** Returns the part of the page above the breaks. */
export function pageHead(run: Run, environment: string): Html {
  const { reading } = run;
  const found = run.tallies.filter(isBreak).reduce((sum, { count }) => sum + count, 0);
  const title = `${run.provider}, ${run.file_name}`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reconciliation of ${title}</title><style>${raw(STYLE)}</style></head><body>
<header><div><p class="mode">${run.applied ? 'Applied' : 'Comparison only: nothing was changed'}</p>
<h1>${found === 0 ? 'Statement and books agree' : `${count(found)} ${found === 1 ? 'break' : 'breaks'} between statement and books`}</h1>
<p>${run.provider} account ${run.account_name}, ${environment}. ${day(run.from_at)} to ${day(run.to_at)}</p></div></header>
<main><div class="cards">${card('Lines read', reading.lines, '')}${card('Matched', countOf(run, ['matched']), 'good')}
${BREAK_KINDS.map((kind) => breakCard(run, kind))}${reading.bad > 0 && card('Invalid lines', reading.bad, 'bad', '#bad')}</div>
<section><h2>Money</h2><p class="meaning">By kind and currency, in major units. "Missing there" sums the amounts in our books.</p>
<div class="scroll"><table><thead><tr><th>What</th><th>Currency</th><th class="number">Matched</th>${BREAK_KINDS.map(
    (kind) => html`<th class="number">${KIND_LABELS[kind].title}</th>`,
  )}</tr></thead><tbody>${moneyRows(run.tallies)}</tbody></table></div></section>
`;
}

function isBreak({ verdict }: Tally): boolean {
  return verdict !== 'matched' && verdict !== 'nothing';
}

function countOf({ tallies }: Run, verdicts: readonly string[]): number {
  return tallies.filter(({ verdict }) => verdicts.includes(verdict)).reduce((sum, { count }) => sum + count, 0);
}

function breakCard(run: Run, kind: BreakKind): Html {
  const found = countOf(run, [kind]);
  return card(KIND_LABELS[kind].title, found, found > 0 ? 'bad' : '', found > 0 ? `#${kind}` : undefined);
}

function card(title: string, number: number, mood: string, target?: string): Html {
  const inside = html`<b>${count(number)}</b><span>${title}</span>`;
  return target ? html`<a class="card ${mood}" href="${target}">${inside}</a>` : html`<div class="card ${mood}">${inside}</div>`;
}

function moneyRows(tallies: Tally[]): Html[] {
  return FLOWS.flatMap((flow) => {
    const own = tallies.filter((tally) => tally.flow === flow && tally.verdict !== 'nothing');
    return [...new Set(own.map(({ currency }) => currency))].sort().map((currency) => {
      const sum = (verdict: string) => {
        const found = own.find((tally) => tally.verdict === verdict && tally.currency === currency);
        return html`<td class="number">${found ? grouped(found.sum_minor) : '–'}</td>`;
      };
      return html`<tr><td>${FLOW_LABELS[flow]}</td><td>${currency}</td>${['matched', ...BREAK_KINDS].map(sum)}</tr>`;
    });
  });
}

/** Returns the part above the rows of one kind. */
export function kindHead(run: Run, kind: BreakKind): Html {
  const found = countOf(run, [kind]);
  const more = found > ROWS_SHOWN ? html` The first ${count(ROWS_SHOWN)} of ${count(found)}; all are in the CSV.` : '';
  return html`<section id="${kind}"><h2>${KIND_LABELS[kind].title}</h2><p class="meaning">${KIND_LABELS[kind].meaning}${more}</p>
<div class="scroll"><table class="breaks"><thead><tr><th class="number">Break</th><th class="number">Line</th><th>Key and reference</th><th class="number">Statement</th><th class="number">Here</th><th>Operation here</th><th>State</th></tr></thead><tbody>
`;
}

export const KIND_TAIL = raw('</tbody></table></div></section>\n');

/** Returns the row of one break. */
export function kindRow(row: BreakRow): Html {
  return html`<tr><td class="number">${String(row.id)}</td><td class="number">${row.line ?? '–'}</td>
<td><code>${row.key ?? '–'}</code>${row.reference && html`<small><code>${row.reference}</code></small>`}</td>
<td class="number">${money(row.there_minor, row.there_currency)}<small>${row.there_status === 'failed' && 'failed '}${moment(row.there_at)}</small></td>
<td class="number">${money(row.here_minor, row.here_currency)}<small>${row.here_standing} ${moment(row.here_at)}</small></td>
<td><code>${row.subject_id ?? '–'}</code>${row.of_id !== row.subject_id && html`<small><code>${row.of_id}</code></small>`}</td>
<td><span class="state ${row.state}">${STATE_LABELS[row.state]}</span><small>${noteOf(row)}</small></td></tr>
`;
}

/** Returns the text that the state does not already express. */
function noteOf({ action, state, outcome }: BreakRow): string {
  if (outcome !== null) return outcome === STATE_LABELS[state] ? '' : outcome;
  return { close: 'can be closed by this evidence', correct: 'can be set aside in suspense', none: 'needs a manual decision' }[
    action
  ];
}

/** Returns the part of the page below the breaks. */
export function pageTail(run: Run): Html {
  const { reading } = run;
  return html`${
    reading.bad > 0 &&
    html`<section id="bad"><h2>Invalid lines</h2><p class="meaning">${count(reading.bad)} could not be read and were skipped.</p><table class="faults"><tbody>${reading.faults.map(
      ({ line, fault }) => html`<tr><td class="number">${line}</td><td>${fault}</td></tr>`,
    )}</tbody></table></section>`
  }<section><h2>This comparison</h2><dl><dt>Run</dt><dd><code>${run.id}</code></dd><dt>File</dt><dd>${run.file_name}</dd>
<dt>SHA-256</dt><dd><code>${run.file_hash}</code></dd><dt>Earlier run</dt><dd>${run.earlier ? html`<code>${run.earlier}</code>` : 'none'}</dd>
<dt>Complete for</dt><dd>${moment(run.from_at)} to ${moment(run.to_at)}</dd>
<dt>Ignored</dt><dd>${count(reading.pending)} pending, ${count(reading.other)} of another kind, ${count(countOf(run, ['nothing']))} failed and unknown here</dd>
<dt>Fees</dt><dd>${reading.fees.map(({ currency, sum_minor }) => `${grouped(sum_minor)} ${currency}`).join(', ') || 'none'}</dd></dl></section>
<footer>Made by Pirogue, ${moment(run.created_at)}. All times are UTC.</footer></main></body></html>
`;
}

function money(amount_minor: bigint | null, currency: string | null): string {
  return amount_minor === null ? '–' : `${grouped(amount_minor)} ${currency}`;
}

function count(number: number): string {
  return numberFormat('en', {}).format(number);
}

/** `1,250,000.00`, exact. */
function grouped(amount_minor: bigint): string {
  return decimal(amount_minor).replace(/\B(?=(\d{3})+\.)/g, ',');
}

function moment(at: Date | null): string {
  return at ? `${at.toISOString().slice(0, 19).replace('T', ' ')}` : '';
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10);
}
