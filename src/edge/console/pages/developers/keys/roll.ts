import { html } from '../../../../../kit/html.ts';
import { keyState } from '../../../../../tenants/keys/service.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../../page.ts';
import { exactMoment } from '../../../parts/format.ts';
import { ownFaults } from '../../../messages/own.ts';
import { type Fault, faultOf, shownFault } from '../../../parts/fault.ts';
import { alert, field, pageHead, select } from '../../../parts/parts.ts';
import { endOf } from './parse.ts';
import { changeKey, checkActive, checkRights, heldKey, keyOf, rollKeyIn } from './service.ts';
import { KEY_TEXTS } from './texts.ts';
import { backToKeys, keyName, madeBeforePage, madeByForm, madePage } from './views.ts';

const HOUR_MS = 3_600_000;
/** How long the old key stays valid. */
const OVERLAPS = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS } as const;

/** Shows the form that replaces a key. The new key has the same rights and is shown once; the old one stays valid for a while. */
export async function showRoll({ stores }: ConsoleDeps, visit: TeamVisit, fault?: Fault): Promise<Answer> {
  const key = await keyOf(stores.control, visit);
  const path = `${visit.base}/developers/keys/${key.id}`;
  if (!fault && keyState(key, visit.at) !== 'active') return redirect(path);
  const texts = KEY_TEXTS[visit.language];
  const errors = fault?.errors ?? {};
  const failed = fault !== undefined && Object.keys(errors).length === 0 && alert(fault.message);
  return {
    kind: 'page',
    title: texts.roll,
    nav: '/developers',
    ...(fault ? { status: fault.status } : {}),
    body: html`${backToKeys(visit, key)}${pageHead(texts.roll)}<section class="card narrow">${failed}<p>${texts.rollWhat}</p>
<form method="post" action="${path}/roll?from=${encodeURIComponent(`${path}/roll`)}">${visit.formFields()}
${select({ name: 'overlap', label: texts.overlap(keyName(key)), value: fieldOf(visit, 'overlap') || '24h', error: errors.overlap?.[0] }, Object.entries(texts.overlaps))}
${field({ name: 'expires', label: texts.lastDayNew, type: 'date', value: fault ? fieldOf(visit, 'expires') : lastDayOf(key), error: errors.expires?.[0], help: texts.lastDayHelp })}
<p class="help">${texts.createNote}</p>
<div class="form-actions"><button>${texts.roll}</button><a class="button quiet-button" href="${path}">${texts.cancel}</a></div></form></section>`,
  };
}

/** Returns the last day of a key in the format of a date field; empty when it does not expire. */
function lastDayOf({ expires_at }: { expires_at: Date | null }): string {
  return expires_at === null ? '' : new Date(expires_at.getTime() - 1).toISOString().slice(0, 10);
}

/** Replaces the key and shows the new one, only once. */
export async function rollKey(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const texts = KEY_TEXTS[visit.language];
  const chosen = fieldOf(visit, 'overlap');
  const expires_at = endOf(fieldOf(visit, 'expires'), visit.at);
  if (!isOverlap(chosen) || expires_at === undefined) {
    const errors = isOverlap(chosen) ? { expires: [texts.faults.expires] } : { overlap: [texts.faults.overlap] };
    return showRoll(deps, visit, shownFault(visit.language, ownFaults(errors)));
  }
  const overlap_ms = OVERLAPS[chosen];
  try {
    const key = await keyOf(deps.stores.control, visit);
    const { id, kind, scopes, allowed_ips } = key;
    checkRights(visit, kind, scopes);
    const asked = heldKey('key.roll', { id, kind, scopes, allowed_ips, overlap_ms, expires_at });
    const done = await changeKey(
      visit,
      asked,
      { kind, scopes },
      {
        change: (tx) => rollKeyIn(tx, visit, { overlap_ms, expires_at }),
        madeBefore: async () => {
          const made = await madeByForm(visit);
          // Nobody is asked for what cannot be done.
          if (!made) checkActive(key, visit);
          return made;
        },
      },
    );
    if ('answer' in done) return done.answer;
    if (!done.made) return madeBeforePage(visit);
    const { expires_at: end } = await keyOf(deps.stores.control, visit);
    return madePage(visit, done.made, end && html`<p class="help">${texts.oldUntil(exactMoment(end, visit.language))}</p>`);
  } catch (error) {
    return showRoll(deps, visit, faultOf(visit, error));
  }
}

function isOverlap(text: string): text is keyof typeof OVERLAPS {
  return Object.hasOwn(OVERLAPS, text);
}
