import { Problem } from '../../../../../kit/errors.ts';
import { type Html, type HtmlPart, html } from '../../../../../kit/html.ts';
import {
  type Outcome,
  type PayoutSimulation,
  type TestEnding,
  testCards,
  testEndings,
} from '../../../../../providers/adapters/sandbox/codes.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { type Column, card, doneAlert, empty, idText, select, table } from '../../../parts/parts.ts';
import { developersHead, tabName } from '../tabs.ts';
import { SPANS } from './spans.ts';
import { SANDBOX_TEXTS } from './texts.ts';
import { TRIGGERS } from './triggers.ts';

/** Shows test numbers and cards, and the forms of a test payment and of the clock. */
export function showSandbox(visit: TeamVisit, faults: Record<string, HtmlPart> = {}): Answer {
  const { base, language, environment, team, query } = visit;
  const texts = SANDBOX_TEXTS[language];
  const there = html`<a href="/console/${String(team.id)}/sandbox/developers/sandbox">${texts.toSandbox}</a>`;

  return {
    kind: 'page',
    title: tabName(visit, 'sandbox'),
    nav: '/developers',
    ...(Object.keys(faults).length > 0 ? { status: 422 } : {}),
    body: html`${developersHead(visit, 'sandbox')}${
      environment === 'live'
        ? empty(texts.onlySandbox, there)
        : html`${doneAlert(texts.done, query.done)}${visit.can('payment.write') && forms(visit, `${base}/developers/sandbox`, faults)}${numbers(visit)}${cards(visit)}`
    }`,
  };
}

/** Rejects the live environment. @throws Problem 501 in live, which has no simulated operators and no clock to advance */
export function refuseLive({ environment }: TeamVisit): void {
  if (environment === 'live') throw new Problem(501, 'Not available in the live environment.');
}

function forms(visit: TeamVisit, path: string, faults: Record<string, HtmlPart>): Html {
  const texts = SANDBOX_TEXTS[visit.language];
  const endings = testEndings().map((one) => [one.digits, `…${one.digits} · ${outcomeText(visit, one.outcome)}`] as const);
  const spans = Object.keys(SPANS).map((span) => [span, texts.spans[span as keyof typeof SPANS]] as const);
  return html`<div class="cards">${card(
    texts.payment,
    html`<p class="note">${texts.paymentNote}</p><form method="post" action="${path}/payment">${visit.formFields()}
${select({ name: 'ending', label: texts.ending, error: faults.ending }, endings)}
<div class="form-actions"><button>${texts.makePayment}</button></div></form>`,
  )}${card(
    texts.event,
    html`<p class="note">${texts.eventNote}</p><form method="post" action="${path}/event">${visit.formFields()}
${select(
  { name: 'event', label: texts.eventType, error: faults.event },
  TRIGGERS.map((type) => [type, type] as const),
)}
<div class="form-actions"><button>${texts.makeEvent}</button></div></form>`,
  )}${card(
    texts.clock,
    html`<p class="note">${texts.clockNote}</p><form method="post" action="${path}/clock">${visit.formFields()}
${select({ name: 'span', label: texts.span, error: faults.span }, spans)}
<div class="form-actions"><button>${texts.advance}</button></div></form>`,
  )}</div>`;
}

function numbers(visit: TeamVisit): Html {
  const texts = SANDBOX_TEXTS[visit.language];
  const columns: Column<TestEnding>[] = [
    { head: texts.endsIn, kind: 'main', cell: ({ digits }) => html`<code>${digits}</code>` },
    {
      head: texts.aPayment,
      cell: ({ outcome, refundsFail }) => (refundsFail ? texts.refundsFail : outcomeText(visit, outcome)),
    },
    { head: texts.aPayout, cell: ({ payout }) => payoutText(visit, payout) },
  ];
  return card(texts.numbers, html`<p class="note">${texts.numbersNote}</p>${table(texts.numbers, columns, testEndings())}`);
}

function cards(visit: TeamVisit): Html {
  const texts = SANDBOX_TEXTS[visit.language];
  const columns: Column<ReturnType<typeof testCards>[number]>[] = [
    { head: texts.number, kind: 'main', cell: ({ number }) => idText(number.replace(/(.{4})(?=.)/g, '$1 ')) },
    { head: texts.aPayment, cell: ({ outcome }) => outcomeText(visit, outcome) },
  ];
  return card(texts.cards, html`<p class="note">${texts.cardsNote}</p>${table(texts.cards, columns, testCards())}`);
}

function outcomeText({ language }: TeamVisit, outcome: Outcome): string {
  const texts = SANDBOX_TEXTS[language];
  const text = texts.outcomes[outcome.kind];
  return 'reason' in outcome ? `${text} (${outcome.reason})` : text;
}

function payoutText({ language }: TeamVisit, payout: PayoutSimulation): string {
  const text = SANDBOX_TEXTS[language].payouts[payout.kind];
  return payout.kind === 'fails' ? `${text} (${payout.reason})` : text;
}
