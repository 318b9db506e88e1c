import { type Html, html } from '../../../../../kit/html.ts';
import { doneOnce, isRecorded } from '../../../done-once.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { redirect } from '../../../page.ts';
import { card, doneAlert, empty, facts, idText, when } from '../../../parts/parts.ts';
import { payoutsTable } from '../list.ts';
import { recipientRows } from '../recipient.ts';
import { PAYOUT_TEXTS } from '../texts.ts';
import { type Beneficiary, beneficiaryOf } from './list.ts';

/** Payouts listed on the page of a beneficiary. */
const PAYOUTS = 10;

/** Shows one saved recipient, with the latest payouts. */
export async function showBeneficiary(visit: TeamVisit): Promise<Answer> {
  const { language, base, query } = visit;
  const texts = PAYOUT_TEXTS[language];
  const beneficiary = await beneficiaryOf(visit);
  const { id, name, reference, description, currency, metadata, created_at, updated_at } = beneficiary;
  const own = Object.entries(metadata ?? {}).map(
    ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const rows = facts([
    ...recipientRows(beneficiary, language),
    [texts.currency, currency],
    [texts.reference, reference],
    [texts.description, description],
    [texts.created, when(created_at, language)],
    [texts.saved.updated, updated_at !== created_at && when(updated_at, language)],
  ]);
  return {
    kind: 'page',
    title: name,
    nav: '/payouts',
    body: html`<p class="back"><a href="${base}/payouts/beneficiaries">← ${texts.tabs.beneficiaries}</a></p>
<div class="page-head"><div><h1>${name}</h1><p class="note">${idText(id)}</p></div><div class="actions">${actions(visit, beneficiary)}</div></div>${doneAlert(texts.saved.done, query.done)}
<div class="columns"><div>${await payouts(visit, id)}</div><div>${card(texts.cards.recipient, rows)}${own.length > 0 && card(texts.cards.metadata, facts(own))}</div></div>`,
  };
}

function actions(visit: TeamVisit, { id, currency }: Beneficiary): Html {
  const { base, language, can } = visit;
  const texts = PAYOUT_TEXTS[language];
  const path = `${base}/payouts/beneficiaries/${id}`;
  const pay = `${base}/payouts/new?beneficiary=${id}&currency=${currency}`;
  return html`${
    can('beneficiary.write') &&
    html`<a class="button quiet-button" href="${path}/edit">${texts.saved.edit}</a><details class="confirm"><summary class="button danger">${texts.saved.remove}</summary>
<form method="post" action="${path}/remove?from=${encodeURIComponent(path)}">${visit.formFields()}<p>${texts.saved.removeWhat}</p><button class="danger">${texts.saved.remove}</button></form></details>`
  }${can('transfer.write') && html`<a class="button" href="${pay}">${texts.create}</a>`}`;
}

async function payouts(visit: TeamVisit, beneficiary: string): Promise<Html | null> {
  if (!visit.can('transfer.read')) return null;
  const { language, base } = visit;
  const texts = PAYOUT_TEXTS[language];
  const { body } = await visit.api('GET /transfers', { query: { beneficiary, per_page: PAYOUTS, cursor: '' } });
  const items = body.items as Parameters<typeof payoutsTable>[1];
  if (items.length === 0) return card(texts.title, empty(texts.none, ''));
  const all = html`<a href="${base}/payouts?beneficiary=${beneficiary}">${texts.saved.allPayouts}</a>`;
  return card(texts.title, await payoutsTable(visit, items), { actions: all });
}

/** Deletes a saved recipient. Its payouts remain. */
export async function deleteBeneficiary(visit: TeamVisit): Promise<Answer> {
  const { id = '' } = visit.params;
  await doneOnce(
    () => visit.api('DELETE /beneficiaries/:id', { params: { id } }),
    () => isRecorded(visit, 'beneficiary.delete', id),
  );
  return redirect(`${visit.base}/payouts/beneficiaries?done=remove`);
}
