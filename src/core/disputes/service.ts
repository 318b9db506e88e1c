import type { Action } from '../../tenants/audit/actions.ts';
import { type Actor, PROVIDER } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Call } from '../../tenants/api/route.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { EventType } from '../../money/events/catalogue.ts';
import { recordEvents } from '../../money/webhooks/record-store.ts';
import { invalid, must, notFound, Problem } from '../../kit/errors.ts';
import { isId, newId } from '../../kit/ids.ts';
import { isMovable } from '../../kit/money.ts';
import type { JsonObject } from '../../kit/json.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { account } from '../../money/ledger/accounts.ts';
import { type Posting, post } from '../../money/ledger/post.ts';
import { lockPayment } from '../payments/service.ts';
import type { PaymentStatus } from '../payments/states.ts';
import { type Draw, draw, drawPostings, returnDrawn } from '../../money/settlement/draw.ts';
import type { DisputeDeps } from './deps.ts';
import { presentDispute } from './present.ts';
import type { DisputeRow } from './schema.ts';
import { type DisputeTrigger, nextDisputeStatus } from './states.ts';
import { findBlocking, findDispute, insertDispute, lockDispute, updateDispute } from './store.ts';

const ACTIONS: Record<DisputeTrigger, Action> = {
  evidence_sent: 'dispute.submit_evidence',
  accepted: 'dispute.accept',
  provider_decided_won: 'dispute.decide',
  provider_decided_lost: 'dispute.decide',
  withdrawn: 'dispute.withdraw',
};

/** Statuses of a payment that was paid: the payer may charge it back, as far as they have not got it back. */
const DISPUTABLE: readonly PaymentStatus[] = ['succeeded', 'partially_refunded', 'refunded'];

const RESPONSE_MS = 7 * 24 * 3_600_000;

/**
 * Returns the id of the open dispute of the payment, else of a lost one, or null. An open dispute may return the payment's money to the
 * payer, and a lost one has returned it.
 */
export async function openOrLostDispute(db: Queryable, team_id: bigint, payment_id: string): Promise<string | null> {
  const { open, lost } = await findBlocking(db, team_id, payment_id);
  return open ?? lost;
}

/** A dispute to open. */
export interface Opening {
  team_id: bigint;
  payment_id: string;
  /** In hundredths; default: what was charged and was neither refunded nor charged back. */
  amount_minor?: bigint;
  reason: string;
  /** What an operator records of the notice. */
  note?: string;
}

/**
 * Opens a dispute after the provider's notice (`pirogue disputes open`, in the sandbox also `pirogue trigger dispute.created`) and moves
 * the amount to `disputed`. The platform advances what the balance does not cover, because a chargeback cannot be declined. The part of the
 * payment that a lost dispute did not take can be disputed again.
 * @throws Problem 404, 400 when there is nothing to dispute, 422 for an amount that was not paid
 */
export async function openDispute(
  deps: Pick<DisputeDeps, 'clock' | 'refundsUnderWay' | 'endUncoveredRefunds'>,
  store: Store,
  opening: Opening,
  by: Actor = PROVIDER,
): Promise<DisputeRow> {
  const at = deps.clock.now();
  return store.db.transaction(async (tx) => {
    const payment = await lockPayment(tx, opening.team_id, opening.payment_id);
    if (!payment) throw notFound('Payment');
    const { open, lost_minor } = await findBlocking(tx, payment.team_id, payment.id);
    // A payment that is refunded may leave a fee on top, which a chargeback takes and a refund does not.
    if (!DISPUTABLE.includes(payment.status) || open)
      throw new Problem(400, `The payment is ${open ? 'in a dispute already' : payment.status}.`);
    const returned_minor = payment.refunded_minor + lost_minor;
    // The payer disputes what was charged: where the customer bears the fee, that is more than the payment's amount.
    const leftNow = async () =>
      payment.captured_minor - returned_minor - (await deps.refundsUnderWay(tx, payment.team_id, payment.id));
    // A chargeback cannot be declined: the payer has the money, which a refund that waits must not return once more.
    if ((opening.amount_minor ?? payment.captured_minor) > (await leftNow())) {
      await deps.endUncoveredRefunds(tx, { environment: store.environment, at }, payment);
    }
    // An amount that a refund under way returns cannot be charged back as well.
    const left = await leftNow();
    // What is left may be only a fee on top. It is disputed alone only when the notice names the amount.
    const least = opening.amount_minor === undefined ? payment.captured_minor - payment.amount_minor : 0n;
    if (left <= 0n) throw new Problem(400, 'Everything that was paid has gone back to the payer or is being refunded.');
    if (left <= least) throw new Problem(400, 'Only the fee that the customer paid on top is left: name the amount.');
    const amount_minor = opening.amount_minor ?? left;
    if (amount_minor > left) throw invalid({ amount: ['is more than what was paid and not refunded'] });
    if (!isMovable(amount_minor, payment.currency)) throw invalid({ amount: [`must be a whole number of ${payment.currency}`] });
    const claim = { team_id: payment.team_id, payment_id: payment.id, currency: payment.currency, amount_minor };
    const draws = must(await draw(tx, claim, null), 'credit without a cap covers everything');
    const now = new Date(at);
    const row: DisputeRow = {
      ...claim,
      id: newId('dsp', store.environment, at),
      status: 'needs_response',
      reason: opening.reason,
      evidence: null,
      draws,
      note: opening.note ?? null,
      due_at: new Date(at + RESPONSE_MS),
      event_count: 1,
      created_at: now,
      updated_at: now,
      closed_at: null,
    };
    await insertDispute(tx, row);
    await record(tx, by, { team_id: row.team_id, action: 'dispute.open', resource_id: row.id, at });
    await book(tx, row, 'dispute.opened', drawPostings(draws, 'disputed', true));
    await announce(tx, store, at, row, 'dispute.created');
    return row;
  });
}

/**
 * The only function for every further change of a dispute: evidence, acceptance, the provider's decision, withdrawal.
 * @throws Problem 404, 400 when the dispute's status does not allow it, or evidence comes too late
 */
export async function changeDispute(
  deps: Pick<DisputeDeps, 'clock'>,
  store: Store,
  ref: { team_id: bigint; id: string },
  trigger: DisputeTrigger,
  { evidence, note, verify }: { evidence?: JsonObject; note?: string; verify?: Call['verifyFirst'] } = {},
  by: Actor = PROVIDER,
): Promise<DisputeRow> {
  const at = deps.clock.now();
  return store.db.transaction(async (tx) => {
    const known = await getDispute(store, ref.team_id, ref.id, tx);
    await lockPayment(tx, ref.team_id, known.payment_id);
    const before = must(await lockDispute(tx, ref.team_id, ref.id), 'it was just read');
    await verify?.();
    const status = nextDisputeStatus(before.status, trigger);
    if (status === null) throw impossible(before);
    if (trigger === 'evidence_sent' && before.due_at !== null && at >= before.due_at.getTime()) {
      throw new Problem(400, 'The time to send evidence is over.');
    }
    const closed = status !== 'under_review';
    const now = new Date(at);
    const row: DisputeRow = {
      ...before,
      status,
      evidence: evidence ?? before.evidence,
      note: note === undefined ? before.note : [...(before.note === null ? [] : [before.note]), note].join('\n'),
      event_count: before.event_count + 1,
      updated_at: now,
      closed_at: closed ? now : null,
    };
    await updateDispute(tx, row);
    await record(tx, by, { team_id: row.team_id, action: ACTIONS[trigger], resource_id: row.id, at });
    if (closed) await settle(tx, row);
    await announce(tx, store, at, row, closed ? 'dispute.closed' : 'dispute.updated');
    return row;
  });
}

/** Posts the end of a dispute. Lost: the money leaves. Won or withdrawn: it returns to the parties. */
async function settle(tx: Tx, row: DisputeRow): Promise<void> {
  const { team_id, payment_id, currency, id: source_id } = row;
  if (row.status === 'lost') return book(tx, row, 'dispute.lost', lostPostings(row.draws));
  const back = { team_id, kind: `dispute.${row.status}`, source_id, currency, payment_id, from: 'disputed', each: true } as const;
  await returnDrawn(tx, back, row.draws, row.amount_minor);
}

/** Returns the error 400 for a change that a dispute does not permit in its status. */
export function impossible({ status }: Pick<DisputeRow, 'status'>): Problem {
  return new Problem(400, `The dispute is ${status}: that is not possible any more.`);
}

function lostPostings(draws: Draw[]): Posting[] {
  return drawPostings(draws, 'disputed', true).map((posting) => ({
    debit: posting.credit,
    credit: account('clearing', null),
    amount_minor: posting.amount_minor,
  }));
}

async function book(tx: Tx, row: DisputeRow, kind: string, postings: Posting[]): Promise<void> {
  await post(tx, [
    { team_id: row.team_id, kind, source_id: row.id, subject_id: row.payment_id, currency: row.currency, postings },
  ]);
}

async function announce(tx: Tx, store: Store, at: number, row: DisputeRow, type: EventType): Promise<void> {
  await recordEvents(tx, store.environment, at, [
    {
      team_id: row.team_id,
      type,
      resource_id: row.id,
      sequence: row.event_count,
      data: presentDispute(store.environment, row),
    },
  ]);
}

/**
 * Returns a dispute of this team and store.
 * @throws Problem 404
 */
export async function getDispute(store: Store, team_id: bigint, id: string, db: Queryable = store.db): Promise<DisputeRow> {
  const row = isId('dsp', store.environment, id) ? await findDispute(db, team_id, id) : undefined;
  if (!row) throw notFound();
  return row;
}
