import { type Html, html } from '../../../../../kit/html.ts';
import type { Authentication, ExchangeRow } from '../../../../../providers/exchanges/schema.ts';
import type { TeamVisit } from '../../../page.ts';
import { exactMoment, number } from '../../../parts/format.ts';
import { badge, idText, type Tone } from '../../../parts/parts.ts';
import { ONE_TEXTS } from './texts.ts';
import type { Moment } from './timeline.ts';

/**
 * Returns the exchanges with a provider as one entry for each attempt, refund and payout, because polls would fill the page. Each
 * callback is a separate entry.
 */
export function exchangeMoments(visit: TeamVisit, exchanges: readonly ExchangeRow[]): Moment[] {
  const texts = ONE_TEXTS[visit.language].exchanges;
  const sent = exchanges.filter(({ callback }) => callback === null);
  const requests = [...Map.groupBy(sent, ({ subject_id }) => subject_id).values()].map((rows): Moment => {
    const [first] = rows as [ExchangeRow, ...ExchangeRow[]];
    return {
      ...{ at: first.created_at, place: 2.5, tone: 'idle', title: texts.title(first.provider) },
      body: html`<p class="note">${texts.note} ${idText(first.subject_id)}</p><details><summary>${texts.show(rows.length)}</summary>
${rows.map((row) => one(visit, row))}</details>`,
    };
  });
  const callbacks = exchanges.flatMap((row) => (row.callback === null ? [] : callbackMoment(visit, row, row.callback)));
  return [...requests, ...callbacks];
}

const TONES: Record<Authentication, Tone> = { signed: 'good', address: 'idle', unverified: 'idle', forged: 'bad' };

function callbackMoment(visit: TeamVisit, row: ExchangeRow, callback: Authentication): Moment {
  const texts = ONE_TEXTS[visit.language].exchanges;
  const tone = TONES[callback];
  return {
    ...{ at: row.created_at, place: 2.6, tone },
    title: html`${texts.callback(row.provider)} ${badge(texts.authentications[callback], tone)}`,
    body: html`<p class="note">${idText(row.subject_id)}</p><details><summary>${texts.showCallback}</summary>${one(visit, row)}</details>`,
  };
}

function one({ language }: TeamVisit, row: ExchangeRow): Html {
  const texts = ONE_TEXTS[language].exchanges;
  const { method, path, status, error, duration_ms, request, response, response_bytes, created_at, callback } = row;
  const outcome = badge(status === null ? (error ?? '—') : String(status), status !== null && status < 400 ? 'good' : 'bad');
  const received = callback === null ? response : request;
  const hidden =
    received === null && response_bytes > 0 && html`<p class="note">${texts.unreadable(number(response_bytes, language))}</p>`;
  const [first, second] = callback === null ? [texts.request, texts.response] : [texts.response, texts.answered];
  return html`<div class="exchange"><p><code>${method} ${path}</code> ${outcome} <span class="note">${number(duration_ms, language)} ms ·
<time datetime="${created_at.toISOString()}">${exactMoment(created_at, language)}</time></span></p>
${request && body(first, request)}${response && body(second, response)}${hidden}</div>`;
}

function body(title: string, text: string): Html {
  return html`<p class="note">${title}</p><pre tabindex="0"><code>${indented(text)}</code></pre>`;
}

/** Returns JSON with indentation. A text that was cut at its maximum is no longer JSON, and is returned unchanged. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return `${text}…`;
  }
}
