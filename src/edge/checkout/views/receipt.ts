import { type Html, html } from '../../../kit/html.ts';
import type { Receipt } from '../../receipts/receipt.ts';
import { textsIn } from '../../pages/language.ts';
import { document } from '../../pages/document.ts';
import { icon } from '../../pages/icons.ts';
import { copied, facts, head } from '../../pages/parts.ts';
import type { Scene } from '../../pages/scene.ts';
import { totalOf } from '../../../core/payments/present.ts';

/** Renders a receipt, for the screen and for print. */
export function receiptPage(scene: Scene, receipt: Receipt): Html {
  const { language, sandbox, theme, path } = scene;
  const texts = textsIn(language).receipt;
  const shown = receipt.facts.map(
    ([name, value]) => [name, value === receipt.id ? copied(scene.texts, name, value) : value] as const,
  );
  const body = html`${head(scene, totalOf(scene.payment))}
<section><h1>${texts.title}</h1><p class="stamp">${icon('check')}${receipt.standing}</p>${facts(shown)}</section>
${order(receipt)}
<section>${facts(receipt.sums, 'bill')}<p class="help">${texts.issued(receipt.merchant)}</p>
<div class="ways"><a class="button" href="${path}/receipt.pdf" download>${texts.download}</a>
<a class="button plain" href="${path}">${texts.back}</a></div></section>`;
  const title = texts.titleOf(receipt.merchant);
  return document({ language, sandbox, theme, title, body, parts: ['paper'], translations: `${path}/receipt` });
}

function order({ language, items }: Receipt): Html | false {
  return (
    items.length > 0 &&
    html`<section><h2>${textsIn(language).receipt.items}</h2><ul class="gap lines">${items.map((item) => html`<li>${item}</li>`)}</ul></section>`
  );
}
