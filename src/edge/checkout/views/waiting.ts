import { type Html, html } from '../../../kit/html.ts';
import { unreachable } from '../../../kit/errors.ts';
import { totalOf } from '../../../core/payments/present.ts';
import { masked } from '../../../core/charge/saved.ts';
import type { AttemptRow } from '../../../core/attempts/schema.ts';
import type { Visit } from '../context.ts';
import { paymentDocument } from '../../pages/document.ts';
import { byItself, follow, live, REFRESH_S } from './follow.ts';
import { head, state, tranches } from '../../pages/parts.ts';
import { spaced } from '../../../providers/reference/phones.ts';
import { cancelForm, wrongNumber } from './second-thoughts.ts';
import { codeForm, dialHint, isLate, steps } from './prompt.ts';
import { money, type Scene } from '../../pages/scene.ts';
import { transfer } from './transfer.ts';

export interface Waiting extends Scene {
  /** Progress as the status route reports it. The page reloads when it changes. */
  progress: string;
  /** Whether this browser may see the charged number. */
  own: boolean;
  /** Current time in milliseconds, for the operator's confirmation window. */
  now: number;
  form_token: string;
  /** Error of the submitted code. */
  fieldError?: string | undefined;
  /** Whether the provider can cancel the open charge. */
  cancellable: boolean;
  note: Visit['note'];
}

/**
 * Page of a charge in progress, with the payer's next step.
 * @param attempt the open attempt; undefined between two tranches
 */
export function waitingPage(scene: Waiting, attempt: AttemptRow | undefined): Html {
  const title = `${titleOf(scene, attempt)} · ${scene.merchant}`;
  const top = head(scene, attempt?.amount_minor ?? totalOf(scene.payment), { more: tranches(scene) });
  // The page is not reloaded while the payer types a code or reads.
  const refresh_s = attempt?.action?.kind === 'otp' || scene.note === 'ask' ? null : REFRESH_S;
  return follow(scene, title, html`${top}${step(scene, attempt)}`, refresh_s);
}

function titleOf(scene: Waiting, attempt: AttemptRow | undefined): string {
  const { texts, payment } = scene;
  switch (attempt?.action?.kind) {
    case 'confirm':
      return isLate(attempt, scene.now) ? texts.checkingTitle : texts.confirmTitle;
    case 'otp':
      return texts.otpTitle;
    case 'transfer':
      return texts.transferTitle;
    case 'redirect':
      return texts.redirectTitle;
    case undefined:
      return payment.status === 'partial' ? texts.partialTitle : texts.checkingTitle;
  }
}

function step(scene: Waiting, attempt: AttemptRow | undefined): Html {
  const { texts } = scene;
  const title = titleOf(scene, attempt);
  const action = attempt?.action;
  if (!attempt || !action) return checking(scene, title);
  const amount = money(scene, attempt.amount_minor);
  const number = scene.own ? shownNumber(attempt) : null;
  switch (action.kind) {
    case 'confirm':
      if (isLate(attempt, scene.now)) return state({ icon: 'clock' }, title, html`<p>${texts.lateText}</p>${live(scene, null)}`);
      return state(
        { icon: 'phone' },
        title,
        html`<p>${texts.confirmText(amount, number)}</p>${trancheLine(scene, attempt)}${steps(scene, attempt)}
${dialHint(texts, attempt)}${scene.note === 'ask' ? back(scene) : byItself(scene)}${wrongNumber(scene, attempt, number)}`,
      );
    case 'otp':
      return state(
        { icon: 'phone' },
        title,
        html`<p>${texts.otpText(number)}</p>${trancheLine(scene, attempt)}${codeForm(scene)}${dialHint(texts, attempt)}${wrongNumber(scene, attempt, number)}`,
      );
    case 'transfer':
      return state(
        { icon: 'bank' },
        title,
        html`<p>${texts.transferText(amount)}</p>${transfer(texts, action, amount)}
${live(scene, texts.waitingTransfer)}`,
      );
    case 'redirect':
      return onwards(scene, action.url, cancelForm(scene));
    default:
      return unreachable(action);
  }
}

/** Link to the page that reloads itself again. */
function back({ texts, path }: Scene): Html {
  return html`<p class="after"><a href="${path}">${texts.refresh}</a></p>`;
}

/** Returns the charged number, in groups that do not wrap. A saved number is masked, because someone else may use the browser now. */
function shownNumber({ payer, method_id }: AttemptRow): string | null {
  if (payer === null) return null;
  return method_id === null ? spaced(payer).replaceAll(' ', '\u00a0') : masked(payer);
}

/** Shown between two tranches, or while the outcome of the charge is unknown. */
function checking(scene: Waiting, title: string): Html {
  const { texts, payment } = scene;
  const said = payment.status === 'partial' ? null : html`<p>${texts.checkingText}</p>`;
  return state({ icon: 'clock' }, title, html`${said}${live(scene, null)}`);
}

/**
 * A payment above the operator's transaction limit is charged in several tranches. The first prompt explains the smaller
 * amount.
 */
function trancheLine(scene: Scene, attempt: AttemptRow): Html | false {
  const { payment, texts } = scene;
  const first = payment.captured_minor === 0n && attempt.amount_minor < totalOf(payment);
  return first && html`<p>${texts.partOf(money(scene, totalOf(payment)))}</p>`;
}

/** Redirects to the provider's page at once. Browsers that do not follow the redirect show a link. */
export function leavingPage(scene: Scene, url: string): Html {
  const body = html`${head(scene, totalOf(scene.payment))}${onwards(scene, url)}`;
  const refresh = { after_s: 0, to: url, onlyWithoutScript: false };
  return paymentDocument(scene, { title: scene.texts.redirectTitle, body, refresh });
}

function onwards({ texts }: Scene, url: string, more?: Html): Html {
  const link = html`<p>${texts.redirectText}</p><a class="button" href="${url}">${texts.continue}</a>${more}`;
  return state({ icon: 'arrow' }, texts.redirectTitle, link);
}
