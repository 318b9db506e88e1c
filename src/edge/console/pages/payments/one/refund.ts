import type { PaymentRow } from '../../../../../core/payments/schema.ts';
import { findPayment } from '../../../../../core/payments/store.ts';
import { REFUND_REASONS } from '../../../../../core/refunds/reasons.ts';
import { leftToRefund } from '../../../../../core/refunds/service.ts';
import { findStatuses } from '../../../../../core/refunds/store.ts';
import { notFound } from '../../../../../kit/errors.ts';
import { html } from '../../../../../kit/html.ts';
import { isId } from '../../../../../kit/ids.ts';
import { type Minor, minorFromWire, wireFromMinor } from '../../../../../kit/money.ts';
import { MAX_WAITING } from '../../../../../tenants/approvals/schema.ts';
import { listWaiting } from '../../../../../tenants/approvals/store.ts';
import { readableWanted } from '../../../../../tenants/approvals/wanted.ts';
import { movedBefore, type Movement, movesMoney } from '../../../money.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../../page.ts';
import { ownFaults } from '../../../messages/own.ts';
import { typedAmount } from '../../../parts/amount.ts';
import { checkbox, choices } from '../../../parts/choices.ts';
import { type Fault, faultOf } from '../../../parts/fault.ts';
import { money } from '../../../parts/format.ts';
import { alert, field, idText, pageHead, select } from '../../../parts/parts.ts';
import { secondNote } from '../../../parts/second-note.ts';
import { type Refund, refundsOf } from './story.ts';
import { ONE_TEXTS } from './texts.ts';

const OPERATION = 'POST /refunds';

/** Period in which refunds are compared for repetitions, as for payouts. */
const RECENT_MS = 24 * 3_600_000;

/** Fields of the form. An empty amount means the whole remaining amount. */
interface Asked {
  amount: string;
  /** Remaining amount when the form was shown, the same for each submit of it. */
  all: string;
  reason: string;
  /** Confirmation of an amount that was refunded recently; empty: not confirmed. */
  sure: string;
}

/** Shows the form of a refund: the amount, the payer and the reason. */
export async function showRefund(visit: TeamVisit, asked?: Asked, fault?: Fault): Promise<Answer> {
  const { language, base } = visit;
  const texts = ONE_TEXTS[language];
  const id = visit.params.id ?? '';
  const { payment, left } = await refundable(visit, id);
  const path = `${base}/payments/${id}`;
  const all = String(wireFromMinor(left));
  const first = asked?.amount ?? all;
  const error = (name: string) => fault?.errors[name]?.[0];
  const unsure = error('sure');
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
${unsure && choices({ name: 'sure', legend: texts.refund.repeated, error: unsure }, checkbox({ name: 'sure', value: 'yes', label: texts.refund.sure, checked: false }))}
<p class="help">${texts.refund.note}</p>
<div class="form-actions"><button>${texts.refund.submit}</button><a class="button quiet-button" href="${path}">${texts.refund.keep}</a></div></form></section>`,
  };
}

/** Creates the refund of the form, then redirects to the payment. */
export async function submitRefund(visit: TeamVisit): Promise<Answer> {
  const typed = (name: keyof Asked) => fieldOf(visit, name);
  const asked: Asked = { amount: typed('amount'), all: typed('all'), reason: typed('reason'), sure: typed('sure') };
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
 * Refunds a payment. It is the only place of the console that does. An empty amount means the remaining amount when the form was shown, so
 * that the amount compared with a threshold is the amount sent. After a lost answer a new form has another key and could refund twice, so
 * an amount that was refunded recently needs a confirmation.
 * @throws Problem as POST /refunds responds with it; 422 for an amount that is not a number, or without the tick
 */
export async function refundPayment(visit: TeamVisit, id: string, asked: Asked): Promise<Movement> {
  const { payment, rows } = await refundable(visit, id);
  const { amount_minor, currency } = payment;
  const rest = { payment: id, reason: asked.reason };
  const amount = asked.amount || asked.all;
  // Nothing was left, or the form does not contain the amount. The API determines it now, at most the whole payment.
  if (asked.amount === '' && (asked.all === '' || asked.all === '0'))
    return movesMoney(visit, OPERATION, { body: rest }, { amount_minor, currency });
  const typed = typedAmount(amount);
  const minor = typed === null ? null : minorFromWire(typed);
  if (minor === null) throw ownFaults({ amount: [ONE_TEXTS[visit.language].refund.wrongAmount] });
  const body = { ...rest, amount: wireFromMinor(minor) };
  const sure = asked.sure !== '' || !(await isRepeated(visit, payment, minor, rows));
  // A form that is submitted again repeats its own refund.
  if (!sure && !(await movedBefore(visit, OPERATION, { body }))) {
    throw ownFaults({ sure: [ONE_TEXTS[visit.language].refund.unsure] });
  }
  return movesMoney(visit, OPERATION, { body }, { amount_minor: minor, currency });
}

/**
 * Returns whether the payment had a refund of the same amount in the last 24 hours, or such a refund waits for approval. The list of refunds
 * contains automatic reversals too, which return other money.
 */
async function isRepeated(
  { approvals: { control, secrets }, store, team, environment, at }: TeamVisit,
  { id, currency }: PaymentRow,
  amount_minor: Minor,
  rows: readonly Refund[],
): Promise<boolean> {
  const recent = rows.filter((one) => one.status !== 'failed' && Date.parse(one.created_at) >= at - RECENT_MS);
  const same = recent.filter(({ amount }) => minorFromWire(amount) === amount_minor).map((one) => one.id);
  const found = same.length > 0 ? await findStatuses(store.db, team.id, same) : [];
  if (found.some(({ kind }) => kind === 'merchant')) return true;
  const waiting = await listWaiting(control, team.id, environment, MAX_WAITING);
  const equal = waiting.filter(
    (row) => row.operation === OPERATION && row.amount_minor === amount_minor && row.currency === currency,
  );
  return equal.some((row) => readableWanted(secrets, row)?.body.payment === id);
}

/**
 * Returns a payment with its refunds and its remaining amount in hundredths. The amount is a proposal: the API decides.
 * @throws Problem 404
 */
async function refundable(visit: TeamVisit, id: string) {
  const { store, team } = visit;
  const payment = isId('trx', store.environment, id) ? await findPayment(store.db, team.id, id) : undefined;
  if (!payment) throw notFound('Payment');
  const rows = visit.can('refund.read') ? await refundsOf(visit, id) : [];
  const left = await leftToRefund(store.db, payment);
  return { payment, rows, left: left > 0n ? left : 0n };
}
