import { type Html, type HtmlPart, html, raw } from '../../../kit/html.ts';
import type { Visit } from '../page.ts';

/** Returns the values of a field with several choices. */
export function chosenOf({ form }: Visit, name: string): string[] {
  const value = form[name];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** One checkbox. */
export function checkbox(given: { name: string; value: string; label: HtmlPart; checked: boolean }): Html {
  const { name, value, label, checked } = given;
  return html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${checked && raw(' checked')}> <span>${label}</span></label>`;
}

/** One radio button of several choices. */
export function radio(given: { name: string; value: string; label: HtmlPart; checked: boolean }): Html {
  const { name, value, label, checked } = given;
  return html`<label class="check"><input type="radio" name="${name}" value="${value}"${checked && raw(' checked')}> <span>${label}</span></label>`;
}

/** A group of boxes under a legend, with its help and error. */
export function choices(given: { name: string; legend: string; help?: HtmlPart; error?: HtmlPart }, boxes: HtmlPart): Html {
  const { name, legend, help, error } = given;
  const ids = [error && `f-${name}-error`, help && `f-${name}-help`].filter(Boolean).join(' ');
  return html`<fieldset class="field"${ids && html` aria-describedby="${ids}"`}><legend>${legend}</legend>${boxes}${
    error && html`<p class="error" id="f-${name}-error">${error}</p>`
  }${help && html`<p class="help" id="f-${name}-help">${help}</p>`}</fieldset>`;
}
