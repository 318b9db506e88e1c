import { type Html, html } from '../../../../../kit/html.ts';
import { type KeyState, keyPrefix, keyState } from '../../../../../tenants/keys/service.ts';
import { isKeyMade, type KeyRow } from '../../../../../tenants/keys/store.ts';
import type { ConsoleLanguage } from '../../../language.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { alert, badge, card, idText, pageHead, type Tone, when } from '../../../parts/parts.ts';
import { tabName } from '../tabs.ts';
import type { MadeKey } from './service.ts';
import { KEY_TEXTS } from './texts.ts';

const TONES: Record<KeyState, Tone> = { active: 'good', inactive: 'idle', expired: 'idle', revoked: 'bad' };

/** Returns a name for a key: its prefix and last four characters. */
export function keyName({ kind, environment, last4 }: Pick<KeyRow, 'kind' | 'environment' | 'last4'>): string {
  return `${keyPrefix(kind, environment)}…${last4}`;
}

/** Renders the state of a key. */
export function stateBadge(key: KeyRow, { at, language }: TeamVisit): Html {
  const state = keyState(key, at);
  return badge(KEY_TEXTS[language].states[state], TONES[state]);
}

/** Returns a short text of a key's rights. */
export function rights({ kind, scopes }: KeyRow, language: ConsoleLanguage): string {
  const texts = KEY_TEXTS[language];
  return kind === 'restricted' ? texts.someRights(scopes.length) : texts.rightsOf[kind];
}

/** Renders when a key ends. */
export function ends({ expires_at }: Pick<KeyRow, 'expires_at'>, language: ConsoleLanguage): Html | string {
  return expires_at === null ? KEY_TEXTS[language].never : when(expires_at, language);
}

/** Link back to a key, or to the list of keys. */
export function backToKeys(visit: TeamVisit, key?: KeyRow): Html {
  const path = `${visit.base}/developers/keys`;
  if (!key) return html`<p class="back"><a href="${path}">← ${tabName(visit, 'keys')}</a></p>`;
  return html`<p class="back"><a href="${path}/${key.id}">← ${keyName(key)}</a></p>`;
}

/** Shows the text of a key, only once. */
export function madePage(visit: TeamVisit, made: NonNullable<MadeKey>, more: Html | null = null): Answer {
  const texts = KEY_TEXTS[visit.language];
  return {
    kind: 'page',
    title: texts.madeTitle,
    nav: '/developers',
    body: html`${backToKeys(visit)}${pageHead(texts.madeTitle)}<div class="narrow">${alert(texts.madeOnce, 'info')}${card(
      texts.kinds[made.kind],
      html`<p class="secret">${idText(made.key)}</p><p class="help">${texts.madeUse}</p>${more}
<div class="form-actions"><a class="button" href="${visit.base}/developers/keys/${made.id}">${texts.madeKept}</a></div>`,
    )}</div>`,
  };
}

/** Page for a form that was submitted before: the text of its key cannot be shown again. */
export function madeBeforePage(visit: TeamVisit): Answer {
  const texts = KEY_TEXTS[visit.language];
  return {
    kind: 'page',
    status: 409,
    title: texts.madeTitle,
    nav: '/developers',
    body: html`${backToKeys(visit)}${pageHead(texts.madeTitle)}${alert(texts.madeBefore)}`,
  };
}

/** Returns that page if the submitted form has made its key; null otherwise. */
export async function madeByForm(visit: TeamVisit): Promise<Answer | null> {
  return (await isKeyMade(visit.approvals.control, visit.team.id, visit.formKey)) ? madeBeforePage(visit) : null;
}
