import type { Store } from '../db/stores.ts';
import type { Deps } from '../deps.ts';
import { must } from '../kit/errors.ts';
import { callbackUrl } from '../provider-accounts/callback-address.ts';
import { collectionOf } from '../payments/collection.ts';
import { getCapture } from '../payments/service.ts';
import type { Provider, Refund, RefundOutcome } from '../providers/contract.ts';
import { applyRefund, markSent } from './apply.ts';
import { currentPart } from './parts.ts';
import type { Leg, RefundRow } from './schema.ts';

const NOT_FOUND_GRACE_MS = 600_000;

/**
 * Takes a covered refund one step further: sends the next leg, or asks about the one under way. The intent is
 * committed first, the provider called outside any transaction, its answer applied in another.
 */
export async function advanceRefund(deps: Deps, store: Store, known: RefundRow): Promise<RefundRow> {
  const index = currentPart(known);
  if (index === null) return known;
  const asking = known.legs[index]?.status === 'sent';
  const row = asking ? known : await inTransaction(deps, store, (tx, context) => markSent(tx, context, known, index));
  if (!row) return known;
  const leg = row.legs[index] as Leg;
  const sent_at = leg.sent_at === null ? null : Date.parse(leg.sent_at);
  const { payment, attempt } = await getCapture(store.db, row.team_id, row.payment_id, leg.attempt_id);
  const provider = await deps.providers.byAccount(store.environment, row.team_id, attempt.provider_account);
  const collection = collectionOf(deps, store, payment, attempt);
  const request: Refund = {
    refund_id: row.id,
    provider_key: leg.provider_key,
    provider_ref: leg.provider_ref,
    amount_minor: leg.amount_minor,
    currency: row.currency,
    collection,
    callback_url: callbackUrl(deps, attempt.provider_account, row.id),
    submitted_at: sent_at ?? row.submitted_at?.getTime() ?? null,
  };
  const age_ms = sent_at === null ? 0 : deps.clock.now() - sent_at;
  const outcome = evidenceOf(await giveBack(provider, request, asking), asking, age_ms);
  const applied = await inTransaction(deps, store, (tx, context) =>
    applyRefund(tx, context, row, index, outcome, provider?.capabilities.polls, provider?.keyOf(leg.provider_key)),
  );
  deps.wake.ring(store.environment);
  return applied;
}

/**
 * Asking that fails says nothing of what was sent, and soon after sending "not found" only means that the status page
 * lags: neither lets the leg be sent again.
 */
function evidenceOf(outcome: RefundOutcome, asking: boolean, age_ms: number): RefundOutcome {
  if (!asking) return outcome;
  if (outcome.kind === 'unavailable') return { kind: 'unknown', message: outcome.message };
  if (outcome.kind === 'not_found' && age_ms < NOT_FOUND_GRACE_MS)
    return { kind: 'unknown', message: 'the provider does not know it yet' };
  return outcome;
}

/** By the provider's refund; where it has none, by paying out to the payer. */
async function giveBack(provider: Provider | undefined, request: Refund, asking: boolean): Promise<RefundOutcome> {
  const { refunds, payouts } = must(provider, 'the provider of a capture is configured');
  if (refunds) return asking ? refunds.read(request) : refunds.submit(request);
  const { collection } = request;
  if (!payouts?.reaches(collection.channel.id, request.currency) || collection.payer === null) {
    return { kind: 'unavailable', message: 'the provider can neither refund nor pay out: an operator has to return the money' };
  }
  const payout = {
    transfer_id: request.refund_id,
    provider_key: request.provider_key,
    provider_ref: request.provider_ref,
    amount_minor: request.amount_minor,
    currency: request.currency,
    channel: collection.channel,
    description: collection.description,
    recipient: { name: '', phone: collection.payer, account_number: null, bank_code: null },
    callback_url: request.callback_url,
    submitted_at: request.submitted_at,
  };
  const outcome = await (asking ? payouts.read(payout) : payouts.submit(payout));
  switch (outcome.kind) {
    case 'failed':
    case 'cancelled':
      return { kind: 'failed', reason: 'operator_declined', message: outcome.message };
    default:
      return outcome;
  }
}

function inTransaction<T>(
  deps: Deps,
  store: Store,
  work: (tx: Parameters<typeof markSent>[0], context: Parameters<typeof markSent>[1]) => Promise<T>,
): Promise<T> {
  return store.db.transaction((tx) =>
    work(tx, { environment: store.environment, at: deps.clock.now(), listeners: deps.listeners }),
  );
}
