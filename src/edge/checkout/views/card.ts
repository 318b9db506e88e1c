import { type Html, html } from '../../../kit/html.ts';
import type { Minor } from '../../../kit/money.ts';
import { paymentDocument } from '../../pages/document.ts';
import { cardFields, type FieldErrors } from './fields.ts';
import { alert, head, hidden, state } from '../../pages/parts.ts';
import { money, payLabel, type Scene } from '../../pages/scene.ts';

export interface CardScene extends Scene {
  amount_minor: Minor;
  form_token: string;
  fieldErrors: FieldErrors;
}

/** Form for the test card of a charge that the API started. */
export function cardPage(scene: CardScene): Html {
  const { texts, fieldErrors } = scene;
  const body = html`${head(scene, scene.amount_minor)}<section><h1>${texts.cardTitle}</h1>${alert(fieldErrors.alert)}
<form method="post" action="${scene.path}/card">${hidden('form_token', scene.form_token)}${cardFields(scene, fieldErrors)}
<button>${payLabel(scene, scene.amount_minor)}</button></form></section>`;
  return paymentDocument(scene, { title: texts.payTo(scene.merchant), body, parts: ['form'] });
}

/** The 3-D Secure step of a test card. It simulates the page of the payer's bank. */
export function verifyPage(scene: CardScene): Html {
  const { texts, merchant } = scene;
  const text = texts.verifyText(money(scene, scene.amount_minor), merchant);
  const body = state(
    { icon: 'shield' },
    texts.verifyTitle,
    html`<p>${text}</p>${alert(scene.fieldErrors.alert)}
<form method="post" action="${scene.path}/card">${hidden('form_token', scene.form_token)}
<button name="authentication" value="approve">${texts.approve}</button>
<button name="authentication" value="refuse" class="plain">${texts.refuse}</button></form>`,
  );
  return paymentDocument(scene, { title: `${texts.verifyTitle} · ${merchant}`, body });
}
