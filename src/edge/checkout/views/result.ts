import { type Html, html } from '../../../kit/html.ts';
import { unreachable } from '../../../kit/errors.ts';
import { totalOf } from '../../../core/payments/present.ts';
import type { PaymentStatus } from '../../../core/payments/states.ts';
import { isReason } from '../../../providers/adapters/reasons.ts';
import { hasReceipt } from '../../receipts/receipt.ts';
import { paymentDocument } from '../../pages/document.ts';
import type { Icon } from '../../pages/icons.ts';
import { textsIn } from '../../pages/language.ts';
import { copied, facts, state } from '../../pages/parts.ts';
import { money, type Scene } from '../../pages/scene.ts';

/** Seconds to read the result before the browser returns to the merchant. */
const RETURN_S = 6;

export type FinalStatus = Exclude<PaymentStatus, 'pending' | 'processing' | 'partial'>;

export interface Result extends Scene {
  /** Can precede the stored status by moments when the payment has just expired. */
  status: FinalStatus;
  /** Money arrived with another amount, so its use is not decided yet. */
  unmatched: boolean;
  /** The merchant's return URL; null for none. */
  returnTo: string | null;
}

interface Outcome {
  icon: Icon;
  tone?: 'good' | 'bad';
  title: string;
  text: string;
}

/** Renders the result page. It is the same for every browser and contains no data of the payer. */
export function resultPage(scene: Result): Html {
  const { texts, payment, merchant, returnTo } = scene;
  const { title, text, ...sign } = outcomeOf(scene);
  const returns = scene.status === 'succeeded' && returnTo !== null;
  const rows = [
    [texts.merchant, merchant],
    [texts.amount, money(scene, totalOf(payment))],
    [texts.reference, payment.reference],
    [texts.transaction, copied(texts, texts.transaction, payment.id)],
  ] as const;
  const body = state(
    sign,
    title,
    html`<p>${text}</p>${scene.status === 'failed' && html`<p>${lateText(scene) ?? texts.startAgain(merchant)}</p>`}
${facts(rows)}
${returnTo !== null && way(scene, returnTo, returns)}${
  hasReceipt(scene.status) && html`<a class="button plain" href="${scene.path}/receipt">${texts.receipt}</a>`
}`,
  );
  return paymentDocument(scene, {
    title: `${title} · ${merchant}`,
    body,
    parts: ['paper'],
    refresh: returns ? { after_s: RETURN_S, to: returnTo, onlyWithoutScript: true } : undefined,
  });
}

/** Link back to the merchant. With JavaScript the payer can stop the automatic redirect, as some need more time to read. */
function way({ texts, merchant }: Result, url: string, soon: boolean): Html {
  const link = texts.returnTo(merchant);
  if (!soon) return html`<a class="button" href="${url}">${link}</a>`;
  return html`<a class="button" href="${url}" data-return="${RETURN_S}">${link}</a>
<p data-soon>${texts.returnSoon}</p><button type="button" class="plain" data-stay data-soon hidden>${texts.stay}</button>`;
}

function outcomeOf(scene: Result): Outcome {
  const { texts, payment, merchant, language, status } = scene;
  const paid = money(scene, totalOf(payment));
  switch (status) {
    case 'succeeded':
      return { icon: 'check', tone: 'good', title: texts.succeededTitle, text: texts.succeededText(paid, merchant) };
    case 'failed': {
      const reason = payment.reason !== null && isReason(payment.reason) ? payment.reason : 'unknown';
      return { icon: 'cross', tone: 'bad', title: texts.failedTitle, text: textsIn(language).reasons[reason] };
    }
    case 'cancelled':
      return { icon: 'cross', title: texts.cancelledTitle, text: lateText(scene) ?? texts.cancelledText };
    case 'expired':
      return { icon: 'clock', title: texts.expiredTitle, text: expiredText(scene) };
    case 'refunded':
      return { icon: 'back', title: texts.refundedTitle, text: texts.refundedText(money(scene, payment.refunded_minor)) };
    case 'partially_refunded':
      return { icon: 'back', title: texts.partlyRefundedTitle, text: texts.refundedText(money(scene, payment.refunded_minor)) };
    default:
      return unreachable(status);
  }
}

/** Returns the text of an expired payment. It states that captured tranches are returned, so that the payer does not have to ask. */
function expiredText(scene: Result): string {
  const { texts, payment, unmatched, merchant } = scene;
  if (isReturned(payment)) return texts.refundedText(money(scene, payment.refunded_minor));
  if (payment.captured_minor > 0n) return texts.expiredInPart(money(scene, payment.captured_minor));
  return unmatched ? texts.unmatched(merchant) : texts.expiredText;
}

/** Returns what happens to money that arrived after the payment had failed or was cancelled; null when none did. */
function lateText(scene: Result): string | null {
  const { texts, payment, unmatched, merchant } = scene;
  if (unmatched) return texts.unmatched(merchant);
  if (payment.captured_minor === 0n) return null;
  if (isReturned(payment)) return texts.refundedText(money(scene, payment.refunded_minor));
  return texts.lateReturned(money(scene, payment.captured_minor));
}

/** Returns whether the whole captured amount was refunded to the payer. */
function isReturned({ captured_minor, refunded_minor }: Result['payment']): boolean {
  return captured_minor > 0n && refunded_minor >= captured_minor;
}
