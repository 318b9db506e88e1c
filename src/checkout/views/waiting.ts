import { type Html, html } from '../../kit/html.ts';
import { must, unreachable } from '../../kit/errors.ts';
import { totalOf } from '../../payments/present.ts';
import type { AttemptRow } from '../../payments/schema.ts';
import { channelById } from '../../reference/channels.ts';
import { document } from './document.ts';
import { facts, field, head, hidden, state } from './parts.ts';
import { money, type Scene } from './scene.ts';

/** Without JavaScript the page asks again by loading itself. */
const REFRESH_S = 5;

export interface Waiting extends Scene {
  /** As the status route tells it: the page loads itself again when that changes. */
  progress: string;
  /** Whether this browser may see the number that is charged. */
  own: boolean;
}

/** The charge is under way: what the payer has to do now. @param attempt the open one; undefined between two */
export function waitingPage(scene: Waiting, attempt: AttemptRow | undefined): Html {
  const title = `${titleOf(scene, attempt)} · ${scene.merchant}`;
  return follow(scene, title, html`${head(scene, attempt?.amount_minor ?? totalOf(scene.payment))}${step(scene, attempt)}`);
}

function titleOf({ texts, payment }: Scene, attempt: AttemptRow | undefined): string {
  switch (attempt?.action?.kind) {
    case 'confirm':
    case 'otp':
      return texts.confirmTitle;
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
  if (!attempt || !action) return state({ icon: 'clock' }, title, html`<p>${between(scene)}</p>${live(scene, null)}`);
  const amount = money(scene, attempt.amount_minor);
  switch (action.kind) {
    case 'confirm':
    case 'otp':
      return state(
        { icon: 'phone' },
        title,
        html`<p>${texts.confirmText(amount, scene.own ? attempt.payer : null)}</p>${piece(scene, attempt)}
${live(scene, texts.waiting)}${dialHint(scene, attempt)}`,
      );
    case 'transfer': {
      const { bank, account_number, reference } = action.instructions;
      const rows = [
        [texts.bank, bank],
        [texts.account, account_number],
        [texts.reference, reference],
        [texts.amount, amount],
      ] as const;
      return state(
        { icon: 'bank' },
        title,
        html`<p>${texts.transferText(amount)}</p>${facts(rows)}
${live(scene, texts.waitingTransfer)}`,
      );
    }
    case 'redirect':
      return onwards(scene, action.url);
    default:
      return unreachable(action);
  }
}

function between(scene: Scene): string {
  return scene.payment.status === 'partial' ? begun(scene) : scene.texts.checkingText;
}

function begun(scene: Scene): string {
  const { payment, texts } = scene;
  return texts.partialText(money(scene, payment.captured_minor), money(scene, totalOf(payment)));
}

/** A payment above the operator's ceiling comes in several requests: said before the payer wonders about the amount. */
function piece(scene: Scene, attempt: AttemptRow): Html | false {
  const { payment, texts } = scene;
  if (payment.captured_minor > 0n) return html`<p>${begun(scene)}</p>`;
  return attempt.amount_minor < totalOf(payment) && html`<p>${texts.partOf(money(scene, totalOf(payment)))}</p>`;
}

function dialHint({ texts }: Scene, attempt: AttemptRow): Html {
  const code = must(channelById(attempt.channel), 'the channel was checked when the attempt was made').ussd_hint;
  return html`${code && html`<p class="after"><span class="hint">${texts.dial(code)}</span></p>`}`;
}

function live({ texts, path }: Scene, text: string | null): Html {
  return html`<p class="live" role="status">${text}<span class="spin" aria-hidden="true"></span></p>
<noscript><p>${texts.noJavaScript} <a href="${path}">${texts.refresh}</a></p></noscript>`;
}

export interface TakeOver {
  /** Nothing is under way: a payer who knows the charged number can go on here. */
  open: boolean;
  form_token: string;
  complaint: string | undefined;
}

/** For browsers that do not have the page: how it stands, without the payer's data. */
export function elsewherePage(scene: Waiting, takeOver: TakeOver): Html {
  const { texts } = scene;
  const said = state({ icon: 'clock' }, texts.elsewhereTitle, html`<p>${texts.elsewhereText}</p>`);
  const top = html`${head(scene, totalOf(scene.payment))}${said}`;
  const title = `${texts.elsewhereTitle} · ${scene.merchant}`;
  if (!takeOver.open) return follow(scene, title, top);
  // Nothing is under way, so nothing is refreshed under the fingers of someone who types.
  const number = field(
    { id: 'phone', label: texts.takeOverNumber, error: takeOver.complaint },
    (attributes) => html`<input name="phone" autocomplete="tel" inputmode="tel" maxlength="64" required ${attributes}>`,
  );
  const body = html`${top}<section><h2>${texts.takeOverTitle}</h2><p class="soft gap">${texts.takeOverText}</p>
<form method="post" action="${scene.path}">${hidden('form_token', takeOver.form_token)}${number}
<button>${texts.takeOver}</button></form></section>`;
  return document({ ...scene, title, body });
}

function follow(scene: Waiting, title: string, body: Html): Html {
  return document({
    ...scene,
    title,
    body: html`<div data-follow="${scene.path}/status" data-state="${scene.progress}">${body}</div>`,
    refresh: { after_s: REFRESH_S, to: scene.path, onlyWithoutScript: true },
  });
}

/** Straight on to the provider's page: shown for a moment, and to browsers that do not follow by themselves. */
export function leavingPage(scene: Scene, url: string): Html {
  const body = html`${head(scene, totalOf(scene.payment))}${onwards(scene, url)}`;
  const refresh = { after_s: 0, to: url, onlyWithoutScript: false };
  return document({ ...scene, title: scene.texts.redirectTitle, body, refresh });
}

function onwards({ texts }: Scene, url: string): Html {
  const link = html`<p>${texts.redirectText}</p><a class="button" href="${url}">${texts.continue}</a>`;
  return state({ icon: 'arrow' }, texts.redirectTitle, link);
}
