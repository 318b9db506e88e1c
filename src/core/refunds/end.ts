import type { Tx } from '../../kit/sql.ts';
import type { EventType } from '../../money/events/catalogue.ts';
import type { Journal } from '../../money/ledger/post.ts';
import { drawPostings, returnDrawn } from '../../money/settlement/draw.ts';
import { recordEvents } from '../../money/webhooks/record-store.ts';
import { wayEnded } from '../obligations/apply.ts';
import type { MoveContext } from '../payments/listeners.ts';
import { unspentOf } from './parts.ts';
import { presentRefund } from './present.ts';
import type { RefundRow } from './schema.ts';
import { nextRefundStatus, type RefundTrigger } from './states.ts';
import { updateRefund } from './store.ts';

/** Returns what has not reached the payer to the parties. */
export async function returnUnspent(tx: Tx, row: RefundRow): Promise<void> {
  const { team_id, payment_id, currency, id: source_id, draws } = row;
  if (draws === null) return;
  const into = { team_id, kind: 'refund.returned', source_id, currency, payment_id, from: 'refund_clearing' } as const;
  await returnDrawn(tx, into, draws, unspentOf(row));
}

/** Returns the journal that covers a refund: from the balances it was drawn from to the money on its way to the payer. */
export function drawnJournal(row: RefundRow): Journal {
  return journal(row, 'refund.drawn', drawPostings(row.draws ?? [], 'refund_clearing'));
}

/** Returns a journal of a refund. */
export function journal(row: RefundRow, kind: string, postings: Journal['postings']): Journal {
  return { team_id: row.team_id, kind, source_id: row.id, subject_id: row.payment_id, currency: row.currency, postings };
}

/** Ends a refund, and updates the return that it carries out. */
export async function finish(tx: Tx, context: MoveContext, row: RefundRow, trigger: 'succeeded' | 'failed'): Promise<RefundRow> {
  const at = new Date(context.at);
  const status = step(row, trigger) ?? row.status;
  // A message from the time before the outcome was known does not apply to a refund that succeeded.
  const message = trigger === 'succeeded' ? null : row.message;
  const end = { status, message, next_poll_at: null, updated_at: at, completed_at: at };
  const done = { ...row, ...end, event_count: row.event_count + 1 };
  await announce(tx, context, done, `refund.${trigger}`);
  await save(tx, done);
  await wayEnded(tx, context, done, trigger);
  return done;
}

/** Records an event of a refund. The event's sequence number is the row's `event_count`. */
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

/** Writes a refund. @returns the same row */
export async function save(tx: Tx, row: RefundRow): Promise<RefundRow> {
  await updateRefund(tx, row);
  return row;
}

/** Returns the status after the trigger; null: it changes nothing. */
export function step(row: RefundRow, trigger: RefundTrigger) {
  return nextRefundStatus(row.status, trigger);
}
