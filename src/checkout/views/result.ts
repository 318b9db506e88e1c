import { type Html, html } from '../../kit/html.ts';
import { unreachable } from '../../kit/errors.ts';
import { totalOf } from '../../payments/present.ts';
import type { PaymentStatus } from '../../payments/states.ts';
import { isReason, payerMessage } from '../../providers/reasons.ts';
import { hasReceipt } from '../../receipts/receipt.ts';
import { paymentDocument } from './document.ts';
import type { Icon } from './icons.ts';
import { facts, state } from './parts.ts';
import { money, type Scene } from './scene.ts';

/** Time to read the result before the browser goes back to the merchant. */
const RETURN_S = 6;

export type FinalStatus = Exclude<PaymentStatus, 'pending' | 'processing' | 'partial'>;

export interface Result extends Scene {
  /** Ahead of the row by moments when the window has just closed. */
  status: FinalStatus;
  /** Where the merchant wants the payer back; null: nowhere. */
  returnTo: string | null;
}

interface Outcome {
  icon: Icon;
  tone?: 'good' | 'bad';
  title: string;
  text: string;
}

/** How it ended; the same for everybody, without anything of the payer. */
export function resultPage(scene: Result): Html {
  const { texts, payment, merchant, returnTo } = scene;
  const { title, text, ...sign } = outcomeOf(scene);
  const returns = scene.status === 'succeeded' && returnTo !== null;
  const rows = [
    [texts.merchant, merchant],
    [texts.amount, money(scene, totalOf(payment))],
    [texts.reference, payment.reference ?? payment.id],
  ] as const;
  const body = state(
    sign,
    title,
    html`<p>${text}</p>${scene.status === 'failed' && html`<p>${texts.startAgain(merchant)}</p>`}
${facts(rows)}
${returnTo !== null && way(scene, returnTo, returns)}${
  hasReceipt(scene.status) && html`<a class="button plain" href="${scene.path}/receipt">${texts.receipt}</a>`
}`,
  );
  return paymentDocument(scene, {
    title: `${title} · ${merchant}`,
    body,
    refresh: returns ? { after_s: RETURN_S, to: returnTo, onlyWithoutScript: true } : undefined,
  });
}

/** With JavaScript the payer can stay: being sent away while reading is not for everyone. */
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
      return { icon: 'cross', tone: 'bad', title: texts.failedTitle, text: payerMessage(reason, language) };
    }
    case 'cancelled':
      return { icon: 'cross', title: texts.cancelledTitle, text: texts.cancelledText };
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

/** Pieces that had landed go back: a payer who lost sight of them would ask where they are. */
function expiredText(scene: Result): string {
  const { texts, payment } = scene;
  return payment.captured_minor > 0n ? texts.expiredInPart(money(scene, payment.captured_minor)) : texts.expiredText;
}
