import { changeUses, type Use } from '../../money/transaction-limits/service.ts';
import type { NewEvent } from '../../money/events/record.ts';
import { recordEvents } from '../../money/webhooks/record-store.ts';
import type { Environment } from '../../kit/environment.ts';
import { unreachable } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { type Journal, post } from '../../money/ledger/post.ts';
import type { PayoutReason } from '../../providers/adapters/contract.ts';
import { isNewPoll, nextPoll } from '../../providers/adapters/polling.ts';
import { type Arrival, repayCredit } from '../../money/settlement/credit.ts';
import { mayBePaidLate } from './late.ts';
import { dispatchedJournal, returnedJournal, succeededJournal } from './bookings.ts';
import { presentTransfer } from './present.ts';
import type { Resolution } from '../attempts/schema.ts';
import type { Decision, TransferRow } from './schema.ts';
import { isFinal, nextTransferStatus } from './states.ts';
import { lockTransfers, recheckNow, updateTransfers } from './store.ts';

/** An event or trigger that may change a transfer; the kinds are the triggers of the state table. */
export type TransferOccurrence =
  | { kind: 'uncovered' }
  | { kind: 'sending'; provider_account: string; provider_key: string; decision: Decision; lease_ms: number }
  | { kind: 'unsent'; decision: Decision; wait_ms: number }
  | { kind: 'waiting'; provider_ref: string | null; note: string | null; wait_ms: number }
  | { kind: 'succeeded'; provider_ref: string; resolution?: Resolution }
  | { kind: 'failed'; reason: PayoutReason | null; message: string; resolution?: Resolution }
  | { kind: 'cancelled'; message: string };

/** A change of one transfer. */
export interface TransferChange {
  /** The row as it was when the update was requested: identifies the submission that the update is about. */
  known: TransferRow;
  occurrence: TransferOccurrence;
}

/** The environment and time in which changes are applied. */
export interface TransferContext {
  environment: Environment;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Result of applying one change. */
export interface AppliedTransfer {
  transfer: TransferRow;
  /** False: the update was stale, and nothing was changed. */
  changed: boolean;
}

/**
 * The only code path that changes a transfer. Locks the rows, looks up the state transition, posts the journals, writes the
 * rows and records the events, all in the caller's transaction and in a fixed number of statements however many transfers there
 * are. An update that is late, repeated or about an earlier submission changes nothing.
 * @returns results by transfer id
 */
export async function applyTransfers(
  tx: Tx,
  context: TransferContext,
  changes: TransferChange[],
): Promise<Map<string, AppliedTransfer>> {
  const rows = await lockTransfers(
    tx,
    changes.map(({ known }) => known),
  );
  const byId = new Map(changes.map((change) => [change.known.id, change]));
  const work = new Work(context);
  const applied = new Map<string, AppliedTransfer>();
  for (const row of rows) {
    const change = byId.get(row.id);
    if (change) applied.set(row.id, work.change(row, change));
  }
  await work.write(tx);
  return applied;
}

/** Collects what the changes of one call write, so that it is written in as few statements as possible. */
class Work {
  readonly #context: TransferContext;
  readonly #updates: TransferRow[] = [];
  readonly #rechecks: TransferRow[] = [];
  readonly #events: NewEvent[] = [];
  readonly #journals: Journal[] = [];
  readonly #arrivals: Arrival[] = [];
  readonly #uses: Use[] = [];

  constructor(context: TransferContext) {
    this.#context = context;
  }

  change(before: TransferRow, { known, occurrence }: TransferChange): AppliedTransfer {
    const status = nextTransferStatus(before.status, occurrence.kind);
    if (status === null) this.#recheck(before, known, occurrence);
    if (status === null || isStale(before, known, occurrence)) return { transfer: before, changed: false };
    const after = { ...before, status, ...this.#effects(before, known, occurrence) };
    const transfer = isFinal(status) ? this.#close(after) : after;
    if (isFinal(status) && status !== 'succeeded') {
      this.#releaseLimit(transfer);
      // The failure may be older than what a callback was about that has come since the provider was asked.
      if (isNewPoll(before.next_poll_at, known.next_poll_at)) this.#rechecks.push(transfer);
    }
    this.#updates.push(transfer);
    return { transfer, changed: true };
  }

  /**
   * Queues another poll of a transfer that has ended without money, when a report shows that its provider has it or has paid it.
   * The report alone does not change the transfer: it is evidence for a payment after the end. The provider is polled again, and
   * what it says is posted.
   */
  #recheck(row: TransferRow, known: TransferRow, occurrence: TransferOccurrence): void {
    const shows = occurrence.kind === 'succeeded' || (occurrence.kind === 'waiting' && hasIt(occurrence));
    if (shows && mayBePaidLate(row) && row.provider_account === known.provider_account) this.#rechecks.push(row);
  }

  async write(tx: Tx): Promise<void> {
    if (this.#updates.length > 0) await this.#writeUpdates(tx);
    if (this.#rechecks.length > 0) await recheckNow(tx, this.#rechecks, this.#in(0));
  }

  async #writeUpdates(tx: Tx): Promise<void> {
    const { environment, at } = this.#context;
    await updateTransfers(tx, this.#updates);
    await recordEvents(tx, environment, at, this.#events);
    await changeUses(tx, this.#uses);
    await post(tx, this.#journals);
    if (this.#arrivals.length > 0) await repayCredit(tx, this.#arrivals);
  }

  /** Returns the changes a trigger makes besides the status, and queues the money movements it causes. */
  #effects(row: TransferRow, known: TransferRow, occurrence: TransferOccurrence): Partial<TransferRow> {
    switch (occurrence.kind) {
      case 'uncovered':
        return { reason: 'insufficient_balance', message: 'The available balance does not cover the amount and the fee.' };
      case 'sending':
        if (row.stage === 'reserved') this.#journals.push(dispatchedJournal(row));
        return {
          stage: 'dispatched',
          provider_account: occurrence.provider_account,
          provider_key: occurrence.provider_key,
          decision: occurrence.decision,
          dispatched_at: this.#in(0),
          next_poll_at: this.#in(occurrence.lease_ms),
        };
      case 'unsent':
        return {
          decision: occurrence.decision,
          provider_ref: null,
          dispatched_at: null,
          next_poll_at: this.#in(occurrence.wait_ms),
        };
      case 'waiting':
        return {
          provider_ref: occurrence.provider_ref ?? row.provider_ref,
          next_poll_at: nextPoll(this.#in(occurrence.wait_ms), row.next_poll_at, known.next_poll_at),
          decision: row.decision && { ...(hasIt(occurrence) ? found(row.decision) : row.decision), note: occurrence.note },
        };
      case 'succeeded':
        this.#journals.push(succeededJournal(row));
        return { provider_ref: occurrence.provider_ref, resolution: occurrence.resolution ?? null };
      case 'failed':
        this.#returnFunds(row);
        return { reason: occurrence.reason, message: occurrence.message, resolution: occurrence.resolution ?? null };
      case 'cancelled':
        this.#returnFunds(row);
        return { message: occurrence.message };
      default:
        return unreachable(occurrence);
    }
  }

  #returnFunds(row: TransferRow): void {
    this.#journals.push(returnedJournal(row));
    const { team_id, currency, account_id, id } = row;
    this.#arrivals.push({ team_id, currency, account_id: account_id ?? '', source_id: id, subject_id: id });
  }

  /** Subtracts the amount of a failed or cancelled transfer from what the team has used of its transaction limits. */
  #releaseLimit({ team_id, currency, counted_day: day, amount_minor }: TransferRow): void {
    if (day !== null) this.#uses.push({ team_id, direction: 'transfer', currency, day, amount_minor: -amount_minor });
  }

  #close(row: TransferRow): TransferRow {
    const now = this.#in(0);
    const closed: TransferRow = {
      ...row,
      stage: 'closed',
      next_poll_at: null,
      event_count: row.event_count + 1,
      updated_at: now,
      completed_at: now,
    };
    this.#events.push(transferEvent(this.#context.environment, closed));
    return closed;
  }

  #in(wait_ms: number): Date {
    return new Date(this.#context.at + wait_ms);
  }
}

/** Whether the provider has shown the transfer: only then there is nothing to note, or a reference of its own. */
function hasIt({ note, provider_ref }: Extract<TransferOccurrence, { kind: 'waiting' }>): boolean {
  return note === null || provider_ref !== null;
}

/** Returns the decision of a transfer that counts as sent because its account has it, and not only because it called back. */
function found({ recalled: _, ...decision }: Decision): Decision {
  return decision;
}

/** Returns the event of the row's current status; `created` for the first. */
export function transferEvent(environment: Environment, row: TransferRow): NewEvent {
  return {
    team_id: row.team_id,
    type: `transfer.${row.status === 'processing' ? 'created' : row.status}`,
    resource_id: row.id,
    sequence: row.event_count,
    data: presentTransfer(environment, row),
  };
}

/**
 * Whether an update is stale. An update about an earlier submission is stale, because it proves nothing about the current one; a
 * success is stale only if it comes from another provider account. `unsent` is also stale when another worker has claimed the
 * transfer since, or a callback about it has come, because a poll may return a later state; and so is `sending`, because the other worker
 * may have used up the key that is about to be sent.
 */
function isStale(row: TransferRow, known: TransferRow, occurrence: TransferOccurrence): boolean {
  if (occurrence.kind === 'succeeded') return row.provider_account !== known.provider_account;
  const needsClaim = occurrence.kind === 'unsent' || occurrence.kind === 'sending';
  if (needsClaim && (row.polls !== known.polls || isNewPoll(row.next_poll_at, known.next_poll_at))) return true;
  return (
    row.stage !== known.stage ||
    row.provider_account !== known.provider_account ||
    row.dispatched_at?.getTime() !== known.dispatched_at?.getTime()
  );
}
