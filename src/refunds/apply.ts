import { recordEvents } from '../events/record.ts';
import type { EventType } from '../events/catalogue.ts';
import type { Tx } from '../kit/sql.ts';
import { account } from '../ledger/accounts.ts';
import { type Journal, post } from '../ledger/post.ts';
import { apply, type ApplyContext } from '../payments/apply.ts';
import type { MoveContext } from '../payments/listeners.ts';
import { lockPayment } from '../payments/service.ts';
import { planned } from '../payments/outcomes.ts';
import type { PollPlan, RefundOutcome } from '../providers/contract.ts';
import type { Reason } from '../providers/reasons.ts';
import { drawPostings, putBack, returnPostings } from '../settlement/draw.ts';
import { presentRefund } from './present.ts';
import type { Leg, RefundRow } from './schema.ts';
import { nextRefundStatus, type RefundTrigger } from './states.ts';
import { lockRefund, updateRefund } from './store.ts';

/** Looks at a leg whose provider can not be used at the moment, and so has no plan. */
const DEFAULT_PLAN: PollPlan = { first_ms: 2_000, factor: 2, longest_ms: 300_000 };
const NEXT_LEG_MS = 2_000;

/**
 * The one door through which a sent refund changes. Locks the payment, then the refund, and books, writes and announces
 * in the caller's transaction. News about a leg that is decided changes nothing.
 */
export async function applyRefund(
  tx: Tx,
  context: ApplyContext,
  known: RefundRow,
  leg_index: number,
  outcome: RefundOutcome,
  plan: PollPlan = DEFAULT_PLAN,
  fresh_key: string | null = null,
): Promise<RefundRow> {
  await lockPayment(tx, known.team_id, known.payment_id);
  const row = await lockRefund(tx, known.team_id, known.id);
  const leg = row?.legs[leg_index];
  if (!row || leg?.status !== 'sent') return row ?? known;
  const wait_ms = planned(plan, row.polls);
  switch (outcome.kind) {
    case 'succeeded':
      return legSucceeded(tx, context, row, leg_index, outcome.provider_ref);
    case 'failed':
      return failed(tx, context, withLeg(row, leg_index, { status: 'failed' }), outcome.reason, outcome.message);
    case 'unavailable':
      return later(tx, context, withLeg(row, leg_index, { status: 'waiting' }), outcome.message, wait_ms);
    case 'unfunded':
      return later(tx, context, withLeg(row, leg_index, { status: 'waiting', ...renewed(fresh_key) }), outcome.message, wait_ms);
    case 'not_found':
      // It never arrived: the same key may be sent again, the provider would know it otherwise.
      return later(tx, context, withLeg(row, leg_index, { status: 'waiting' }), 'the provider does not know it yet', wait_ms);
    case 'pending':
      return later(
        tx,
        context,
        withLeg(row, leg_index, { provider_ref: outcome.provider_ref ?? leg.provider_ref }),
        null,
        outcome.poll_after_ms,
      );
    case 'unknown':
      return later(tx, context, row, outcome.message, wait_ms);
  }
}

/** What failed unpaid under its key is sent again under another. */
function renewed(provider_key: string | null): Partial<Leg> {
  return provider_key === null ? {} : { provider_key, provider_ref: null };
}

/** Marks the leg as perhaps sent, and commits that before anything is sent. @returns null when it is not to be sent */
export async function markSent(tx: Tx, context: ApplyContext, known: RefundRow, leg_index: number): Promise<RefundRow | null> {
  const row = await lockRefund(tx, known.team_id, known.id);
  if (!row || row.draws === null || row.legs[leg_index]?.status !== 'waiting') return null;
  const at = new Date(context.at);
  const sent = withLeg(row, leg_index, { status: 'sent' });
  return save(tx, { ...sent, status: step(row, 'sent') ?? row.status, submitted_at: row.submitted_at ?? at, updated_at: at });
}

async function legSucceeded(
  tx: Tx,
  context: ApplyContext,
  before: RefundRow,
  leg_index: number,
  provider_ref: string,
): Promise<RefundRow> {
  const row = withLeg(before, leg_index, { status: 'succeeded', provider_ref });
  const leg = row.legs[leg_index] as Leg;
  const { team_id, currency, id, payment_id } = row;
  await post(tx, [
    {
      team_id,
      kind: `refund.leg:${leg_index}`,
      source_id: id,
      subject_id: payment_id,
      currency,
      postings: [{ debit: account('refund_clearing', null), credit: account('clearing', null), amount_minor: leg.amount_minor }],
    },
  ]);
  const kind = row.kind === 'giveback' ? 'given_back' : 'refunded';
  await apply(tx, context, [{ team_id, payment_id, happenings: [{ kind, amount_minor: leg.amount_minor }] }]);
  const at = new Date(context.at);
  if (row.legs.some((other) => other.status === 'waiting'))
    return save(tx, { ...row, updated_at: at, next_poll_at: nextLegAt(context.at) });
  return finish(tx, context, row, 'succeeded');
}

/** Whoever sent the last leg goes on at once; should it have died, the worker does after this. */
export function nextLegAt(at: number): Date {
  return new Date(at + NEXT_LEG_MS);
}

/** What was not given back returns to where it was drawn; legs that went through before stay refunded. */
async function failed(tx: Tx, context: ApplyContext, row: RefundRow, reason: Reason, message: string): Promise<RefundRow> {
  await returnUnspent(tx, row);
  return finish(tx, context, { ...row, failure_reason: reason, message }, 'failed');
}

async function returnUnspent(tx: Tx, row: RefundRow): Promise<void> {
  let unspent = row.legs.filter((leg) => leg.status !== 'succeeded').reduce((sum, leg) => sum + leg.amount_minor, 0n);
  if (row.draws === null || unspent === 0n) return;
  const { team_id, payment_id, currency, amount_minor } = row;
  // The last drawn goes back first: what the platform advanced, then available, then what still waits.
  const back = row.draws.toReversed().flatMap((drawn) => {
    const part = drawn.amount_minor < unspent ? drawn.amount_minor : unspent;
    unspent -= part;
    return part > 0n ? [{ ...drawn, amount_minor: part }] : [];
  });
  const returned = await putBack(tx, { team_id, payment_id, currency, amount_minor }, back);
  await post(tx, [journal(row, 'refund.returned', returnPostings(returned, 'refund_clearing'))]);
}

/** What covering a refund books: out of where it was drawn, into what is on its way to the payer. */
export function drawnJournal(row: RefundRow): Journal {
  return journal(row, 'refund.drawn', drawPostings(row.draws ?? [], 'refund_clearing'));
}

function journal(row: RefundRow, kind: string, postings: Journal['postings']): Journal {
  return { team_id: row.team_id, kind, source_id: row.id, subject_id: row.payment_id, currency: row.currency, postings };
}

async function finish(tx: Tx, context: ApplyContext, row: RefundRow, trigger: 'succeeded' | 'failed'): Promise<RefundRow> {
  const at = new Date(context.at);
  const status = step(row, trigger) ?? row.status;
  const done = { ...row, status, event_count: row.event_count + 1, next_poll_at: null, updated_at: at, completed_at: at };
  await announce(tx, context, done, `refund.${trigger}`);
  return save(tx, done);
}

/** Records an event of a refund; its row carries the count. */
export async function announce(tx: Tx, context: MoveContext, row: RefundRow, type: EventType): Promise<void> {
  await recordEvents(tx, context.environment, context.at, [
    {
      team_id: row.team_id,
      type,
      resource_id: row.id,
      sequence: row.event_count,
      data: presentRefund(context.environment, row),
    },
  ]);
}

function later(tx: Tx, context: ApplyContext, row: RefundRow, message: string | null, wait_ms: number): Promise<RefundRow> {
  return save(tx, {
    ...row,
    message: message ?? row.message,
    updated_at: new Date(context.at),
    next_poll_at: new Date(context.at + wait_ms),
  });
}

async function save(tx: Tx, row: RefundRow): Promise<RefundRow> {
  await updateRefund(tx, row);
  return row;
}

function withLeg(row: RefundRow, index: number, change: Partial<Leg>): RefundRow {
  return { ...row, legs: row.legs.map((leg, i) => (i === index ? { ...leg, ...change } : leg)) };
}

function step(row: RefundRow, trigger: RefundTrigger) {
  return nextRefundStatus(row.status, trigger);
}
