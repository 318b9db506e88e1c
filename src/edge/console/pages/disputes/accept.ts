import { impossible } from '../../../../core/disputes/service.ts';
import { nextDisputeStatus } from '../../../../core/disputes/states.ts';
import { lockDispute } from '../../../../core/disputes/store.ts';
import { must } from '../../../../kit/errors.ts';
import { html } from '../../../../kit/html.ts';
import { hundredths } from '../../../../kit/money.ts';
import { toApproval } from '../../approvals/held.ts';
import type { Turn } from '../../approvals/once.ts';
import { doneOnce, isRecorded } from '../../done-once.ts';
import { type Moved, movesMoney } from '../../money.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../page.ts';
import { typedAmount } from '../../parts/amount.ts';
import { type Fault, faultOf } from '../../parts/fault.ts';
import { wireMoney } from '../../parts/format.ts';
import { alert, field, idText, pageHead } from '../../parts/parts.ts';
import { secondNote } from '../../parts/second-note.ts';
import { disputeOf, isOpenDispute } from './read.ts';
import { DISPUTE_TEXTS } from './texts.ts';

/** Reason why a dispute was not accepted: the typed text is not the amount, or the API rejected it. */
interface Rejected {
  typed: string;
  fault?: Fault;
}

/** Shows the effect of accepting a dispute. The confirmation requires its amount to be typed. */
export async function showAccept(visit: TeamVisit, rejected?: Rejected): Promise<Answer> {
  const { base, language } = visit;
  const texts = DISPUTE_TEXTS[language];
  const dispute = await disputeOf(visit);
  const path = `${base}/disputes/${dispute.id}`;
  if (!isOpenDispute(dispute)) return redirect(path);
  const amount = wireMoney(dispute.amount, dispute.currency, language);
  const confirm = { name: 'confirm', label: texts.acceptType(amount), value: rejected?.typed, required: true };
  const error = rejected && !rejected.fault ? texts.acceptWrong : undefined;
  return {
    kind: 'page',
    title: texts.acceptTitle,
    nav: '/disputes',
    ...(rejected ? { status: rejected.fault?.status ?? 422 } : {}),
    body: html`<p class="back"><a href="${path}">← ${texts.title}</a></p>${pageHead(texts.acceptTitle)}<section class="card narrow">${alert(rejected?.fault?.message)}${await secondNote(visit, movedBy(dispute))}
<p>${texts.acceptWhat}</p><ul class="reasons">${texts.acceptEffects.map((effect) => html`<li>${effect}</li>`)}</ul><p>${idText(dispute.id, path)}</p>
<form method="post" action="${path}/accept?from=${encodeURIComponent(`${path}/accept`)}">${visit.formFields()}
${field({ ...confirm, error, inputmode: 'decimal', autocomplete: 'off' })}
<div class="form-actions"><button class="danger">${texts.accept}</button><a class="button quiet-button" href="${path}">${texts.keep}</a></div></form></section>`,
  };
}

function movedBy({ amount, currency }: { amount: number; currency: string }): Moved {
  return { amount_minor: hundredths(amount), currency };
}

/** Accepts the dispute whose amount was typed, or requests approval, because the money goes to the payer as in a refund. */
export async function submitAccept(visit: TeamVisit): Promise<Answer> {
  const dispute = await disputeOf(visit);
  const { id, amount } = dispute;
  const typed = fieldOf(visit, 'confirm');
  if (typedAmount(typed) !== amount) return showAccept(visit, { typed });
  try {
    const accepted = await doneOnce(
      () => movesMoney(visit, 'POST /disputes/:id/accept', { params: { id }, turn: whileOpen(visit, id) }, movedBy(dispute)),
      () => isRecorded(visit, 'dispute.accept', id),
    );
    if (accepted?.kind === 'asked') return toApproval(visit, accepted.approval);
  } catch (error) {
    return showAccept(visit, { typed, fault: faultOf(visit, error) });
  }
  return redirect(`${visit.base}/disputes/${id}?done=accept`);
}

/** Requests an approval while nobody changes the dispute, unless it cannot be accepted any more. */
function whileOpen({ store, team }: TeamVisit, id: string): Turn {
  return (work) =>
    store.db.transaction(async (tx) => {
      const dispute = must(await lockDispute(tx, team.id, id), 'it was just read');
      return nextDisputeStatus(dispute.status, 'accepted') === null ? { refused: impossible(dispute) } : { done: await work() };
    });
}
