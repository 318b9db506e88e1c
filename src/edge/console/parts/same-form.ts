import { type Html, html } from '../../../kit/html.ts';
import { FORM_FIELD } from '../forms.ts';
import { fieldOf, type Visit } from '../page.ts';

/**
 * Renders the token of the submitted form once more, or a new one where none was submitted. What the page submits then is the same form to
 * whatever is done once for each: also when the browser goes back and submits the first step again.
 */
export function sameForm(visit: Visit): Html {
  const token = fieldOf(visit, FORM_FIELD);
  return token === '' ? visit.formFields() : html`<input type="hidden" name="${FORM_FIELD}" value="${token}">`;
}
