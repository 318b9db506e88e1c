import { type Html, html } from '../../../../../kit/html.ts';
import type { ExchangeRow } from '../../../../../providers/exchanges/schema.ts';
import type { TeamVisit } from '../../../page.ts';
import { exactMoment, number } from '../../../parts/format.ts';
import { badge, idText } from '../../../parts/parts.ts';
import { ONE_TEXTS } from './texts.ts';
import type { Moment } from './timeline.ts';

/** What was sent to a provider and came back, as one entry for each attempt, refund and payout: polls would fill the page. */
export function exchangeMoments(visit: TeamVisit, exchanges: readonly ExchangeRow[]): Moment[] {
  const texts = ONE_TEXTS[visit.language].exchanges;
  return [...Map.groupBy(exchanges, ({ subject_id }) => subject_id).values()].map((rows) => {
    const [first] = rows as [ExchangeRow, ...ExchangeRow[]];
    return {
      ...{ at: first.created_at, place: 2.5, tone: 'idle', title: texts.title(first.provider) },
      body: html`<p class="note">${texts.note} ${idText(first.subject_id)}</p><details><summary>${texts.show(rows.length)}</summary>
${rows.map((row) => one(visit, row))}</details>`,
    };
  });
}

function one({ language }: TeamVisit, row: ExchangeRow): Html {
  const texts = ONE_TEXTS[language].exchanges;
  const { method, path, status, error, duration_ms, request, response, response_bytes, created_at } = row;
  const outcome = badge(status === null ? (error ?? '—') : String(status), status !== null && status < 400 ? 'good' : 'bad');
  const hidden =
    response === null && response_bytes > 0 && html`<p class="note">${texts.unreadable(number(response_bytes, language))}</p>`;
  return html`<div class="exchange"><p><code>${method} ${path}</code> ${outcome} <span class="note">${number(duration_ms, language)} ms ·
<time datetime="${created_at.toISOString()}">${exactMoment(created_at, language)}</time></span></p>
${request && body(texts.request, request)}${response && body(texts.response, response)}${hidden}</div>`;
}

function body(title: string, text: string): Html {
  return html`<p class="note">${title}</p><pre tabindex="0"><code>${indented(text)}</code></pre>`;
}

/** A text that was cut at its maximum is no longer JSON. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return `${text}…`;
  }
}
