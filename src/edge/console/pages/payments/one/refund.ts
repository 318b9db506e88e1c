import { findPayment } from '../../../../../core/payments/store.ts';
import { REFUND_REASONS } from '../../../../../core/refunds/reasons.ts';
import { notFound } from '../../../../../kit/errors.ts';
import { html } from '../../../../../kit/html.ts';
import { isId } from '../../../../../kit/ids.ts';
import { minorFromWire, wireFromMinor } from '../../../../../kit/money.ts';
import { type Movement, movesMoney } from '../../../money.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../../page.ts';
import { ownFaults } from '../../../messages/own.ts';
import { typedAmount } from '../../../parts/amount.ts';
import { type Fault, faultOf } from '../../../parts/fault.ts';
import { money } from '../../../parts/format.ts';
import { alert, field, idText, pageHead, select } from '../../../parts/parts.ts';
import { secondNote } from '../../../parts/second-note.ts';
import { refundsOf } from './story.ts';
import { ONE_TEXTS } from './texts.ts';

/** Fields of the form. An empty amount means all that is left. */
interface Asked {
  amount: string;
  /** What was left when the form was shown: the same for each submit of it. */
  all: string;
  reason: string;
}

/** Shows the form of a refund: what it gives back, to whom, and why. */
export async function showRefund(visit: TeamVisit, asked?: Asked, fault?: Fault): Promise<Answer> {
  const { language, base } = visit;
  const texts = ONE_TEXTS[language];
  const id = visit.params.id ?? '';
  const { payment, left } = await refundable(visit, id);
  const path = `${base}/payments/${id}`;
  const all = String(wireFromMinor(left));
  const first = asked?.amount ?? all;
  const error = (name: string) => fault?.errors[name]?.[0];
  return {
    kind: 'page',
    title: texts.refund.title,
    nav: '/payments',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${path}">← ${texts.event.back}</a></p>${pageHead(texts.refund.title)}<section class="card narrow">${fault && Object.keys(fault.errors).length === 0 && alert(fault.message)}
${await secondNote(visit, { amount_minor: left, currency: payment.currency }, true)}<p>${texts.refund.left(money(left, payment.currency, language))} ${idText(id, path)}</p>
<p class="note">${[payment.reference, payment.name, payment.phone].filter(Boolean).join(' · ')}</p>
<form method="post" action="${path}/refund?from=${encodeURIComponent(`${path}/refund`)}">${visit.formFields()}<input type="hidden" name="all" value="${all}">
${field({ name: 'amount', label: `${texts.refund.amount} (${payment.currency})`, value: first, error: error('amount'), inputmode: 'decimal', autocomplete: 'off', help: texts.refund.amountHelp })}
${select(
  { name: 'reason', label: texts.refund.reason, value: asked?.reason ?? 'requested_by_customer', error: error('reason') },
  REFUND_REASONS.map((reason) => [reason, texts.refund.reasons[reason]] as const),
)}
<p class="help">${texts.refund.note}</p>
<div class="form-actions"><button>${texts.refund.submit}</button><a class="button quiet-button" href="${path}">${texts.refund.keep}</a></div></form></section>`,
  };
}

/** Creates the refund of the form, then redirects to the payment. */
export async function submitRefund(visit: TeamVisit): Promise<Answer> {
  const asked: Asked = { amount: fieldOf(visit, 'amount'), all: fieldOf(visit, 'all'), reason: fieldOf(visit, 'reason') };
  const id = visit.params.id ?? '';
  try {
    const refunded = await refundPayment(visit, id, asked);
    if (refunded.kind === 'asked') return redirect(`${visit.base}/approvals/${refunded.approval}`);
  } catch (error) {
    return showRefund(visit, asked, faultOf(visit, error));
  }
  return redirect(`${visit.base}/payments/${id}?done=refund`);
}

/**
 * Refunds a payment: the only place of the console that does. An empty amount is all that was left when the form was shown, so that the
 * amount that is compared with a threshold is the amount that is sent.
 * @throws Problem as POST /refunds responds with it; 422 for an amount that is not a number
 */
export async function refundPayment(visit: TeamVisit, id: string, asked: Asked): Promise<Movement> {
  const { payment } = await refundable(visit, id);
  const { amount_minor, currency } = payment;
  const rest = { payment: id, reason: asked.reason };
  const amount = asked.amount || asked.all;
  // Nothing was left, or the form did not say: the API decides how much that is now, at most all of the payment.
  if (asked.amount === '' && (asked.all === '' || asked.all === '0'))
    return movesMoney(visit, 'POST /refunds', { body: rest }, { amount_minor, currency });
  const typed = typedAmount(amount);
  const minor = typed === null ? null : minorFromWire(typed);
  if (minor === null) throw ownFaults({ amount: [ONE_TEXTS[visit.language].refund.wrongAmount] });
  const body = { ...rest, amount: wireFromMinor(minor) };
  return movesMoney(visit, 'POST /refunds', { body }, { amount_minor: minor, currency });
}

/**
 * Returns a payment with what is left to refund of it, in hundredths. A proposal: the API decides.
 * @throws Problem 404
 */
async function refundable(visit: TeamVisit, id: string) {
  const { store, team } = visit;
  const payment = isId('trx', store.environment, id) ? await findPayment(store.db, team.id, id) : undefined;
  if (!payment) throw notFound('Payment');
  const rows = visit.can('refund.read') ? await refundsOf(visit, id) : [];
  const underWay = rows.filter(({ status }) => status === 'pending' || status === 'processing');
  const claimed = underWay.reduce((sum, { amount }) => sum + (minorFromWire(amount) ?? 0n), 0n);
  const left = payment.amount_minor - payment.refunded_minor - claimed;
  return { payment, left: left > 0n ? left : 0n };
}
