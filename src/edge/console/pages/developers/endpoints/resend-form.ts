import { type Html, html, raw } from '../../../../../kit/html.ts';
import { MAX_RESENT, resendableTypes } from '../../../../../money/webhooks/range.ts';
import { fieldOf, type TeamVisit } from '../../../page.ts';
import type { Fault } from '../../../parts/fault.ts';
import { number } from '../../../parts/format.ts';
import { field, select } from '../../../parts/parts.ts';
import type { Endpoint } from './read.ts';
import { ENDPOINT_TEXTS } from './texts.ts';

const DAY_MS = 24 * 60 * 60_000;

/** The form that resends events, collapsed until it is opened. */
export function resendForm(visit: TeamVisit, { id, active, events }: Endpoint, fault?: Fault): Html | null {
  if (!visit.can('event.write') || !active) return null;
  const { language, base, at } = visit;
  const texts = ENDPOINT_TEXTS[language].resend;
  const common = (name: string, value: string) => ({
    name,
    value: fieldOf(visit, name) || value,
    error: fault?.errors[name]?.[0],
  });
  const minute = (ms: number) => new Date(ms).toISOString().slice(0, 16);
  const isOpen = fault !== undefined && Object.keys(fault.errors).length > 0;
  return html`<details class="card"${isOpen && raw(' open')}><summary class="button quiet-button">${texts.title}</summary>
<p class="note">${texts.note(number(MAX_RESENT, language))}</p>
<form method="post" action="${base}/developers/endpoints/${id}/resend">${visit.formFields()}
${select({ ...common('type', ''), label: texts.type }, [['', texts.everyType], ...resendableTypes(events).map((type) => [type, type] as const)])}
${field({ ...common('from', minute(at - DAY_MS)), label: texts.from, type: 'datetime-local', required: true })}
${field({ ...common('to', minute(at + 60_000)), label: texts.to, type: 'datetime-local', required: true })}
<div class="form-actions"><button>${texts.submit}</button></div></form></details>`;
}
