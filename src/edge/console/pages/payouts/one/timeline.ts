import { sayRouting } from '../../../messages/routing.ts';
import type { TransferRow } from '../../../../../core/transfers/schema.ts';
import { type Html, html } from '../../../../../kit/html.ts';
import type { EventHead } from '../../../../../money/events/store.ts';
import { linesOfSubject } from '../../../../../money/ledger/statement.ts';
import { explanationOf } from '../../../../../providers/routing/explain.ts';
import { entriesAbout } from '../../../../../tenants/audit/store.ts';
import { namesOfMembers } from '../../../../../tenants/people/names-store.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { TeamVisit } from '../../../page.ts';
import type { Tone } from '../../../parts/parts.ts';
import { exchangeMoments } from '../../payments/one/exchanges.ts';
import { eventsAbout, exchangesAbout, MAX_ROWS, userIds } from '../../payments/one/story.ts';
import { ONE_TEXTS } from '../../payments/one/texts.ts';
import { entryMoment, journalMoment, journalsOf, type Moment, timelineOf } from '../../payments/one/timeline.ts';
import { PAYOUT_TEXTS, type PayoutEvent } from '../texts.ts';

/** Timeline of a payout, oldest first: its request, the choice of the provider, exchanges, postings and events. */
export async function payoutTimeline(deps: Pick<ConsoleDeps, 'stores'>, visit: TeamVisit, transfer: TransferRow): Promise<Html> {
  const { store, team, can } = visit;
  const [{ events }, lines, entries, exchanges] = await Promise.all([
    can('event.read') ? eventsAbout(visit, [transfer.id]) : { events: [] },
    can('balance.read') ? linesOfSubject(store.db, team.id, transfer.id, MAX_ROWS) : [],
    can('audit.read') ? entriesAbout(store.db, team.id, [transfer.id], MAX_ROWS) : [],
    exchangesAbout(visit, [transfer.id]),
  ]);
  const names = await namesOfMembers(deps.stores.control, team.id, userIds(entries));
  const moments = [
    ...entries.map((entry) => entryMoment(visit, names, entry)),
    ...routingMoment(visit, transfer),
    ...exchangeMoments(visit, exchanges),
    ...journalsOf(lines).map((those) => journalMoment(visit, those)),
    ...events.map((event) => eventMoment(visit, event)),
  ];
  return timelineOf(
    visit,
    moments,
    [events, lines, entries].some((rows) => rows.length >= MAX_ROWS),
  );
}

/** Explanation why this provider was chosen, in the sentences of `pirogue explain`. */
function routingMoment({ language }: TeamVisit, { decision, created_at }: TransferRow): Moment[] {
  const explanation = explanationOf(decision?.explanation);
  if (!explanation) return [];
  return [
    {
      ...{ at: created_at, place: 1, tone: 'idle', title: PAYOUT_TEXTS[language].chosen },
      body: html`<details><summary>${ONE_TEXTS[language].timeline.routing}</summary>
${sayRouting(language, explanation)}</details>`,
    },
  ];
}

const TONES: Partial<Record<string, Tone>> = {
  ...{ 'transfer.succeeded': 'good', 'transfer.failed': 'bad', 'transfer.cancelled': 'warn' },
};

function eventMoment({ language, base }: TeamVisit, { id, type, created_at, sequence }: EventHead): Moment {
  const texts = PAYOUT_TEXTS[language];
  return {
    ...{ at: created_at, place: 4 + sequence, tone: TONES[type] ?? 'idle', title: texts.events[type as PayoutEvent] ?? type },
    body: html`<p class="note"><a href="${base}/developers/events/${id}">${ONE_TEXTS[language].timeline.deliveries}</a></p>`,
  };
}
