import { type Html, html, raw } from '../../../../../kit/html.ts';
import { resendOf } from '../../../../../money/webhooks/range-store.ts';
import type { TeamVisit } from '../../../page.ts';
import { meter } from '../../../parts/charts.ts';
import { number } from '../../../parts/format.ts';
import { card } from '../../../parts/parts.ts';
import type { Endpoint } from './read.ts';
import { ENDPOINT_TEXTS } from './texts.ts';

/** Progress of the last range of events that was resent to this endpoint, for a day. A script reads it again until it has ended. */
export async function resendProgress({ store, team, language, base }: TeamVisit, { id, active }: Endpoint): Promise<Html | null> {
  // The deliveries of an inactive endpoint are dropped.
  const resend = active ? await resendOf(store.db, team.id, id) : undefined;
  if (!resend) return null;
  const texts = ENDPOINT_TEXTS[language].resend;
  const { events, sent } = resend;
  const isEnded = sent >= events;
  return card(
    texts.progress,
    html`<div id="progress"${!isEnded && raw(' data-live')}><p class="rate progress" role="status">${meter(sent / events)} <span>${texts.sent(number(sent, language), number(events, language))}${isEnded && html` ${texts.ended(events)}`}</span></p>
${!isEnded && html`<div class="form-actions"><a class="button quiet-button" href="${base}/developers/endpoints/${id}">${texts.refresh}</a></div>`}</div>`,
  );
}
