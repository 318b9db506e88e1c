import { must } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { account } from '../../money/ledger/accounts.ts';
import { post } from '../../money/ledger/post.ts';
import { apply } from '../payments/apply.ts';
import type { ApplyContext, Occurrence } from '../payments/change.ts';
import type { PaymentRow } from '../payments/schema.ts';
import { lockPayment } from '../payments/service.ts';
import { isNewPoll, nextPoll, pollDelay } from '../../providers/adapters/polling.ts';
import type { PollPlan, RefundOutcome } from '../../providers/adapters/contract.ts';
import { recordLateSuccess } from '../obligations/apply.ts';
import { type Draw, draw, drawPostings } from '../../money/settlement/draw.ts';
import { finish, journal, returnUnspent, save, step } from './end.ts';
import { currentPart, isUndecided, withPart } from './parts.ts';
import { readAgain } from './read-again.ts';
import type { RefundPart, RefundRow } from './schema.ts';
import { isFinal } from './states.ts';
import { isSetAside, lockRefund, sumReturned } from './store.ts';
import { endExcessRefunds } from './waiting.ts';

/** Poll plan of a refund part whose provider cannot be used at the moment, so that its own plan is unknown. */
const DEFAULT_PLAN: PollPlan = { first_ms: 2_000, factor: 2, max_ms: 300_000 };
const NEXT_PART_MS = 2_000;
/** Time after a part is marked as sent in which it is not polled, because its sender may wait for the response. It is not sent later. */
export const SENDING_MS = 60_000;

/**
 * Applies the outcome of a refund part that was sent. Locks the payment, then the refund, and posts journals, writes
 * rows and records events in the caller's transaction. An outcome applies only to the submission it is about, with one
 * exception: a success is posted whatever was recorded before, even when the refund has ended.
 * @param known the refund as it was when the provider was called
 * @param part_index index of the refund part, from 0
 * @returns the refund as it is now
 */
export async function applyRefund(
  tx: Tx,
  context: ApplyContext,
  known: RefundRow,
  part_index: number,
  outcome: RefundOutcome,
  plan: PollPlan = DEFAULT_PLAN,
): Promise<RefundRow> {
  const payment = must(await lockPayment(tx, known.team_id, known.payment_id), 'a refund has a payment');
  const row = await lockRefund(tx, known.team_id, known.id);
  const part = row?.legs[part_index];
  if (!row || !part || part.status === 'succeeded') return row ?? known;
  // A result for a replaced key belongs to an earlier submission. If money moved under it, reconciliation reports it as unknown.
  if (part.provider_key !== known.legs[part_index]?.provider_key) return row;
  if (outcome.kind === 'succeeded') return partSucceeded(tx, context, payment, row, part_index, outcome.provider_ref);
  // The provider has a part that a person ended as failed. Some providers find it only by their own reference.
  if (part.status === 'failed' && outcome.kind === 'pending') {
    const provider_ref = part.provider_ref ?? outcome.provider_ref;
    const numbered = await save(tx, withPart(row, part_index, { provider_ref }));
    await readAgain(tx, numbered, new Date(context.at));
    return numbered;
  }
  if (part.status !== 'sent' || part.sent_at !== known.legs[part_index]?.sent_at) return row;
  const wait_ms = pollDelay(plan, row.polls);
  // A callback, or a poll of another worker, may be newer than this outcome.
  const hasNews = row.polls !== known.polls || isNewPoll(row.next_poll_at, known.next_poll_at);
  const later = async (change: Partial<RefundPart>, message: string | null, ms = wait_ms) => {
    const next_poll_at = nextPoll(new Date(context.at + ms), row.next_poll_at, known.next_poll_at);
    const scheduled = await scheduleNext(tx, context, row, part_index, change, message, next_poll_at);
    return waits(scheduled) ? withoutExcess(tx, context, scheduled) : scheduled;
  };
  // Once a provider has contradicted our books, the part is not sent again, whatever the provider reports later.
  if (part.halted && allowsSending(outcome)) return later({}, null);
  switch (outcome.kind) {
    case 'failed': {
      const { reason, message } = outcome;
      const failed = withPart(row, part_index, { status: 'failed' });
      const ended = await continueOrEnd(tx, context, { ...failed, failure_reason: failed.failure_reason ?? reason, message });
      if (hasNews) await readAgain(tx, ended, new Date(context.at));
      return ended;
    }
    case 'unavailable':
      return later(hasNews ? {} : { status: 'waiting' }, outcome.message);
    case 'unfunded':
      if (hasNews) return later({}, outcome.message);
      return later({ status: 'waiting', spent_key: part.provider_key }, outcome.message);
    case 'not_found': {
      // The request seems never to have arrived, and the same key may be sent again.
      const change = hasNews ? {} : ({ status: 'waiting', resent: true } as const);
      return later(change, 'the provider does not know it yet');
    }
    case 'pending': {
      const provider_ref = outcome.provider_ref ?? part.provider_ref;
      // The provider has it under this key after all. Sent again under another key, it might be carried out twice.
      return later({ provider_ref, spent_key: undefined }, null, outcome.poll_after_ms);
    }
    case 'unknown':
      if (outcome.needs_person) return later({ halted: true }, outcome.message);
      return later({}, part.halted ? null : outcome.message);
  }
}

/** Whether a part with this outcome may be sent again, under its key or a new one. */
function allowsSending({ kind }: RefundOutcome): boolean {
  return kind === 'unavailable' || kind === 'unfunded' || kind === 'not_found';
}

/**
 * Marks the refund part as possibly sent; this is committed before anything is sent.
 * @param keyOf returns the provider's key that follows one that was used up; without it, nothing is sent under a new key
 * @returns null when the part must not be sent
 */
export async function markSent(
  tx: Tx,
  context: ApplyContext,
  known: RefundRow,
  part_index: number,
  keyOf?: (key: string) => string,
): Promise<RefundRow | null> {
  const row = await lockRefund(tx, known.team_id, known.id);
  const part = row?.legs[part_index];
  if (!row || row.draws === null || currentPart(row) !== part_index || part?.status !== 'waiting') return null;
  // A node of an earlier release may have set it to wait again.
  if (part.halted) return null;
  const at = new Date(context.at);
  // The key is replaced only here: until the part is sent again, what the provider reports is about the old key.
  const renewed =
    keyOf && part.spent_key === part.provider_key
      ? { provider_key: keyOf(part.provider_key), provider_ref: null, resent: undefined }
      : {};
  const sent = withPart(row, part_index, { status: 'sent', sent_at: at.toISOString(), ...renewed });
  return save(tx, {
    ...sent,
    status: step(row, 'sent') ?? row.status,
    submitted_at: row.submitted_at ?? at,
    updated_at: at,
    next_poll_at: new Date(context.at + SENDING_MS),
  });
}

async function partSucceeded(
  tx: Tx,
  context: ApplyContext,
  payment: PaymentRow,
  before: RefundRow,
  part_index: number,
  provider_ref: string,
): Promise<RefundRow> {
  const { team_id, currency, id, payment_id } = before;
  const late = isFinal(before.status);
  if (late && (await isSetAside(tx, before, part_index))) return before;
  const row = withPart(before, part_index, { status: 'succeeded', provider_ref });
  const part = row.legs[part_index] as RefundPart;
  const booked = await post(tx, [
    {
      team_id,
      kind: `refund.leg:${part_index}`,
      source_id: id,
      subject_id: payment_id,
      currency,
      postings: [{ debit: account('refund_clearing', null), credit: account('clearing', null), amount_minor: part.amount_minor }],
    },
  ]);
  if (booked.length === 0) return continueOrEnd(tx, context, row);
  if (late) await recordLateSuccess(tx, context, row);
  const draws = late ? [...(row.draws ?? []), ...(await drawAgain(tx, row, part, part_index))] : row.draws;
  const counted: Occurrence[] =
    row.kind === 'giveback'
      ? [{ kind: 'reversed', refunded_minor: await sumReturned(tx, payment) }]
      : countRefunded(payment, part);
  if (counted.length > 0) await apply(tx, context, [{ team_id, payment_id, occurrences: counted }]);
  const message = late ? `Part ${part_index + 1} reached the payer after the refund had failed.` : row.message;
  const done = await continueOrEnd(tx, context, { ...row, draws, message });
  // Another refund may have been made of what seemed to be left. It may also be this one, of which another part is to be sent.
  return late || waits(done) ? withoutExcess(tx, context, done) : done;
}

/** Whether the refund has a part that is to be sent. */
function waits(row: RefundRow): boolean {
  const index = isFinal(row.status) ? null : currentPart(row);
  return index !== null && row.legs[index]?.status === 'waiting';
}

/**
 * Ends the merchant's refunds of a payment that wait and would return more than was paid. It is compared whenever a refund has succeeded
 * late, and whenever one begins to wait: it may have been at its provider when another succeeded.
 * @returns the refund as it is then
 */
async function withoutExcess(tx: Tx, context: ApplyContext, row: RefundRow): Promise<RefundRow> {
  if (row.kind !== 'merchant') return row;
  const ended = await endExcessRefunds(tx, context, { team_id: row.team_id, id: row.payment_id });
  return ended.find(({ id }) => id === row.id) ?? row;
}

/** Counts a refunded part. A payment never counts more than was paid, even when a late part was refunded again meanwhile. */
function countRefunded(payment: PaymentRow, { amount_minor }: RefundPart): Occurrence[] {
  const left = payment.captured_minor - payment.refunded_minor;
  if (left <= 0n) return [];
  return [{ kind: 'refunded', amount_minor: amount_minor < left ? amount_minor : left }];
}

/**
 * Draws the amount of a part again. It was returned to the balances when the refund failed, but the payer received it after
 * all. No credit limit applies, because the money has left.
 */
async function drawAgain(tx: Tx, row: RefundRow, { amount_minor }: RefundPart, part_index: number): Promise<Draw[]> {
  const { team_id, payment_id, currency, kind } = row;
  const drawn: Draw[] | null =
    kind === 'giveback'
      ? [{ account_id: '', bucket: 'hold', amount_minor }]
      : await draw(tx, { team_id, payment_id, currency, amount_minor }, null);
  const draws = must(drawn, 'credit without a cap covers everything');
  await post(tx, [journal(row, `refund.drawn_late:${part_index}`, drawPostings(draws, 'refund_clearing'))]);
  return draws;
}

/**
 * Returns the time at which the worker sends the next part if the process that sent the last one died; otherwise that process
 * continues at once.
 */
export function nextPartAt(at: number): Date {
  return new Date(at + NEXT_PART_MS);
}

/**
 * Continues after the outcome of a part is known. The refund ends only when no part can succeed any more. The next part is
 * sent; or, when one has failed, the amount that did not reach the payer is returned once to the balances it was drawn from.
 * Parts that succeeded stay refunded.
 */
async function continueOrEnd(tx: Tx, context: ApplyContext, row: RefundRow): Promise<RefundRow> {
  const ended = isFinal(row.status);
  if (ended || isUndecided(row) || currentPart(row) !== null) {
    const next_poll_at = ended && !isUndecided(row) ? null : nextPartAt(context.at);
    return save(tx, { ...row, updated_at: new Date(context.at), next_poll_at });
  }
  if (row.legs.every((part) => part.status === 'succeeded')) return finish(tx, context, row, 'succeeded');
  await returnUnspent(tx, row);
  return finish(tx, context, row, 'failed');
}

/** Schedules the next poll. A part without a stored sending time counts as sent now. */
function scheduleNext(
  tx: Tx,
  context: ApplyContext,
  row: RefundRow,
  part_index: number,
  change: Partial<RefundPart>,
  message: string | null,
  next_poll_at: Date,
): Promise<RefundRow> {
  const at = new Date(context.at);
  const sent_at = row.legs[part_index]?.sent_at ?? at.toISOString();
  const changed = withPart(row, part_index, { sent_at, ...change });
  const over = isFinal(row.status) && !isUndecided(changed);
  return save(tx, {
    ...changed,
    message: message ?? row.message,
    updated_at: at,
    next_poll_at: over ? null : next_poll_at,
  });
}
