import { type Html, html, raw } from '../../../../../kit/html.ts';
import { EVENT_TYPES } from '../../../../../money/events/catalogue.ts';
import { MAX_RESENT, resendRange } from '../../../../../money/webhooks/range.ts';
import { scopesOf } from '../../../../../tenants/people/roles.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../../page.ts';
import { type Fault, faultOf } from '../../../parts/fault.ts';
import { number } from '../../../parts/format.ts';
import { field, select } from '../../../parts/parts.ts';
import { showEndpoint } from './one.ts';
import type { Endpoint } from './read.ts';
import { ENDPOINT_TEXTS } from './texts.ts';

const DAY_MS = 24 * 60 * 60_000;
const MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?$/;

/** Delivers the events of a time range to one endpoint again: once for each form that was shown. */
export async function resendEvents(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const { team, store, session, role, environment, params, formKey, request_id, trace_id, ip, at } = visit;
  const { user, id: session_id } = session;
  const body = { type: fieldOf(visit, 'type'), from: momentOf(visit, 'from'), to: momentOf(visit, 'to') };
  try {
    const { body: answer } = await resendRange(deps, {
      caller: { team, store, key_id: user.id, session_id, kind: 'secret', scopes: scopesOf(role, environment) },
      ...{ params, query: {}, body, idempotency_key: formKey, sync: null, request_id, trace_id, ip, at },
    });
    return redirect(`${visit.base}/developers/endpoints/${params.id}?done=${answer.events === 0 ? 'nothing' : 'resend'}`);
  } catch (error) {
    return showEndpoint(visit, faultOf(error));
  }
}

/** Returns a time of the form in milliseconds since the epoch; NaN for anything else, which no range contains. */
function momentOf(visit: TeamVisit, name: string): number {
  const text = fieldOf(visit, name);
  return MINUTE.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
}

/** The form, closed until it is needed. */
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
  const types = EVENT_TYPES.filter((type) =>
    events.some((one) => one === '*' || one === type || one === `${type.split('.')[0]}.*`),
  );
  const isOpen = fault !== undefined && Object.keys(fault.errors).length > 0;
  return html`<details class="card"${isOpen && raw(' open')}><summary>${texts.title}</summary>
<p class="note">${texts.note(number(MAX_RESENT, language))}</p>
<form method="post" action="${base}/developers/endpoints/${id}/resend">${visit.formFields()}
${select({ ...common('type', ''), label: texts.type }, [['', texts.everyType], ...types.map((type) => [type, type] as const)])}
${field({ ...common('from', minute(at - DAY_MS)), label: texts.from, type: 'datetime-local', required: true })}
${field({ ...common('to', minute(at + 60_000)), label: texts.to, type: 'datetime-local', required: true })}
<div class="form-actions"><button>${texts.submit}</button></div></form></details>`;
}
