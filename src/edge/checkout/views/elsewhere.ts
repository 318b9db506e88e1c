import { type Html, html } from '../../../kit/html.ts';
import { totalOf } from '../../../core/payments/present.ts';
import { paymentDocument } from '../../pages/document.ts';
import { follow, REFRESH_S } from './follow.ts';
import { field, head, hidden, state } from '../../pages/parts.ts';
import type { Scene } from '../../pages/scene.ts';

export interface TakeOver {
  /** No charge is in progress: a payer who knows the charged number can continue here. */
  open: boolean;
  form_token: string;
  fieldError: string | undefined;
}

/** Page for browsers other than the one that started the payment. Shows the status without the payer's data. */
export function elsewherePage(scene: Scene & { progress: string }, takeOver: TakeOver): Html {
  const { texts } = scene;
  const said = state({ icon: 'clock' }, texts.elsewhereTitle, html`<p>${texts.elsewhereText}</p>`);
  const top = html`${head(scene, totalOf(scene.payment))}${said}`;
  const title = `${texts.elsewhereTitle} · ${scene.merchant}`;
  if (!takeOver.open) return follow(scene, title, top, REFRESH_S);
  // Nothing is in progress, so the page is not reloaded while the payer types.
  const number = field(
    { id: 'phone', label: texts.takeOverNumber, error: takeOver.fieldError },
    (attributes) => html`<input name="phone" autocomplete="tel" inputmode="tel" maxlength="64" required ${attributes}>`,
  );
  const body = html`${top}<section><h2>${texts.takeOverTitle}</h2><p class="soft gap">${texts.takeOverText}</p>
<form method="post" action="${scene.path}">${hidden('form_token', takeOver.form_token)}${number}
<button>${texts.takeOver}</button></form></section>`;
  return paymentDocument(scene, { title, body });
}
