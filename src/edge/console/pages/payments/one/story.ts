import { findWithRows } from '../../../../../core/payments/archived.ts';
import type { AttemptRow } from '../../../../../core/attempts/schema.ts';
import { type NotedRefusal, refusalsOf } from '../../../../../core/abuse/service.ts';
import type { presentDispute } from '../../../../../core/disputes/present.ts';
import type { PaymentRow } from '../../../../../core/payments/schema.ts';
import type { presentRefund } from '../../../../../core/refunds/present.ts';
import { notFound } from '../../../../../kit/errors.ts';
import { isId, lowestIdAt } from '../../../../../kit/ids.ts';
import { type EventHead, eventsOfResources } from '../../../../../money/events/store.ts';
import { type Line, linesOfSubject } from '../../../../../money/ledger/statement.ts';
import { itemsOfPayment, type SettlementItem } from '../../../../../money/settlement/store.ts';
import { attemptsOfEvents, type WaitingDelivery, waitingOfEvents } from '../../../../../money/webhooks/attempts-store.ts';
import type { AttemptRow as DeliveryAttempt } from '../../../../../money/webhooks/schema.ts';
import { type ExchangeRow, EXCHANGES_KEEP_MS } from '../../../../../providers/exchanges/schema.ts';
import { exchangesOf } from '../../../../../providers/exchanges/store.ts';
import { entriesAbout } from '../../../../../tenants/audit/store.ts';
import { namesOfMembers } from '../../../../../tenants/people/names-store.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { TeamVisit } from '../../../page.ts';

/** Maximum rows of each kind on the page of one payment. */
export const MAX_ROWS = 200;

/** Maximum exchanges and callbacks of each attempt, refund and payout, the latest first, because polls repeat. */
const MAX_EXCHANGES = 40;

/** Maximum attempts and refunds of one payment whose exchanges are shown. Few payments have more than two. */
const MAX_SUBJECTS = 50;

export type Refund = ReturnType<typeof presentRefund>;
export type Dispute = ReturnType<typeof presentDispute>;
export type Entry = Awaited<ReturnType<typeof entriesAbout>>[number];

/** All data about a payment that this person may see. Parts that the role may not read are empty. */
export interface Story {
  payment: PaymentRow;
  /** Oldest first. */
  attempts: readonly AttemptRow[];
  refusals: readonly NotedRefusal[];
  /** Newest first. */
  refunds: readonly Refund[];
  disputes: readonly Dispute[];
  shares: readonly SettlementItem[];
  lines: readonly Line[];
  events: readonly EventHead[];
  deliveries: readonly DeliveryAttempt[];
  waiting: readonly WaitingDelivery[];
  /** Entries of the audit trail. */
  entries: readonly Entry[];
  /** Exchanges with providers for the attempts and refunds, and callbacks. Oldest first. */
  exchanges: readonly ExchangeRow[];
  /** Names of the members in the entries, by user id. */
  names: ReadonlyMap<string, string>;
}

/**
 * Reads the story of a payment.
 * @throws Problem 404, the same for an unknown id, another team's and another environment's
 */
export async function readStory(deps: Pick<ConsoleDeps, 'stores'>, visit: TeamVisit, id: string): Promise<Story> {
  const { store, team } = visit;
  const { db, environment } = store;
  const found = isId('trx', environment, id) ? await findWithRows(db, { team_id: team.id, id }) : undefined;
  if (!found) throw notFound('Payment');
  const [refunds, disputes, shares, lines, refusals] = await Promise.all([
    visit.can('refund.read') ? refundsOf(visit, id) : [],
    visit.can('dispute.read') ? disputesOf(visit, id) : [],
    itemsOfPayment(db, team.id, id),
    visit.can('balance.read') ? linesOfSubject(db, team.id, id, MAX_ROWS) : [],
    refusalsOf(db, team.id, id),
  ]);
  const ids = [id, ...refunds.map((one) => one.id), ...disputes.map((one) => one.id)];
  const [{ events, deliveries, waiting }, entries, exchanges] = await Promise.all([
    visit.can('event.read') ? eventsAbout(visit, ids) : NO_EVENTS,
    visit.can('audit.read') ? entriesAbout(db, team.id, ids, MAX_ROWS) : [],
    exchangesAbout(
      visit,
      [...found.attempts, ...refunds].map((one) => one.id),
    ),
  ]);
  const names = await namesOfMembers(deps.stores.control, team.id, userIds(entries));
  return { ...found, refusals, refunds, disputes, shares, lines, events, deliveries, waiting, entries, exchanges, names };
}

/** Returns recent exchanges and callbacks about attempts, refunds and payouts; none for a role that may not read the audit trail. */
export async function exchangesAbout({ store, team, at, can }: TeamVisit, ids: readonly string[]): Promise<ExchangeRow[]> {
  if (!can('audit.read')) return [];
  const from = lowestIdAt('pex', store.environment, at - EXCHANGES_KEEP_MS);
  return exchangesOf(store.db, team.id, ids.slice(0, MAX_SUBJECTS), from, MAX_EXCHANGES);
}

const NO_EVENTS: Pick<Story, 'events' | 'deliveries' | 'waiting'> = { events: [], deliveries: [], waiting: [] };

/** Returns the events about these ids, with their deliveries as far as this person may see them. */
export async function eventsAbout({ store, team, can }: TeamVisit, ids: readonly string[]): Promise<typeof NO_EVENTS> {
  const events = await eventsOfResources(store.db, team.id, ids, MAX_ROWS);
  if (!can('webhook.read')) return { ...NO_EVENTS, events };
  const event_ids = events.map((event) => event.id);
  const [deliveries, waiting] = await Promise.all([
    attemptsOfEvents(store.db, team.id, event_ids, MAX_ROWS),
    waitingOfEvents(store.db, team.id, event_ids, MAX_ROWS),
  ]);
  return { events, deliveries, waiting };
}

/** Returns the latest refunds of a payment. */
export async function refundsOf(visit: TeamVisit, id: string): Promise<Refund[]> {
  const { body } = await visit.api('GET /payments/:id/refunds', { params: { id }, query: { per_page: 100 } });
  return (body as { items: Refund[] }).items;
}

async function disputesOf(visit: TeamVisit, payment: string): Promise<Dispute[]> {
  const { body } = await visit.api('GET /disputes', { query: { payment, per_page: 100 } });
  return (body as { items: Dispute[] }).items;
}

/** Returns the user of an entry's actor, which names the session too; null for other actors. */
export function userOf({ actor, actor_id }: Entry): string | null {
  return actor === 'user' ? (actor_id?.split(':')[0] ?? null) : null;
}

/** Returns the users in the entries. */
export function userIds(entries: readonly Entry[]): string[] {
  return [...new Set(entries.flatMap((entry) => userOf(entry) ?? []))];
}
