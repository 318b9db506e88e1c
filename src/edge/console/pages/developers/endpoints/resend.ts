import { startOfUtcDay } from '../../../../../kit/days.ts';
import { resendRange } from '../../../../../money/webhooks/range.ts';
import { scopesOf } from '../../../../../tenants/people/roles.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../../page.ts';
import { faultOf } from '../../../parts/fault.ts';
import { showEndpoint } from './one.ts';

const MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?$/;

/** Delivers the events of a time range to one endpoint again, once for each displayed form. */
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
    return showEndpoint(visit, faultOf(visit, error));
  }
}

/** Returns a time of the form in milliseconds since the epoch; NaN for any other text. */
function momentOf(visit: TeamVisit, name: string): number {
  const text = fieldOf(visit, name);
  const isDay = startOfUtcDay(text.slice(0, 'yyyy-mm-dd'.length)) !== null;
  return isDay && MINUTE.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
}
