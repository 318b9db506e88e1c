import type { Store } from '../../platform/db/stores.ts';
import { must, unreachable } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import type { ApplyContext } from '../payments/change.ts';
import {
  backOff,
  MIN_POLL_WAIT_MS,
  mayBeSentAgain,
  mayNotBeShownYet,
  nextPoll,
  pollDelay,
  SUBMIT_LEASE_MS,
  submitInTime,
} from '../../providers/adapters/polling.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import { getCapture } from '../payments/service.ts';
import { callbackUrl } from '../../providers/provider-accounts/callback-address.ts';
import type { Payout, PayoutOutcome, Provider } from '../../providers/adapters/contract.ts';
import { channelById } from '../../providers/reference/channels.ts';
import type { RefundRow } from '../refunds/schema.ts';
import { endWay, findFailedWays, findWay, lockFailedWays, markWaySent, updatePart } from '../refunds/ways.ts';
import type { ReturnDeps } from './deps.ts';
import type { ReturnRow } from '../obligations/schema.ts';
import {
  endUnsent,
  hasNews,
  locked,
  lockedWithoutNews,
  pollFailedPayout,
  postpone,
  recheckFailedPayout,
  UNUSABLE,
} from './service.ts';
import { updateReturn } from '../obligations/store.ts';
import { payoutOptionsOf } from './payout-options.ts';
import { statedNote } from './stated.ts';

const NOT_KNOWN = 'the provider does not know the payout';
/** The payer has the money by a refund that had failed. */
const NOT_NEEDED = 'not needed: the refund that had failed was done after all';

/**
 * Advances a payout by one step: submits it to an account, or polls the account that has it. The intent is committed first, the
 * provider is called outside any transaction, and its response is applied in another.
 */
export async function advancePayout(deps: ReturnDeps, store: Store, row: ReturnRow): Promise<void> {
  const refund = must(await findWay(store.db, row.team_id, must(row.payout_id, 'a payout is under way')), 'it exists');
  const { payment, attempt } = await getCapture(store.db, row.team_id, row.payment_id, row.attempt_id);
  const step = { deps, store, attempt, description: payment.description ?? payment.reference ?? payment.id };
  if (refund.legs[0]?.status === 'waiting')
    return row.dispatched_at ? countAsSent(deps, store, row, refund) : sendFirst(step, row, refund);
  const provider = await deps.providers.byAccount(store.environment, row.team_id, row.account_id ?? '');
  if (!provider?.payouts) return postpone(deps, store, row, UNUSABLE);
  // "Not found" proves nothing about what was sent after the poll, however late the response is applied.
  const polled_at = deps.clock.now();
  const outcome = await provider.payouts.read(payoutOf(step, row, refund));
  const sent_at = row.dispatched_at?.getTime() ?? null;
  if (outcome.kind === 'not_found' && mayBeSentAgain(provider.capabilities, provider.payouts, sent_at, polled_at))
    return sendIfNeeded(step, row, refund, provider);
  await applyResponse(step, row, refund, provider, { outcome, call: 'read' });
}

/** Counts a payout as sent after the provider that had turned it away has called back about it. The next step polls it. */
async function countAsSent(deps: ReturnDeps, store: Store, known: ReturnRow, { id }: RefundRow): Promise<void> {
  await locked(deps, store, known, async (tx, context, row) => {
    const refund = must(await findWay(tx, row.team_id, id), 'refunds are never deleted');
    if (refund.legs[0]?.status !== 'waiting' || row.dispatched_at === null) return;
    // Another account may have turned it away, and called back, since it was read before the lock.
    const account_id = must(refund.legs[0].provider_account, 'a payout that was turned away had an account');
    await updatePart(tx, context, refund, { status: 'sent' });
    await updateReturn(tx, { ...row, account_id, next_step_at: new Date(context.at) });
  });
}

/**
 * Polls a payout that had failed, after a callback. "Not found" soon after the submission is no answer: the provider may not show it yet.
 * @returns null when its provider cannot be used at the moment
 */
export async function readPayout(
  deps: ReturnDeps,
  store: Store,
  row: ReturnRow,
  refund: RefundRow,
): Promise<PayoutOutcome | null> {
  const { payment, attempt } = await getCapture(store.db, row.team_id, row.payment_id, row.attempt_id);
  const step = { deps, store, attempt, description: payment.description ?? payment.reference ?? payment.id };
  const account_id = refund.legs[0]?.provider_account ?? row.account_id;
  // It ended before it was sent to any account.
  if (account_id === null) return { kind: 'not_found' };
  const provider = await deps.providers.byAccount(store.environment, row.team_id, account_id);
  if (!provider?.payouts) return null;
  const asked_at = deps.clock.now();
  const outcome = await provider.payouts.read(payoutOf(step, { ...row, account_id }, refund));
  const isEarly = outcome.kind === 'not_found' && mayNotBeShownYet(provider.capabilities, sentAt(row, refund), asked_at);
  return isEarly ? { kind: 'unknown', message: NOT_KNOWN } : outcome;
}

/** Returns when a payout was last sent, in milliseconds since the epoch; null: unknown. A return stores this of its latest payout only. */
function sentAt({ payout_id, dispatched_at }: ReturnRow, { id, legs }: RefundRow): number | null {
  if (id === payout_id && dispatched_at) return dispatched_at.getTime();
  const sent_at = legs[0]?.sent_at ?? null;
  return sent_at === null ? null : Date.parse(sent_at);
}

interface Step {
  deps: ReturnDeps;
  store: Store;
  attempt: AttemptRow;
  description: string;
}

/**
 * Sends a payout that is provably with no provider to the first account that has not rejected it. After all have, all are tried
 * again later.
 */
async function sendFirst(step: Step, row: ReturnRow, refund: RefundRow): Promise<void> {
  const { deps, store, attempt } = step;
  const options = await payoutOptionsOf(deps, store, row, attempt, { sends: true });
  switch (options.kind) {
    case 'now': {
      const next = options.candidates.find(({ account_id }) => !row.tried.includes(account_id));
      if (next) return sendIfNeeded(step, row, refund, next);
      const next_step_at = new Date(deps.clock.now() + backOff(row.polls));
      await lockedWithoutNews(deps, store, row, (tx, _, now) => updateReturn(tx, { ...now, tried: [], next_step_at }));
      return;
    }
    case 'later':
      return postpone(deps, store, row, options.note);
    case 'never':
      return endUnsent(deps, store, row, refund, { reason: 'channel_unavailable', message: options.note });
    default:
      return unreachable(options);
  }
}

/** Sends a payout that no account has. Ends it instead if an earlier refund succeeded late, or a statement shows a failed way as paid. */
async function sendIfNeeded(step: Step, row: ReturnRow, refund: RefundRow, provider: Provider): Promise<void> {
  const { deps, store } = step;
  const message = row.late_refund ? NOT_NEEDED : await statedNote(store.db, await findFailedWays(store.db, row));
  if (message === null) return send(step, row, refund, provider);
  await endUnsent(deps, store, row, refund, { reason: 'duplicate_transaction', message });
}

/**
 * Commits the intent, then sends the payout: from the commit on the provider may have it. Does nothing if another worker was
 * faster.
 */
async function send(step: Step, known: ReturnRow, refund: RefundRow, provider: Provider): Promise<void> {
  const { deps, store } = step;
  const sent = await locked(deps, store, known, async (tx, context, row) => {
    // The payer may have the money: the refund that had failed succeeded meanwhile, or was called back about and cannot be read.
    if (row.late_refund || row.recheck || row.dispatched_at?.getTime() !== known.dispatched_at?.getTime() || hasNews(row, known))
      return null;
    if ((await statedNote(tx, await lockFailedWays(tx, row))) !== null) return null;
    const id = row.spent === 0 ? `${refund.id}-0` : `${refund.id}-0-${row.spent}`;
    // What its account may have is sent again under the key by which the account has it.
    const key = known.dispatched_at === null ? provider.keyOf(id) : must(refund.legs[0], 'it has one part').provider_key;
    const handed = await markWaySent(tx, context, refund, { provider_account: provider.account_id, provider_key: key });
    if (!handed) return null;
    const now = {
      ...{ ...row, account_id: provider.account_id, resent: known.dispatched_at !== null },
      ...{ dispatched_at: new Date(context.at), next_step_at: new Date(context.at + SUBMIT_LEASE_MS), note: null },
    };
    await updateReturn(tx, now);
    return { row: now, refund: handed };
  });
  if (!sent) return;
  const payouts = must(provider.payouts, 'routing chose an account that pays out');
  const outcome = await submitInTime(payouts, payoutOf(step, sent.row, sent.refund), deps.clock.now());
  await applyResponse(step, sent.row, sent.refund, provider, { outcome, call: 'submit' });
}

function payoutOf({ deps, attempt, description }: Step, row: ReturnRow, refund: RefundRow): Payout {
  const { id, kind, country } = must(channelById(attempt.channel), 'the channel was checked when the attempt was made');
  const part = must(refund.legs[0], 'it has one part');
  return {
    transfer_id: refund.id,
    provider_key: part.provider_key,
    provider_ref: part.provider_ref,
    amount_minor: row.amount_minor,
    currency: row.currency,
    channel: { id, kind, country },
    recipient: { name: '', phone: attempt.payer, account_number: null, bank_code: null },
    description,
    callback_url: callbackUrl(deps, row.account_id ?? '', row.id),
    submitted_at: row.dispatched_at?.getTime() ?? null,
  };
}

interface ProviderResponse {
  outcome: PayoutOutcome;
  call: 'submit' | 'read';
}

/**
 * Applies a response. It changes nothing when it is about an earlier submission or the payout has ended meanwhile. If such a response shows
 * that the provider has the payout, the payout is polled again.
 */
async function applyResponse(
  step: Step,
  known: ReturnRow,
  refund: RefundRow,
  provider: Provider,
  response: ProviderResponse,
): Promise<void> {
  const { deps, store } = step;
  const applied = await locked(deps, store, known, async (tx, context, row) => {
    if (row.dispatched_at?.getTime() !== known.dispatched_at?.getTime()) return false;
    const now = must(await findWay(tx, row.team_id, refund.id), 'refunds are never deleted');
    const has_news = hasNews(row, known);
    await applyOutcome(tx, context, row, now, provider, { ...response, has_news, known_step_at: known.next_step_at });
    const failed = response.outcome.kind === 'failed' || response.outcome.kind === 'cancelled';
    if (failed && has_news) await recheckFailedPayout(tx, row, new Date(context.at));
    return true;
  });
  const hasIt = response.outcome.kind === 'succeeded' || response.outcome.kind === 'pending';
  if (!applied && hasIt) await pollFailedPayout(store, deps.clock.now(), known);
  deps.wake.ring(store.environment);
}

async function applyOutcome(
  tx: Tx,
  context: ApplyContext,
  row: ReturnRow,
  refund: RefundRow,
  { account_id, capabilities, payouts }: Provider,
  { outcome, call, has_news, known_step_at }: ProviderResponse & { has_news: boolean; known_step_at: Date | null },
): Promise<void> {
  const later_ms = pollDelay(capabilities.polls, row.polls);
  const later = (note: string | null, wait_ms = later_ms) => {
    const wanted = new Date(context.at + Math.max(wait_ms, MIN_POLL_WAIT_MS));
    return updateReturn(tx, { ...row, note, next_step_at: nextPoll(wanted, row.next_step_at, known_step_at) });
  };
  // The response to a second submission proves something about the first one only if the provider repeats its first response.
  const isProof = call === 'read' || !row.resent || (payouts?.idempotency ?? capabilities.idempotency) === 'replays';
  switch (outcome.kind) {
    case 'succeeded':
      if (outcome.amount_minor !== row.amount_minor || outcome.currency !== row.currency)
        return later('the provider reports another amount or currency than was sent');
      await endWay(tx, context, refund, outcome);
      return;
    case 'failed':
    case 'cancelled':
      if (!isProof) return later(outcome.message);
      await endWay(tx, context, refund, { kind: 'failed', reason: 'operator_declined', message: outcome.message });
      return;
    case 'pending':
      if (outcome.provider_ref) await updatePart(tx, context, refund, { provider_ref: outcome.provider_ref });
      return later(null, outcome.poll_after_ms);
    case 'unavailable':
      // It proves nothing about the first submission in response to a poll or a second one. A later poll may have seen more.
      if (call === 'read' || row.resent || has_news) return later(outcome.message);
      await updatePart(tx, context, refund, { status: 'waiting' });
      return updateReturn(tx, unsent(context, row, account_id, outcome.message));
    case 'unfunded':
      if (has_news || !isProof) return later(outcome.message);
      // The provider took it and failed it for good, unpaid: the next submission, to it or another provider, needs a new key.
      await updatePart(tx, context, refund, { status: 'waiting', provider_ref: null });
      return updateReturn(tx, unsent(context, { ...row, spent: row.spent + 1 }, account_id, outcome.message));
    case 'not_found':
      return later(NOT_KNOWN);
    case 'unknown':
      return later(outcome.message);
    default:
      return unreachable(outcome);
  }
}

/** Returns the row of a payout that is provably with no provider: the next account is tried at once. */
function unsent({ at }: ApplyContext, row: ReturnRow, account_id: string, note: string): ReturnRow {
  const tried = [...row.tried, account_id];
  return { ...row, account_id: null, dispatched_at: null, resent: false, tried, note, next_step_at: new Date(at) };
}
