import { sayRefusal, sayRouting } from '../../../messages/routing.ts';
import { type AttemptRow, isDoubted } from '../../../../../core/attempts/schema.ts';
import { masked } from '../../../../../core/charge/saved.ts';
import { type Html, type HtmlPart, html } from '../../../../../kit/html.ts';
import type { EventHead } from '../../../../../money/events/store.ts';
import type { AccountName } from '../../../../../money/ledger/accounts.ts';
import type { Line } from '../../../../../money/ledger/statement.ts';
import { channelById } from '../../../../../providers/reference/channels.ts';
import { explanationOf } from '../../../../../providers/routing/explain.ts';
import type { TeamVisit } from '../../../page.ts';
import { channelName } from '../../../parts/channels.ts';
import { exactMoment, money } from '../../../parts/format.ts';
import { withQuery } from '../../../paths.ts';
import { badge, card, empty, idText, shortId, type Tone } from '../../../parts/parts.ts';
import { exchangeMoments } from './exchanges.ts';
import { type Entry, MAX_ROWS, type Story, userOf } from './story.ts';
import { ONE_TEXTS, type StoryEvent } from './texts.ts';
import { dueWords } from './waiting.ts';

/** An entry of the timeline. */
export interface Moment {
  at: Date;
  /** Order of entries of the same moment: the cause before its effects. */
  place: number;
  tone: Tone;
  title: HtmlPart;
  body?: HtmlPart;
}

/** Renders what happened to a payment, oldest first: requests, charges, postings, events and their deliveries. */
export function timeline(visit: TeamVisit, story: Story): Html {
  const texts = ONE_TEXTS[visit.language];
  const moments = [
    ...story.entries.map((entry) => entryMoment(visit, story.names, entry)),
    ...story.refusals.map(
      (refusal): Moment => ({
        ...{ at: refusal.first_at, place: 1, tone: 'bad', title: texts.timeline.refused },
        body: html`<p>${sayRefusal(visit.language, refusal)}</p>`,
      }),
    ),
    ...story.attempts.map((attempt) => attemptMoment(visit, attempt)),
    ...exchangeMoments(visit, story.exchanges),
    ...journalsOf(story.lines).map((lines) => journalMoment(visit, lines)),
    ...story.events.map((event) => eventMoment(visit, story, event)),
  ];
  const cut = [story.events, story.lines, story.entries, story.deliveries].some((rows) => rows.length >= MAX_ROWS);
  return timelineOf(visit, moments, cut);
}

/**
 * Renders entries in the order of their times.
 * @param cut whether there are more than are shown
 */
export function timelineOf(visit: TeamVisit, moments: readonly Moment[], cut: boolean): Html {
  const texts = ONE_TEXTS[visit.language];
  const sorted = moments.toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.place - b.place);
  const body =
    sorted.length === 0
      ? empty(texts.timeline.empty, '')
      : html`<ol class="timeline">${sorted.map((one) => item(visit, one))}</ol>`;
  const note = html`<p class="note">${texts.timeline.note}${cut && html` ${texts.timeline.truncated}`}</p>`;
  return card(texts.cards.timeline, html`${note}${body}`);
}

function item({ language }: TeamVisit, { at, tone, title, body }: Moment): Html {
  return html`<li class="${tone}"><div class="timeline-head"><span>${title}</span>
<time datetime="${at.toISOString()}">${exactMoment(at, language)}</time></div>${body}</li>`;
}

/** Returns the entry of a request, with its originator. */
export function entryMoment(visit: TeamVisit, names: Story['names'], entry: Entry): Moment {
  const texts = ONE_TEXTS[visit.language].timeline;
  const user = userOf(entry);
  const own = user === visit.session.user.id && texts.you;
  const name = own || (user !== null && (names.get(user) ?? user));
  const who = name || html`${texts.actors[entry.actor]}${entry.actor_id && html` ${shortId(entry.actor_id)}`}`;
  return {
    ...{ at: entry.created_at, place: 0, tone: 'idle' },
    title: html`<code>${entry.action}</code> ${texts.by} ${who}`,
    body:
      entry.request_id &&
      html`<p class="note">${texts.request} ${idText(entry.request_id, requestPage(visit, entry.request_id))}</p>`,
  };
}

/** Returns where the request log shows a request; undefined for roles that do not read it. */
function requestPage({ base, can }: TeamVisit, request_id: string): string | undefined {
  return can('request_log.read') ? withQuery(`${base}/developers/requests`, { request_id }) : undefined;
}

const ATTEMPT_TONES: Record<AttemptRow['status'], Tone> = {
  ...{ created: 'info', open: 'info', unknown: 'warn', succeeded: 'good' },
  ...{ failed: 'bad', cancelled: 'bad', expired: 'bad', unavailable: 'warn' },
};

function attemptMoment(visit: TeamVisit, attempt: AttemptRow): Moment {
  const { language, at } = visit;
  const texts = ONE_TEXTS[language];
  const channel = channelById(attempt.channel);
  const facts = [
    money(attempt.amount_minor, attempt.currency, language),
    channel?.kind !== 'card' && attempt.payer !== null && masked(attempt.payer),
    attempt.reason,
    attempt.provider_ref && html`${texts.timeline.providerRef} ${idText(attempt.provider_ref)}`,
  ].filter(Boolean) as HtmlPart[];
  const { mismatch, resolution } = attempt;
  return {
    ...{ at: attempt.created_at, place: 2, tone: ATTEMPT_TONES[attempt.status] },
    title: html`${texts.timeline.attempt(channelName(attempt.channel, language), attempt.provider)} ${badge(texts.attemptStatuses[attempt.status], ATTEMPT_TONES[attempt.status])}`,
    body: html`<p class="dots">${facts.map((fact) => html`<span>${fact}</span>`)}</p>
<p>${isDoubted(attempt) ? texts.timeline.doubted : texts.timeline.outcomes[attempt.status]}${attempt.next_poll_at && ` ${texts.timeline.nextPoll(dueWords(attempt.next_poll_at, at, language))}`}</p>
${attempt.message && html`<p class="quote">${attempt.message}</p>`}
${mismatch && html`<p>${texts.timeline.mismatch(money(BigInt(mismatch.amount_minor), mismatch.currency, language))}</p>`}
${resolution && html`<p>${texts.timeline.resolved(resolution.author)} ${resolution.evidence}</p>`}${routing(visit, attempt)}`,
  };
}

/** Explanation why this provider was tried, in the sentences of `pirogue explain`. */
function routing({ language }: TeamVisit, { id, decision }: AttemptRow): Html {
  const explanation = explanationOf(decision);
  return html`<details><summary>${ONE_TEXTS[language].timeline.routing}</summary>
${explanation && sayRouting(language, explanation)}<p class="note">${idText(id)}</p></details>`;
}

/** Groups lines by their journal. */
export function journalsOf(lines: readonly Line[]): Line[][] {
  return [...Map.groupBy(lines, ({ journal_id }) => journal_id).values()];
}

/** Returns the entry of one journal with its postings. */
export function journalMoment({ language }: TeamVisit, lines: Line[]): Moment {
  const texts = ONE_TEXTS[language];
  const [first] = lines as [Line, ...Line[]];
  const rows = lines.map(
    ({ debit, credit, amount_minor, currency }) =>
      html`<tr><td>${accountName(debit, texts.accounts)} → ${accountName(credit, texts.accounts)}</td><td class="number">${money(amount_minor, currency, language)}</td></tr>`,
  );
  return {
    ...{ at: first.created_at, place: 3, tone: 'idle' },
    title: html`${texts.timeline.ledger} <code>${first.kind}</code>`,
    body: html`<table class="lines"><tbody>${rows}</tbody></table>`,
  };
}

/** Returns the name of an account of the ledger; that of a subaccount with its id. */
function accountName(account: string, names: Record<AccountName, string>): string {
  const [name = '', subaccount] = account.split(':', 2);
  const shown = names[name as AccountName] ?? name;
  return subaccount === undefined ? shown : `${shown} (${subaccount})`;
}

const EVENT_TONES: Partial<Record<StoryEvent, Tone>> = {
  ...{ 'payment.succeeded': 'good', 'refund.succeeded': 'good', 'payment.processing': 'info', 'payment.partial': 'info' },
  ...{ 'payment.failed': 'bad', 'refund.failed': 'bad', 'dispute.created': 'bad' },
  ...{
    'payment.refunded': 'warn',
    'payment.partially_refunded': 'warn',
    'payment.late_success': 'warn',
    'payment.return_required': 'warn',
  },
};

function eventMoment(visit: TeamVisit, story: Story, event: EventHead): Moment {
  const texts = ONE_TEXTS[visit.language];
  const type = event.type as StoryEvent;
  return {
    ...{ at: event.created_at, place: 4 + event.sequence, tone: EVENT_TONES[type] ?? 'idle' },
    title: html`${texts.events[type] ?? event.type}${event.resource_id !== story.payment.id && html` ${shortId(event.resource_id, `#${event.resource_id}`)}`}`,
    body: html`<p class="note"><a href="${visit.base}/payments/${story.payment.id}/events/${event.id}">${texts.timeline.deliveries}</a>${texts.colon} ${deliveryWords(visit, story, event.id)}</p>`,
  };
}

/** Short text about the state of an event's deliveries. */
function deliveryWords({ language, at }: TeamVisit, { deliveries, waiting }: Story, event_id: string): Html {
  const texts = ONE_TEXTS[language].timeline;
  const made = deliveries.filter((one) => one.event_id === event_id);
  const due = waiting.filter((one) => one.event_id === event_id);
  const endpoints = new Set([...made, ...due].map(({ endpoint_id }) => endpoint_id));
  if (endpoints.size === 0) return html`${texts.noEndpoint}`;
  const reached = new Set(made.filter(({ succeeded }) => succeeded).map(({ endpoint_id }) => endpoint_id));
  const first = due[0];
  const words = reached.size > 0 ? texts.delivered(reached.size, endpoints.size) : texts.undelivered;
  return html`${words}${first && `, ${texts.next(dueWords(first.due_at, at, language))}`}`;
}
