import { Html, html, raw } from '../../kit/html.ts';
import type { Minor } from '../../kit/money.ts';
import { totalOf } from '../../core/payments/present.ts';
import { type Icon, icon } from './icons.ts';
import { money, type Scene } from './scene.ts';
import type { CheckoutTexts } from './texts/checkout.ts';

/** Head of every page of a payment: merchant and amount. */
export function head(scene: Scene, amount: Minor, options: { heading?: boolean; more?: Html | false | null } = {}): Html {
  const { merchant, theme, path } = scene;
  // Covers the initial, which stays visible when the image cannot be loaded.
  const logo = theme.logo !== null && html`<img src="${path}/logo" alt="" width="44" height="44">`;
  const inside = headline(merchant, money(scene, amount), logo);
  return html`<div class="head">${options.heading ? html`<h1>${inside}</h1>` : html`<p>${inside}</p>`}${options.more}</div>`;
}

/**
 * Merchant and amount, at the head of every page.
 * @param sum null where the payer enters the amount
 */
export function headline(merchant: string, sum: string | null, logo: Html | false = false): Html {
  return html`<span class="mark" aria-hidden="true">${initial(merchant)}${logo}</span><span class="who">${merchant}</span>${
    sum !== null && html` <span class="sum">${sum}</span>`
  }`;
}

/** Returns the initial that replaces a merchant's logo. */
function initial(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '•').toUpperCase();
}

/** Icon, title and text, for waiting pages, results and notices. */
export function state(sign: { icon: Icon; tone?: 'good' | 'bad' }, title: string, rest: Html): Html {
  return html`<div class="state"><span class="sign ${sign.tone}">${icon(sign.icon)}</span><h1>${title}</h1>${rest}</div>`;
}

/** List of labels and values. Rows without a value are left out. A value that is markup gets a line of its own. */
export function facts(rows: readonly (readonly [name: string, value: string | Html | null])[], kind = 'facts'): Html {
  const given = rows.filter(([, value]) => value !== null);
  return html`<dl class="${kind}">${given.map(([name, value]) => html`<div><dt>${name}</dt><dd${value instanceof Html && raw(' class="copied"')}>${value}</dd></div>`)}</dl>`;
}

/**
 * A full id with a button that copies it. The button needs the script of the part `paper`; without a script one click selects the id.
 * A narrow screen breaks it after its prefix or in the middle, always at the same places.
 */
export function copied(texts: Pick<CheckoutTexts, 'copy' | 'copied'>, name: string, id: string): Html {
  const pieces = /^(.*_)(.{13})(.+)$/.exec(id)?.slice(1) ?? [id];
  const shown = html`<span class="id">${pieces.map((piece, at) => html`${at > 0 && raw('<wbr>')}${piece}`)}</span>`;
  return html`${shown}${copyButton(texts, name, id)}`;
}

/** Button that copies a value; it must follow the element that shows the value. Hidden without a script. */
export function copyButton(texts: Pick<CheckoutTexts, 'copy' | 'copied'>, name: string, value: string): Html {
  return html`<button type="button" class="copy" data-copy="${value}" data-done="${texts.copied}" aria-label="${texts.copy}: ${name}" hidden>${texts.copy}</button>`;
}

export interface Field {
  id: string;
  label: string;
  help?: string | undefined;
  /** Id of a help text elsewhere on the page. */
  helpElsewhere?: string;
  error?: string | undefined;
}

/** A labelled control with its help and error, which screen readers announce with it. */
export function field({ id, label, help, helpElsewhere, error }: Field, control: (attributes: Html) => Html): Html {
  const described = [error && `${id}-error`, help && `${id}-help`, helpElsewhere].filter(Boolean).join(' ');
  const attributes = html`id="${id}"${described && html` aria-describedby="${described}"`}${
    error && raw(' aria-invalid="true" autofocus')
  }`;
  return html`<div><label for="${id}">${label}</label>${control(attributes)}
${error && html`<p class="error" id="${id}-error">${error}</p>`}${help && html`<p class="help" id="${id}-help">${help}</p>`}</div>`;
}

/** Error message for the whole form, announced by screen readers. */
export function alert(text: string | undefined): Html {
  return html`${text && html`<p class="alert" role="alert">${text}</p>`}`;
}

/** A hidden field of a form. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

/** Progress of a payment in tranches. Null when nothing was captured. */
export function tranches(scene: Scene): Html | null {
  const { payment, texts } = scene;
  if (payment.captured_minor === 0n) return null;
  const total = totalOf(payment);
  const percent = Number((payment.captured_minor * 100n) / total);
  const text = texts.partialText(money(scene, payment.captured_minor), money(scene, total));
  return html`<p class="part">${text}<progress max="100" value="${percent}" aria-label="${text}"></progress></p>`;
}
