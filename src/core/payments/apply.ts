import { changeUses, type Use } from '../../money/transaction-limits/service.ts';
import type { EventType } from '../../money/events/catalogue.ts';
import type { NewEvent } from '../../money/events/record.ts';
import { recordEvents } from '../../money/webhooks/record-store.ts';
import { must } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { type Journal, post } from '../../money/ledger/post.ts';
import { recordObligations } from '../obligations/create.ts';
import type { Obligation } from '../obligations/schema.ts';
import { type Arrival, repayCredit } from '../../money/settlement/credit.ts';
import { itemsOf } from '../../money/settlement/retention.ts';
import { insertItems, type SettlementItem } from '../../money/settlement/store.ts';
import { type AttemptUpdate, updateAttempts } from '../attempts/store.ts';
import { lateJournal, mismatchJournal, trancheJournal, resolvedJournal, partiesOf, successJournal } from './bookings.ts';
import type { Applied, ApplyContext, Change, Occurrence, Report } from './change.ts';
import type { Move } from './listeners.ts';
import { retrieved } from './present.ts';
import { type AttemptRow, isOpen, isUnderWay } from '../attempts/schema.ts';
import type { PaymentRow } from './schema.ts';
import { undecidedOfExpiring, withoutStated } from './statement-amounts.ts';
import { isFinal, isUnpaid, nextStatus, type PaymentTrigger } from './states.ts';
import { triggerOf } from './triggers.ts';
import { lockWithAttempts, updatePayments } from './store.ts';

/**
 * The only code path that changes a payment: provider responses, callbacks, polls, sweeps and merchant requests all use it.
 * Locks the rows, looks up the state transition, posts the journals, writes the rows and records the events, all in the
 * caller's transaction and in a fixed number of statements however many payments there are. A trigger that the
 * status does not allow changes nothing, so repeated and late updates are harmless.
 * @returns results by payment id; no entry for a payment that does not exist
 */
export async function apply(tx: Tx, context: ApplyContext, changes: (Change | Report)[]): Promise<Map<string, Applied>> {
  const refs = changes.map((change) => ({ team_id: change.team_id, id: change.payment_id }));
  const [payments, attempts] = await lockWithAttempts(tx, refs);
  const byPayment = Map.groupBy(attempts, (attempt) => attempt.payment_id);
  const byChange = new Map(changes.map((change) => [change.payment_id, change]));
  const applied = new Map<string, Applied>();
  const found = payments.flatMap((payment) => {
    const change = byChange.get(payment.id);
    const own = byPayment.get(payment.id) ?? [];
    return change ? [{ payment, own, change: judged(change, payment, own, context.at) }] : [];
  });
  const work = new Work(context, await undecidedOfExpiring(tx, found));
  for (const { payment, own, change } of await withoutStated(tx, found))
    applied.set(payment.id, work.change(payment, own, change));
  await work.write(tx);
  return applied;
}

function judged(change: Change | Report, payment: PaymentRow, own: AttemptRow[], at: number): Change {
  if (!('judge' in change)) return change;
  const attempt = own.find(({ id }) => id === change.attempt_id);
  return change.judge(payment, must(attempt, 'a report is about an attempt of the payment'), own, at);
}

/** Collects what the changes of one call write, so that it is written in as few statements as possible. */
class Work {
  readonly #context: ApplyContext;
  readonly #undecided: ReadonlySet<string>;
  readonly #updates: PaymentRow[] = [];
  readonly #attempts = new Map<string, AttemptRow>();
  readonly #journals: Journal[] = [];
  readonly #items: SettlementItem[] = [];
  readonly #arrivals: Arrival[] = [];
  readonly #uses: Use[] = [];
  readonly #events: NewEvent[] = [];
  readonly #moves: Move[] = [];
  readonly #obligations: Obligation[] = [];

  /** @param undecided attempts for which a statement has shown money that waits for a decision, of the payments that would expire */
  constructor(context: ApplyContext, undecided: ReadonlySet<string>) {
    this.#context = context;
    this.#undecided = undecided;
  }

  change(before: PaymentRow, own: AttemptRow[], { attempt, occurrences }: Change): Applied {
    const attempts = attempt ? this.#updateAttempt(before, own, attempt) : own;
    if (attempts === null) return { payment: before, attempts: own, changed: false };
    let payment = before;
    let changed = false;
    for (const occurrence of occurrences) {
      const after = this.#transition(payment, attempts, occurrence);
      changed = after !== null;
      payment = after ?? payment;
    }
    if (payment !== before) this.#updates.push(payment);
    if (payment !== before || own.some(isUnderWay) !== attempts.some(isUnderWay)) {
      this.#moves.push({ before, after: payment, attempts });
    }
    return { payment, attempts, changed };
  }

  /** Writes everything. Calls in one list share a round trip and run in its order: each sends its only, or its first, statement at once. */
  async write(tx: Tx): Promise<void> {
    await Promise.all([
      this.#attempts.size > 0 && updateAttempts(tx, [...this.#attempts.values()]),
      recordObligations(tx, this.#context, this.#obligations),
      this.#updates.length > 0 && updatePayments(tx, this.#updates),
      insertItems(tx, this.#items),
      recordEvents(tx, this.#context.environment, this.#context.at, this.#events),
    ]);
    if (this.#moves.length > 0) {
      for (const listener of this.#context.listeners) await listener(tx, this.#context, this.#moves);
    }
    // Transaction limits are locked before balances, as everywhere in the code: another order could deadlock.
    await Promise.all([changeUses(tx, this.#uses), post(tx, this.#journals)]);
    if (this.#arrivals.length > 0) await repayCredit(tx, this.#arrivals);
  }

  /**
   * Applies an attempt's update.
   * @returns the attempts including the update, or null when the update no longer applies
   */
  #updateAttempt(
    payment: PaymentRow,
    attempts: AttemptRow[],
    { id, update, late }: NonNullable<Change['attempt']>,
  ): AttemptRow[] | null {
    const row = attempts.find((attempt) => attempt.id === id);
    if (!row || row.status === 'succeeded' || (!isOpen(row) && update.status !== 'succeeded' && !late)) return null;
    // "unavailable" that arrives after the attempt was submitted: money may be moving by then, and only evidence closes the
    // attempt.
    if (update.status === 'unavailable' && row.status !== 'created' && row.status !== 'unavailable') return null;
    const updated = { ...row, ...update };
    this.#uses.push(...limitUse(row, updated));
    if (row.mismatch && decides(row, update)) {
      this.#journals.push(resolvedJournal(payment, row, row.mismatch));
      updated.mismatch = null;
      if (updated.resolution) updated.resolution = { ...updated.resolution, mismatch: row.mismatch };
    }
    this.#attempts.set(id, updated);
    return attempts.map((attempt) => (attempt === row ? updated : attempt));
  }

  #transition(payment: PaymentRow, attempts: AttemptRow[], occurrence: Occurrence): PaymentRow | null {
    // A charge may have started between the moment a sweep selected the payment and the moment it was locked.
    // One that is processing has no sweep that would come back to it.
    const isUndecided = ({ id, mismatch }: AttemptRow) => mismatch !== null || this.#undecided.has(id);
    const isBusy = (attempt: AttemptRow) => isOpen(attempt) || (payment.status !== 'processing' && isUndecided(attempt));
    if (occurrence.kind === 'window_elapsed' && attempts.some(isBusy)) return null;
    const trigger = triggerOf(payment, occurrence);
    const status = trigger && nextStatus(payment.status, trigger);
    if (!trigger || !status) return this.#applyWithoutTransition(payment, attempts, occurrence);
    const at = new Date(this.#context.at);
    const moved = {
      ...payment,
      status,
      updated_at: at,
      event_count: payment.event_count + 1,
      // A refund changes a payment that is final already.
      completed_at: isFinal(status) && !isFinal(payment.status) ? at : payment.completed_at,
    };
    const after = { ...moved, ...this.#effects(payment, attempts, occurrence, trigger) };
    this.#announce(after, attempts, `payment.${status}`);
    return after;
  }

  /** Returns the changes a trigger makes besides the status, and queues the money movements it causes. */
  #effects(payment: PaymentRow, attempts: AttemptRow[], occurrence: Occurrence, trigger: PaymentTrigger): Partial<PaymentRow> {
    switch (occurrence.kind) {
      case 'submitted':
        return { channel: occurrence.channel, fee_minor: occurrence.fee_minor, continue_at: null };
      case 'captured':
        return this.#capture(payment, attempts, occurrence, trigger === 'captured');
      case 'declined':
      case 'payer_cancelled':
        return { channel: occurrence.channel, reason: occurrence.reason, message: occurrence.message };
      case 'window_elapsed':
        this.#recordReturns(attempts.filter((attempt) => attempt.status === 'succeeded'));
        return { continue_at: null };
      case 'refunded':
        return { refunded_minor: payment.refunded_minor + occurrence.amount_minor };
      default:
        return {};
    }
  }

  #capture(
    payment: PaymentRow,
    attempts: AttemptRow[],
    capture: Extract<Occurrence, { kind: 'captured' }>,
    complete: boolean,
  ): Partial<PaymentRow> {
    const captured_minor = payment.captured_minor + capture.amount_minor;
    const { at } = this.#context;
    if (!complete) {
      this.#journals.push(trancheJournal(payment, capture));
      return { captured_minor, continue_at: new Date(at) };
    }
    const { available_at } = capture;
    this.#journals.push(successJournal(payment, capture, available_at));
    const { team_id, currency, id: payment_id } = payment;
    const items = itemsOf({ team_id, payment_id, currency }, partiesOf(payment), available_at, at);
    this.#items.push(...items);
    if (available_at === null) {
      this.#arrivals.push(
        ...items.map(({ team_id, currency, account_id }) => ({
          team_id,
          currency,
          account_id,
          source_id: capture.attempt_id,
          subject_id: payment.id,
        })),
      );
    }
    const payment_method = attempts.find(({ id }) => id === capture.attempt_id)?.method_id ?? null;
    return { captured_minor, settled: available_at === null, continue_at: null, payment_method };
  }

  /**
   * Handles a trigger that has no transition from the current status. It changes nothing, unless money moved: that is always
   * posted and announced by an event.
   */
  #applyWithoutTransition(payment: PaymentRow, attempts: AttemptRow[], occurrence: Occurrence): PaymentRow | null {
    const at = new Date(this.#context.at);
    if (occurrence.kind === 'reversed') {
      // The refunded amount of a paid payment is that of the merchant's refunds.
      return isUnpaid(payment.status) ? { ...payment, updated_at: at, refunded_minor: occurrence.refunded_minor } : null;
    }
    if (occurrence.kind === 'refunded')
      return { ...payment, updated_at: at, refunded_minor: payment.refunded_minor + occurrence.amount_minor };
    // The next tranche is under way: the status stays, but no other tranche may be sent at the same time.
    if (occurrence.kind === 'submitted' && payment.status === 'partial') return { ...payment, updated_at: at, continue_at: null };
    if (occurrence.kind === 'repriced') {
      const { channel, fee_minor } = occurrence;
      return { ...payment, updated_at: at, channel, fee_minor };
    }
    if (occurrence.kind === 'mismatched') return this.#postMismatch(payment, attempts, occurrence);
    if (occurrence.kind === 'return_required') {
      const announced = { ...payment, updated_at: at, event_count: payment.event_count + 1 };
      this.#announce(announced, attempts, 'payment.return_required');
      return announced;
    }
    if (occurrence.kind === 'tranche_unsent') return { ...payment, updated_at: at, continue_at: at };
    if (occurrence.kind !== 'captured') return null;
    this.#journals.push(lateJournal(payment, occurrence));
    this.#recordReturns(attempts.filter((attempt) => attempt.id === occurrence.attempt_id));
    return this.#announceLate(
      { ...payment, captured_minor: payment.captured_minor + (isUnpaid(payment.status) ? occurrence.amount_minor : 0n) },
      attempts,
    );
  }

  /**
   * Posts an amount that differs from the requested one to suspense until it is resolved. If the attempt had already ended,
   * also emits a late success event.
   */
  #postMismatch(payment: PaymentRow, attempts: AttemptRow[], found: Extract<Occurrence, { kind: 'mismatched' }>): PaymentRow {
    const attempt = must(
      attempts.find(({ id }) => id === found.attempt_id),
      'it is reported of an attempt',
    );
    this.#journals.push(mismatchJournal(payment, attempt, found));
    return isOpen(attempt) ? { ...payment, updated_at: new Date(this.#context.at) } : this.#announceLate(payment, attempts);
  }

  #announceLate(payment: PaymentRow, attempts: AttemptRow[]): PaymentRow {
    const after = { ...payment, updated_at: new Date(this.#context.at), event_count: payment.event_count + 1 };
    this.#announce(after, attempts, 'payment.late_success');
    return after;
  }

  /** Records captured money that the payment cannot keep as owed to the payer. The worker in `returns` sends it back. */
  #recordReturns(attempts: AttemptRow[]): void {
    for (const attempt of attempts) {
      const { team_id, payment_id, id: attempt_id, amount_minor, currency } = attempt;
      this.#attempts.set(attempt_id, { ...attempt, must_return: true });
      this.#obligations.push({ team_id, payment_id, attempt_id, amount_minor, currency });
    }
  }

  #announce(payment: PaymentRow, attempts: AttemptRow[], type: EventType): void {
    this.#events.push({
      team_id: payment.team_id,
      type,
      resource_id: payment.id,
      sequence: payment.event_count,
      data: retrieved(this.#context.environment, payment, attempts),
    });
  }
}

/** Whether an update resolves an open mismatch: it ends the attempt, or stores a manual resolution. */
function decides(row: AttemptRow, update: AttemptUpdate): boolean {
  return update.status === 'succeeded' || update.resolution !== undefined || (isOpen(row) && !isOpen(update));
}

/**
 * Returns how an update of an attempt changes the team's use of its transaction limits. An attempt by which no money can move
 * any more releases the amount reserved when it started, and reserves it again if money moved after all.
 */
function limitUse(before: AttemptRow, after: AttemptRow): Use[] {
  const { team_id, currency, counted_day: day, amount_minor } = after;
  if (day === null || counts(before) === counts(after)) return [];
  return [{ team_id, direction: 'payment', currency, day, amount_minor: counts(after) ? amount_minor : -amount_minor }];
}

function counts(attempt: AttemptRow): boolean {
  return isOpen(attempt) || attempt.status === 'succeeded';
}
