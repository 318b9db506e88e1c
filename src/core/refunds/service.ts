import { callerOf } from '../../tenants/audit/actor.ts';
import { recordCall } from '../../tenants/audit/record.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Store } from '../../platform/db/stores.ts';
import { openOrLostDispute } from '../disputes/service.ts';
import { once } from '../../tenants/api/idempotency.ts';
import type { Call, Reply } from '../../tenants/api/route.ts';
import { type FieldErrors, invalid, must, notFound, Problem } from '../../kit/errors.ts';
import { isId, newId } from '../../kit/ids.ts';
import { isMovable, type Minor, minorFromWire } from '../../kit/money.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { post } from '../../money/ledger/post.ts';
import { checkFreeObjects } from '../../kit/metadata.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import type { PaymentRow } from '../payments/schema.ts';
import { capturesOf, lockPayment } from '../payments/service.ts';
import type { Refunds } from '../../providers/adapters/contract.ts';
import { channelById, stepFault } from '../../providers/reference/channels.ts';
import { draw } from '../../money/settlement/draw.ts';
import { nextPartAt } from './apply.ts';
import { announce, drawnJournal } from './end.ts';
import type { RefundDeps } from './deps.ts';
import { presentRefund } from './present.ts';
import type { CreateRefundBody, RefundPart, RefundRow } from './schema.ts';
import { currentPart, withPart } from './parts.ts';
import {
  findByKey,
  findRefund,
  insertRefund,
  lockRefund,
  paymentOfKey,
  pollNow,
  type ReportedRefund,
  refundsUnderWay,
  takenByAttempt,
  updateRefund,
} from './store.ts';

/**
 * Returns the refund, or payout of a return, about which a provider account calls back by one of our keys. An archived payment is
 * restored, because its attempts name the account.
 */
export async function findReported(
  store: Store,
  team_id: bigint,
  account_id: string,
  provider_key: string,
): Promise<ReportedRefund | undefined> {
  const known = await findByKey(store.db, team_id, account_id, provider_key);
  if (known) return known;
  const payment_id = await paymentOfKey(store.db, team_id, provider_key);
  if (payment_id === undefined) return undefined;
  return store.db.transaction(async (tx) => {
    await lockPayment(tx, team_id, payment_id);
    return findByKey(tx, team_id, account_id, provider_key);
  });
}

/**
 * Creates a refund and draws its money, all under the payment's lock: concurrent refunds can never exceed what was paid.
 * @returns the reply, and the refund that was created (none when an earlier response is replayed)
 * @throws Problem 400 `payment_not_refundable`, 404, 422, 502 the account of the payment cannot be used at the moment
 */
export async function createRefund(
  deps: RefundDeps,
  call: Call<CreateRefundBody>,
): Promise<{ reply: Reply; refund: RefundRow | null }> {
  const { store } = call.caller;
  let refund: RefundRow | null = null;
  const reply = await store.db.transaction((tx) => {
    // The transaction may run again. A refund of a run that was rolled back does not exist, and the next run may replay another request's.
    refund = null;
    return once(tx, call as Call, 'POST /refunds', async () => {
      refund = await make(tx, deps, call);
      await recordCall(tx, call, 'refund.create', refund.id);
      return { code: 201, message: 'Refund created', body: { refund: presentRefund(store.environment, refund) } };
    });
  });
  return { reply, refund };
}

/**
 * Validates what the schema cannot express. The body may not fit the schema.
 * @returns errors by field
 */
export function checkRefund({ amount, metadata }: CreateRefundBody): FieldErrors {
  const isExact = typeof amount !== 'number' || minorFromWire(amount) !== null;
  return { ...(isExact ? {} : { amount: ['must have at most two decimals'] }), ...checkFreeObjects({ metadata }) };
}

async function make(tx: Tx, deps: RefundDeps, call: Call<CreateRefundBody>): Promise<RefundRow> {
  const { team, store } = call.caller;
  const { environment } = store;
  const payment = isId('trx', environment, call.body.payment) ? await lockPayment(tx, team.id, call.body.payment) : undefined;
  if (!payment) throw notFound('Payment');
  await refuseUnrefundable(tx, payment);
  const left = await leftToRefund(tx, payment);
  const amount_minor = amountOf(call.body, payment, left);
  const captures = await capturesOf(tx, { team_id: team.id, id: payment.id });
  const id = newId('rfd', environment, call.at);
  const parts = partsOf(id, captures, await takenByAttempt(tx, team.id, payment.id), amount_minor);
  const legs = await Promise.all(parts.map((part) => addressed(deps, store, payment, captures, part)));
  const now = new Date(call.at);
  const row: RefundRow = {
    team_id: team.id,
    id,
    payment_id: payment.id,
    kind: 'merchant',
    attempt_id: null,
    return_id: null,
    way: 'refund',
    legs,
    amount_minor,
    currency: payment.currency,
    status: 'pending',
    reason: call.body.reason,
    failure_reason: null,
    message: null,
    metadata: (call.body.metadata ?? null) as RefundRow['metadata'],
    draws: null,
    resolution: null,
    event_count: 1,
    polls: 0,
    next_poll_at: nextPartAt(call.at),
    created_at: now,
    updated_at: now,
    submitted_at: null,
    completed_at: null,
  };
  const covered = await cover(tx, deps.config, store, row);
  const by = callerOf(call);
  await insertRefund(tx, covered, { key_id: by.kind === 'operator' ? null : call.caller.key_id, request_id: by.request_id });
  await announce(tx, { environment, at: call.at }, covered, 'refund.created');
  return covered;
}

/**
 * Draws the money of a refund and posts it.
 * @returns the refund without draws when the balance does not cover it yet
 */
export async function cover(tx: Tx, config: Config, store: Store, row: RefundRow): Promise<RefundRow> {
  const { team_id, payment_id, currency, amount_minor } = row;
  const draws = await draw(tx, { team_id, payment_id, currency, amount_minor }, creditCap(config, store));
  if (draws === null) return { ...row, message: 'It waits for money: the balance does not cover it yet.' };
  // Earlier attempts to cover the refund do not count as polls of its provider.
  const covered = { ...row, draws, message: null, polls: 0 };
  await post(tx, [drawnJournal(covered)]);
  return covered;
}

/** Returns the maximum amount that the platform advances to a team and its subaccounts, in hundredths. */
export function creditCap(config: Config, { environment }: Store): Minor {
  return BigInt(config.credit_cap[environment]) * 100n;
}

/**
 * Tries again to cover a refund that waits for money.
 * @param send_at when a worker sends it, if the caller does not
 * @returns null when it still waits (or no longer exists)
 */
export async function coverLater(
  tx: Tx,
  config: Config,
  store: Store,
  known: Pick<RefundRow, 'team_id' | 'id' | 'payment_id'>,
  send_at?: Date,
): Promise<RefundRow | null> {
  await lockPayment(tx, known.team_id, known.payment_id);
  const row = await findRefund(tx, known.team_id, known.id);
  if (row?.status !== 'pending' || row.draws !== null) return row ?? null;
  const covered = await cover(tx, config, store, row);
  if (covered.draws === null) return null;
  const due = { ...covered, next_poll_at: send_at ?? covered.next_poll_at };
  await updateRefund(tx, due);
  return due;
}

/**
 * Makes a refund due for polling now, after a callback from its provider. A part that its provider had turned away counts as sent again,
 * so that it is polled before it is sent once more. This does not apply when another part was sent as well: the callback may be about it.
 */
export function pollRefund(store: Store, at: number, team_id: bigint, id: string): Promise<void> {
  return store.db.transaction(async (tx) => {
    const row = await lockRefund(tx, team_id, id);
    const index = row ? currentPart(row) : null;
    const part = index === null ? undefined : row?.legs[index];
    const isOnly = row?.legs.every((other) => other === part || other.sent_at === null);
    if (row?.way === 'refund' && index !== null && part?.status === 'waiting' && part.sent_at !== null && isOnly)
      await updateRefund(tx, withPart(row, index, { status: 'sent' }));
    await pollNow(tx, team_id, id, new Date(at));
  });
}

async function refuseUnrefundable(tx: Tx, payment: PaymentRow): Promise<void> {
  const disputed = await openOrLostDispute(tx, payment.team_id, payment.id);
  if (disputed || (payment.status !== 'succeeded' && payment.status !== 'partially_refunded')) {
    const state = disputed ? `in a dispute (${disputed})` : payment.status;
    throw new Problem(400, `The payment is ${state} and cannot be refunded.`, { error_code: 'payment_not_refundable' });
  }
}

/** Returns the amount of a payment that can still be refunded, in hundredths. It may change at once unless the payment's row is locked. */
export async function leftToRefund(db: Queryable, payment: PaymentRow): Promise<Minor> {
  return payment.amount_minor - payment.refunded_minor - (await refundsUnderWay(db, payment.team_id, payment.id));
}

function amountOf(body: CreateRefundBody, payment: PaymentRow, left: Minor): Minor {
  const amount_minor = body.amount === undefined ? left : (minorFromWire(body.amount) ?? 0n);
  if (amount_minor > left || amount_minor <= 0n) throw invalid({ amount: ['is more than what is left to refund'] });
  if (!isMovable(amount_minor, payment.currency)) throw invalid({ amount: [`must be a whole number of ${payment.currency}`] });
  return amount_minor;
}

/** Divides the amount into refund parts, by the attempts that captured it, the latest first. */
function partsOf(refund_id: string, captures: AttemptRow[], taken: Map<string, Minor>, amount_minor: Minor): RefundPart[] {
  const parts: RefundPart[] = [];
  let missing = amount_minor;
  for (const capture of captures.toReversed()) {
    const free = capture.amount_minor - (taken.get(capture.id) ?? 0n);
    const share_minor = free < missing ? free : missing;
    if (share_minor <= 0n) continue;
    parts.push({
      attempt_id: capture.id,
      amount_minor: share_minor,
      provider_key: `${refund_id}-${parts.length}`,
      provider_ref: null,
      sent_at: null,
      status: 'waiting',
    });
    missing -= share_minor;
  }
  if (missing > 0n) throw invalid({ amount: ['is more than what is left to refund'] });
  return parts;
}

/**
 * Returns the refund part with the key that identifies it at its provider.
 * @throws Problem 422 when the provider cannot refund this way, 502 when its account cannot be used at the moment: reported before the
 * refund is created
 */
async function addressed(
  deps: RefundDeps,
  store: Store,
  payment: PaymentRow,
  captures: AttemptRow[],
  part: RefundPart,
): Promise<RefundPart> {
  const capture = must(
    captures.find((attempt) => attempt.id === part.attempt_id),
    'parts are made of captures',
  );
  const provider = await deps.providers.byAccount(store.environment, capture.team_id, capture.provider_account);
  if (!provider)
    throw new Problem(
      502,
      'The account that collected the payment cannot be used at the moment. Nothing was refunded: try again.',
    );
  if (!provider.refunds) throw invalid({ payment: ['was collected by a provider that cannot refund: pay it out instead'] });
  if (provider.refunds.extent === 'full' && part.amount_minor !== capture.amount_minor) {
    const hasFeeOnTop = payment.captured_minor > payment.amount_minor;
    const why = hasFeeOnTop
      ? 'was collected, with a fee on top that is not refunded, by a provider that can only refund the whole charge: pay it out instead'
      : 'was collected by a provider that can only refund the whole amount';
    throw invalid({ payment: [why] });
  }
  const step_minor = provider.refunds.stepOf?.(capture.channel, capture.currency) ?? 1n;
  if (part.amount_minor % step_minor !== 0n) {
    throw invalid({ amount: [stepFault(capture.channel, capture.currency, step_minor)] });
  }
  if (capture.payer === null && needsPayer(provider.refunds, capture)) {
    throw invalid({
      payment: ['was paid from a number that is no longer kept, to which it would be refunded: pay it out instead'],
    });
  }
  return { ...part, provider_key: provider.keyOf(part.provider_key) };
}

/** Whether the provider needs the payer's number to refund an attempt. */
export function needsPayer(refunds: Refunds, { channel, currency }: Pick<AttemptRow, 'channel' | 'currency'>): boolean {
  const { id, kind } = must(channelById(channel), 'the channel was checked when the attempt was made');
  return refunds.needsPayer?.({ id, kind }, currency) ?? false;
}
