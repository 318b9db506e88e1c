import { type Language, localeOf, textsIn } from '../pages/language.ts';
import { document } from '../pages/document.ts';
import type { Icon } from '../pages/icons.ts';
import { alert, field, headline, hidden, state } from '../pages/parts.ts';
import type { Theme } from '../pages/theme/theme.ts';
import { type Html, html, raw } from '../../kit/html.ts';
import { currencyLabel, formatMoney, type Minor } from '../../kit/money.ts';
import type { Closed } from '../pages/texts/link.ts';
import { type FieldErrors, minimumFor, type Typed } from './form.ts';
import type { LinkRow, PayerField } from './schema.ts';

export interface LinkScene {
  language: Language;
  merchant: string;
  link: LinkRow;
  theme: Theme;
  /** `/l/<token>`: path of the page. */
  path: string;
  /** Target of the form. */
  action: string;
  form_token: string;
  nonce: string;
  /** What was typed before, when the form is shown again. */
  typed: Typed;
  fieldErrors: FieldErrors;
}

/** Renders the page of a link: merchant, title and the fields to collect. It works without JavaScript. */
export function linkPage(scene: LinkScene): Html {
  const { language, merchant, theme, link, path, fieldErrors } = scene;
  const texts = textsIn(language).link;
  const sum = link.amount_minor === null ? null : money(scene, link.amount_minor);
  const body = html`<div class="head"><h1>${headline(merchant, sum)}</h1><p class="what"><b>${link.title}</b></p>${
    link.description && html`<p class="what">${link.description}</p>`
  }</div>
<section>${alert(fieldErrors.alert)}
<form method="post" action="${scene.action}">${hidden('form_token', scene.form_token)}${hidden('nonce', scene.nonce)}
${link.amount_minor === null && amountField(scene)}
${link.collect.map((name) => payerField(scene, name))}
<button>${texts.next}</button><p class="help">${texts.nextHelp}</p></form></section>`;
  return document({ language, title: `${link.title} · ${merchant}`, sandbox: false, theme, translations: path, body });
}

function money({ link, language }: LinkScene, amount: Minor): string {
  return formatMoney(amount, link.currency, localeOf(language));
}

function amountField(scene: LinkScene): Html {
  const { link, language, typed, fieldErrors } = scene;
  const texts = textsIn(language).link;
  const { max_amount_minor } = link;
  const help = texts.range(money(scene, minimumFor(link)), max_amount_minor === null ? null : money(scene, max_amount_minor));
  return field(
    {
      id: 'amount',
      label: `${texts.amount} (${currencyLabel(link.currency, localeOf(language))})`,
      help,
      error: fieldErrors.amount,
    },
    (attributes) =>
      html`<input name="amount" value="${typed.amount}" autocomplete="off" inputmode="decimal" maxlength="20" required ${attributes}>`,
  );
}

/** Attributes for autofill and the on-screen keyboard. */
const INPUTS: Record<PayerField, Html> = {
  name: raw('autocomplete="name" maxlength="255"'),
  email: raw('type="email" autocomplete="email" maxlength="255"'),
  phone: raw('type="tel" autocomplete="tel" inputmode="tel" maxlength="32"'),
};

function payerField({ language, typed, fieldErrors }: LinkScene, name: PayerField): Html {
  return field(
    { id: name, label: textsIn(language).link.fields[name], error: fieldErrors[name] },
    (attributes) => html`<input name="${name}" value="${typed[name]}" ${INPUTS[name]} required ${attributes}>`,
  );
}

const SIGNS: Record<Closed, Icon> = {
  inactive: 'cross',
  expired: 'clock',
  used: 'check',
  full: 'clock',
  unverified: 'shield',
  unknown: 'cross',
};

/**
 * Page of a link that accepts no payment now.
 * @param link null for a URL without a link
 */
export function closedPage(language: Language, why: Closed, link: { title: string; merchant: string } | null): Html {
  const { title, text } = textsIn(language).link.closed[why];
  const about = link && html`<p>${link.merchant} · ${link.title}</p>`;
  return document({ language, title, sandbox: false, body: state({ icon: SIGNS[why] }, title, html`<p>${text}</p>${about}`) });
}
