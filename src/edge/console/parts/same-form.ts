import { type Html, html } from '../../../kit/html.ts';
import { FORM_FIELD } from '../forms.ts';
import { fieldOf, type Visit } from '../page.ts';

/**
 * Renders the token of the submitted form again, or a new one where none was submitted. The next step then counts as the same form, so
 * that an action is done once even when the browser goes back and submits the first step again.
 */
export function sameForm(visit: Visit): Html {
  const token = fieldOf(visit, FORM_FIELD);
  return token === '' ? visit.formFields() : html`<input type="hidden" name="${FORM_FIELD}" value="${token}">`;
}
