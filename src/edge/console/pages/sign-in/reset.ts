import { html } from '../../../../kit/html.ts';
import { attempt, byAddress } from '../../../../tenants/people/attempts.ts';
import { askReset } from '../../../../tenants/people/by-link.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, fieldOf, type Visit } from '../../page.ts';
import { field } from '../../parts/parts.ts';
import { SIGN_IN_TEXTS } from './texts.ts';
import { limitedText, type Said, sayingPage } from './views.ts';

const MAX_EMAIL = 254;

/** Shows the form for the address to which the link is sent. */
export async function showReset(_deps: ConsoleDeps, visit: Visit): Promise<Answer> {
  return resetView(visit, null);
}

function resetView(visit: Visit, said: Said | null): Answer {
  const texts = SIGN_IN_TEXTS[visit.language];
  const email = {
    name: 'email',
    label: texts.email,
    type: 'email',
    autocomplete: 'username',
    required: true,
    autofocus: true,
  } as const;
  return sayingPage(texts.resetTitle, said, [
    html`<p>${texts.resetText}</p>`,
    html`<form method="post" action="/console/reset">${visit.formFields()}${field({ ...email, maxlength: MAX_EMAIL })}
<div class="form-actions"><button>${texts.send}</button><a class="button quiet-button" href="/console/sign-in">${texts.back}</a></div></form>`,
  ]);
}

/** Sends the link. The answer is the same for known and unknown addresses. */
export async function submitReset(deps: ConsoleDeps, visit: Visit): Promise<Answer> {
  const texts = SIGN_IN_TEXTS[visit.language];
  const wait_ms = await attempt(deps.stores.control, [byAddress(visit.ip)]);
  if (wait_ms > 0) return resetView(visit, limitedText(visit, wait_ms));
  await askReset(deps, visit, fieldOf(visit, 'email').slice(0, MAX_EMAIL));
  return sayingPage(texts.sentTitle, null, [
    html`<p>${texts.sentText}</p>`,
    html`<p><a class="button quiet-button" href="/console/sign-in">${texts.back}</a></p>`,
  ]);
}
