import { type Html, html } from '../../../../kit/html.ts';
import { OwnProblem } from '../../messages/own.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, type PersonVisit, secretOf } from '../../page.ts';
import { alert, pageHead } from '../../parts/parts.ts';
import { ownPath } from '../../paths.ts';
import { type FactorNames, factorForms, presentPassword, presentPasskey } from './confirm.ts';
import { SIGN_IN_TEXTS } from './texts.ts';
import type { Said } from './views.ts';

/** Names of the factor's fields. They are sent beside the fields of the action, none of which begins with an underscore. */
const NAMES: FactorNames = { email: '_email', password: '_password', code: '_code', answer: '_answer' };

const NEEDED = 403;

/** Maximum characters of an action's fields: the longest list of payouts and the rest of its form. A page repeats them twice. */
const MAX_TYPED = 300_000;

/**
 * Verifies the factor that was submitted with an action, or returns a page that requests one. The page contains the fields of the action
 * and its token, and submits them again with the factor. Nothing is stored. The token is valid in this session only, so that no other
 * person can send the fields. A repeated submission is the same operation. An action whose fields are too long to repeat is rejected.
 * @returns the page that asks; null: the factor was verified, and the action may run
 * @throws Problem 422
 */
export async function confirmAction(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer | null> {
  const typed = Object.values(visit.form).flat();
  if (typed.reduce((sum, { length }) => sum + length, 0) > MAX_TYPED) {
    throw new OwnProblem(422, SIGN_IN_TEXTS[visit.language].confirmTooLong);
  }
  if (secretOf(visit, NAMES.answer) !== '') return asking(deps, visit, await presentPasskey(deps, visit, NAMES));
  if (secretOf(visit, NAMES.password) !== '') return asking(deps, visit, await presentPassword(deps, visit, NAMES));
  return asking(deps, visit, { text: '', status: NEEDED });
}

async function asking(deps: ConsoleDeps, visit: PersonVisit, said: Said | null): Promise<Answer | null> {
  if (!said) return null;
  const texts = SIGN_IN_TEXTS[visit.language];
  const forms = { action: visit.path, passkeyAction: visit.path, names: NAMES, hidden: typedFields(visit) };
  const parts = await factorForms(deps, visit, texts.confirmAction, forms);
  return {
    kind: 'page',
    title: texts.confirmTitle,
    status: said.status ?? NEEDED,
    body: html`${pageHead(texts.confirmTitle)}<section class="card narrow">${said.text !== '' && alert(said.text)}${parts}
<p><a href="${ownPath(visit.query.from)}">${texts.confirmAbandon}</a></p></section>`,
  };
}

/** The input as hidden fields, without the factor. */
function typedFields({ form }: PersonVisit): Html[] {
  const factor = Object.values(NAMES);
  return Object.entries(form)
    .filter(([name]) => !factor.includes(name))
    .flatMap(([name, values]) => [values].flat().map((value) => html`<input type="hidden" name="${name}" value="${value}">`));
}
