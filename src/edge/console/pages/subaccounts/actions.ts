import { html } from '../../../../kit/html.ts';
import { type Answer, redirect, type TeamVisit } from '../../page.ts';
import { faultOf } from '../../parts/fault.ts';
import { card, idText, pageHead, when } from '../../parts/parts.ts';
import { switchOnce } from '../../switch-once.ts';
import { showAccount } from './one.ts';
import { accountOf } from './read.ts';
import { ACCOUNT_TEXTS } from './texts.ts';

/** Activates or deactivates a subaccount. */
export async function setActive(visit: TeamVisit, verb: 'deactivate' | 'reactivate'): Promise<Answer> {
  const { id = '' } = visit.params;
  try {
    const isSwitched = async () => (await accountOf(visit)).active === (verb === 'reactivate');
    await switchOnce(visit, `POST /accounts/:id/${verb}`, { params: { id } }, isSwitched);
  } catch (error) {
    return showAccount(visit, faultOf(visit, error));
  }
  return redirect(`${visit.base}/subaccounts/${id}?done=${verb}`);
}

/** Creates an onboarding link and shows it. It is not stored, so only the answer to the form contains it. */
export async function createOnboarding(visit: TeamVisit): Promise<Answer> {
  const { base, language } = visit;
  const texts = ACCOUNT_TEXTS[language];
  const { id, name } = await accountOf(visit);
  const { body } = await visit.api('POST /accounts/:id/onboarding', { params: { id } });
  const { url, expires_at } = (body as { onboarding: { url: string; expires_at: string } }).onboarding;
  return {
    kind: 'page',
    title: texts.onboardTitle,
    nav: '/subaccounts',
    body: html`<p class="back"><a href="${base}/subaccounts/${id}">← ${name}</a></p>${pageHead(texts.onboardTitle, { note: texts.onboardNote })}
<div class="narrow">${card(name, html`<p class="address">${idText(url)}</p><p class="note">${texts.onboardUntil} ${when(expires_at, language)}.</p>`)}</div>`,
  };
}
