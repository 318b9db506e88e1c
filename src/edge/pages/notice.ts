import { type Html, html } from '../../kit/html.ts';
import { type Language, textsIn } from './language.ts';
import type { CheckoutTexts } from './texts/checkout.ts';
import { document } from './document.ts';
import type { Icon } from './icons.ts';
import { state } from './parts.ts';

export type Notice = 'unknown' | 'busy' | 'wait' | 'broken' | 'refused' | 'later';

const NOTICES: Record<Notice, (texts: CheckoutTexts, minutes: number) => { icon: Icon; title: string; text: string }> = {
  unknown: (texts) => ({ icon: 'cross', title: texts.unknownTitle, text: texts.unknownText }),
  busy: (texts, minutes) => ({ icon: 'clock', title: texts.busyTitle, text: texts.busyText(minutes) }),
  wait: (texts, minutes) => ({ icon: 'clock', title: texts.busyTitle, text: texts.waitText(minutes) }),
  broken: (texts) => ({ icon: 'cross', title: texts.brokenTitle, text: texts.brokenText }),
  refused: (texts) => ({ icon: 'shield', title: texts.refusedTitle, text: texts.refusedText }),
  later: (texts) => ({ icon: 'clock', title: texts.laterTitle, text: texts.laterText }),
};

/**
 * Renders a page with a message that belongs to no payment.
 * @param back the payment's page, when there is one to go back to
 * @param notice `busy`: a new charge was rejected. `wait`: any other request; a charge may be in progress or have succeeded meanwhile
 * @param wait_s how long `busy` and `wait` last, in seconds
 */
export function noticePage(language: Language, notice: Notice, back?: string, wait_s = 60): Html {
  const texts = textsIn(language).checkout;
  const { icon, title, text } = NOTICES[notice](texts, Math.ceil(wait_s / 60));
  const body = state({ icon }, title, html`<p>${text}</p>${back && html`<a class="button" href="${back}">${texts.refresh}</a>`}`);
  return document({ language, title, sandbox: false, body });
}
