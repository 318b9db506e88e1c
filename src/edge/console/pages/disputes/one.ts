import { entryOf } from '../../../../kit/entry-of.ts';
import { type Html, type HtmlPart, html } from '../../../../kit/html.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import type { Fault } from '../../parts/fault.ts';
import { wireMoney } from '../../parts/format.ts';
import { alert, card, doneAlert, facts, idText, when } from '../../parts/parts.ts';
import { evidenceForm, type TypedEvidence } from './evidence-form.ts';
import { deadlineOf, type Dispute, disputeBadge, disputeOf, isOpenDispute } from './read.ts';
import { DISPUTE_TEXTS } from './texts.ts';

/** Input of a rejected form, and the reason. */
interface Rejected {
  typed: TypedEvidence;
  fault: Fault;
}

/** Shows one dispute, with the form of evidence while it needs an answer. */
export async function showDispute(visit: TeamVisit, rejected?: Rejected): Promise<Answer> {
  const { language, base, query } = visit;
  const texts = DISPUTE_TEXTS[language];
  const dispute = await disputeOf(visit);
  const { id, status } = dispute;
  const amount = wireMoney(dispute.amount, dispute.currency, language);
  const answering = status === 'needs_response' && visit.can('dispute.write');
  const accepting = isOpenDispute(dispute) && visit.can('dispute.write');
  const state = status === 'needs_response' ? texts.needsResponse : status === 'under_review' && texts.underReview;
  return {
    kind: 'page',
    title: `${texts.title} · ${amount}`,
    nav: '/disputes',
    ...(rejected ? { status: rejected.fault.status } : {}),
    body: html`<p class="back"><a href="${base}/disputes">← ${texts.title}</a></p>
<div class="page-head"><div><h1>${amount} ${disputeBadge(status, language)}</h1><p class="note">${idText(id)}</p></div>
<div class="actions">${accepting && html`<a class="button danger" href="${base}/disputes/${id}/accept">${texts.accept}</a>`}</div></div>
${!rejected && doneAlert(texts.done, query.done)}${!answering && alert(rejected?.fault.message)}${alert(state, 'info')}
<div class="columns"><div>${answering && evidenceForm(visit, id, rejected?.typed, rejected?.fault)}${evidenceCard(visit, dispute)}</div><div>${detailsCard(visit, dispute)}</div></div>`,
  };
}

function detailsCard(visit: TeamVisit, dispute: Dispute): Html {
  const { language, base } = visit;
  const texts = DISPUTE_TEXTS[language];
  const { payment, reason, due_at, created_at, closed_at } = dispute;
  const deadline = deadlineOf(dispute, visit);
  const rows: (readonly [string, HtmlPart])[] = [
    [
      texts.due,
      deadline !== null &&
        due_at !== null &&
        html`<strong>${deadline}</strong><span class="under">${when(due_at, language)}</span>`,
    ],
    [texts.reason, reason],
    [texts.payment, idText(payment, `${base}/payments/${payment}`)],
    [texts.opened, when(created_at, language)],
    [texts.closed, closed_at && when(closed_at, language)],
  ];
  return card(texts.details, facts(rows));
}

/** Submitted evidence, from the console or the API. */
function evidenceCard({ language }: TeamVisit, { evidence }: Dispute): Html | null {
  if (evidence === null) return null;
  const texts = DISPUTE_TEXTS[language];
  const labels: Record<string, string> = texts.fields;
  const rows = Object.entries(evidence).map(
    ([name, value]) => [entryOf(labels, name) ?? name, html`<span class="pre">${linesOf(value)}</span>`] as const,
  );
  return card(texts.evidence, facts(rows));
}

function linesOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(linesOf).join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
