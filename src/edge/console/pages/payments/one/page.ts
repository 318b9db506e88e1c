import type { Fault } from '../../../parts/fault.ts';
import { totalOf } from '../../../../../core/payments/present.ts';
import { hostedPageUrl } from '../../../../../core/payments/token.ts';
import { type Html, html } from '../../../../../kit/html.ts';
import { hasReceipt } from '../../../../receipts/receipt.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { money } from '../../../parts/format.ts';
import { alert, doneAlert, idText } from '../../../parts/parts.ts';
import { paymentBadge } from '../status.ts';
import { readStory, type Story } from './story.ts';
import { ONE_TEXTS } from './texts.ts';
import { timeline } from './timeline.ts';
import { amounts, details, disputes, extras, payer, refunds } from './views.ts';
import { whyWaiting } from './waiting.ts';

/**
 * Shows one payment with everything that happened to it.
 * @param fault why an action on it failed, with the status of the answer
 */
export async function showPayment(deps: ConsoleDeps, visit: TeamVisit, fault?: Fault): Promise<Answer> {
  const { language, query } = visit;
  const story = await readStory(deps, visit, visit.params.id ?? '');
  const { payment } = story;
  const texts = ONE_TEXTS[language];
  const amount = money(totalOf(payment), payment.currency, language);
  return {
    kind: 'page',
    title: `${amount} · ${payment.reference ?? payment.id}`,
    nav: '/payments',
    ...(fault ? { status: fault.status } : {}),
    body: html`${head(deps, visit, story, amount)}${alert(fault?.message)}${!fault && doneAlert(texts.done, query.done)}${alert(whyWaiting(story, visit.at, language), 'info')}
<div class="columns payment"><div>${refunds(visit, story)}${disputes(visit, story)}${timeline(visit, story)}</div>
<div>${amounts(visit, story)}${payer(visit, story)}${details(visit, story)}${extras(visit, story)}</div></div>`,
  };
}

function head(deps: ConsoleDeps, visit: TeamVisit, { payment }: Story, amount: string): Html {
  const { language, base } = visit;
  const texts = ONE_TEXTS[language];
  return html`<p class="back"><a href="${base}/payments">← ${texts.back}</a></p>
<div class="page-head"><div><h1>${amount} ${paymentBadge(payment.status, language)}</h1><p class="note">${idText(payment.id)}</p></div>
<div class="actions">${actions(deps, visit, payment)}</div></div>`;
}

/** Actions that this person may take on the payment in its status. */
function actions(deps: ConsoleDeps, visit: TeamVisit, payment: Story['payment']): Html {
  const { language, base, can, store } = visit;
  const texts = ONE_TEXTS[language].actions;
  const path = `${base}/payments/${payment.id}`;
  const { status } = payment;
  const hosted = hostedPageUrl(deps, store, payment.team_id, payment.id);
  const refundable = status === 'succeeded' || status === 'partially_refunded';
  return html`${
    hasReceipt(status) &&
    html`<a class="button quiet-button" href="${hosted}/receipt" rel="noopener noreferrer">${texts.receipt}</a>`
  }${
    (status === 'pending' || status === 'partial') &&
    can('payment.write') &&
    html`<a class="button quiet-button" href="${hosted}" rel="noopener noreferrer">${texts.payerPage}</a>`
  }${refundable && can('refund.write') && html`<a class="button" href="${path}/refund">${texts.refund}</a>`}${
    status === 'pending' &&
    can('payment.write') &&
    html`<details class="confirm"><summary class="button danger">${texts.cancel}</summary><form method="post" action="${path}/cancel">${visit.formFields()}
<p>${texts.cancelWhy}</p><button class="danger">${texts.cancel}</button></form></details>`
  }`;
}
