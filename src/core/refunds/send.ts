import type { Store } from '../../platform/db/stores.ts';
import { must } from '../../kit/errors.ts';
import { callbackUrl } from '../../providers/provider-accounts/callback-address.ts';
import { collectionOf } from '../charge/collection.ts';
import { getCapture } from '../payments/service.ts';
import type { Provider, Refund, RefundOutcome } from '../../providers/adapters/contract.ts';
import { mayBeSentAgain, mayNotBeShownYet } from '../../providers/adapters/polling.ts';
import { applyRefund, markSent, SENDING_MS } from './apply.ts';
import type { RefundDeps } from './deps.ts';
import { currentPart } from './parts.ts';
import type { RefundPart, RefundRow } from './schema.ts';

const NOT_KNOWN = 'the provider does not know it';
const NOT_SENT: RefundOutcome = { kind: 'unavailable', message: 'it was not sent in time' };

/** Sends part after part of a new refund as long as each succeeds at once. The worker continues with a part that stays open. */
export async function sendParts(deps: RefundDeps, store: Store, made: RefundRow): Promise<void> {
  let refund = made;
  for (const part of made.legs.keys()) {
    if (currentPart(refund) !== part) return;
    refund = await advanceRefund(deps, store, refund);
  }
}

/**
 * Advances a covered refund by one step: sends the next part, or polls the one under way. The intent is committed first, the
 * provider is called outside any transaction, and its response is applied in another.
 * @returns the refund as it is now
 */
export async function advanceRefund(deps: RefundDeps, store: Store, known: RefundRow): Promise<RefundRow> {
  const index = currentPart(known);
  const next = index === null ? undefined : known.legs[index];
  if (index === null || !next) return known;
  const isPoll = next.status === 'sent';
  // Checked before the part is marked as sent: if the provider cannot be used now, the part stays waiting and becomes due
  // again.
  const { provider: usable, request } = await addressed(deps, store, known, next);
  const provider = must(usable, 'the provider of a refund can be used');
  const refunds = must(provider.refunds, 'the provider of a refund refunds');
  const row = isPoll
    ? known
    : await inTransaction(deps, store, (tx, context) => markSent(tx, context, known, index, (key) => provider.keyOf(key)));
  if (!row) return known;
  const part = row.legs[index] as RefundPart;
  // Marking it as sent may have given it another key.
  const { provider_key, provider_ref } = part;
  const sent = { ...request, provider_key, provider_ref, submitted_at: submittedAt(row, part) };
  // The age of a response is measured from its request, because the response may come much later.
  const asked_at = deps.clock.now();
  const mayResend = () =>
    mayBeSentAgain(provider.capabilities, refunds, part.sent_at === null ? null : Date.parse(part.sent_at), asked_at);
  // A process that was paused here must not send so late that others poll the part, or a person ends it, meanwhile.
  const isLate = asked_at - (sent.submitted_at ?? asked_at) >= SENDING_MS;
  const outcome = isPoll
    ? evidenceOf(await refunds.read(sent), mayResend)
    : answerOf(isLate ? NOT_SENT : await refunds.submit(sent), part, refunds.idempotency ?? provider.capabilities.idempotency);
  const applied = await inTransaction(deps, store, (tx, context) =>
    applyRefund(tx, context, row, index, outcome, provider.capabilities.polls),
  );
  deps.wake.ring(store.environment);
  return applied;
}

/**
 * Returns the outcome of a submission that may be applied. A second submission that is turned away proves nothing about the first one. Its
 * rejection proves nothing about the first one either, unless the provider repeats its first response.
 */
function answerOf(
  outcome: RefundOutcome,
  { resent }: RefundPart,
  idempotency: Provider['capabilities']['idempotency'],
): RefundOutcome {
  const isRejection = outcome.kind === 'failed' || outcome.kind === 'unfunded';
  const provesNothing = outcome.kind === 'unavailable' || (isRejection && idempotency !== 'replays');
  return resent && provesNothing ? { kind: 'unknown', message: outcome.message } : outcome;
}

/** Returns the outcome of a poll that may be applied. A failed poll does not allow the part to be sent again, nor does an early "not found". */
function evidenceOf(outcome: RefundOutcome, mayResend: () => boolean): RefundOutcome {
  if (outcome.kind === 'unavailable') return { kind: 'unknown', message: outcome.message };
  if (outcome.kind === 'not_found' && !mayResend()) return { kind: 'unknown', message: NOT_KNOWN };
  return outcome;
}

/**
 * Reads the state of a refund at the provider, even after the refund has failed here: before money is returned another way, or after a
 * callback about it.
 * @param why after a callback, "not found" soon after the submission is no answer: the provider may not show it yet
 * @returns null when the provider cannot be used at the moment
 */
export async function readRefund(
  deps: RefundDeps,
  store: Store,
  row: RefundRow,
  index: number,
  why: 'before another way' | 'after a callback',
): Promise<RefundOutcome | null> {
  const { provider, request } = await addressed(deps, store, row, must(row.legs[index], 'a refund has this part'));
  if (!provider?.refunds) return null;
  const asked_at = deps.clock.now();
  const outcome = await provider.refunds.read(request);
  if (why === 'before another way' || outcome.kind !== 'not_found') return outcome;
  const isEarly = mayNotBeShownYet(provider.capabilities, request.submitted_at, asked_at);
  return isEarly ? { kind: 'unknown', message: NOT_KNOWN } : outcome;
}

/**
 * Returns the provider of a refund part, undefined if it cannot be used at the moment, and the part as adapters receive it.
 */
async function addressed(
  deps: RefundDeps,
  store: Store,
  row: RefundRow,
  part: RefundPart,
): Promise<{ provider: Provider | undefined; request: Refund }> {
  const { payment, attempt } = await getCapture(store.db, row.team_id, row.payment_id, part.attempt_id);
  const provider = await deps.providers.byAccount(store.environment, row.team_id, attempt.provider_account);
  const request: Refund = {
    refund_id: row.id,
    provider_key: part.provider_key,
    provider_ref: part.provider_ref,
    amount_minor: part.amount_minor,
    currency: row.currency,
    collection: collectionOf(deps, store, payment, attempt),
    callback_url: callbackUrl(deps, attempt.provider_account, row.id),
    submitted_at: submittedAt(row, part),
  };
  return { provider, request };
}

/** Returns when a part was last sent, in milliseconds since the epoch; null if that was not stored. */
function submittedAt(row: RefundRow, { sent_at }: RefundPart): number | null {
  return sent_at === null ? (row.submitted_at?.getTime() ?? null) : Date.parse(sent_at);
}

function inTransaction<T>(
  deps: RefundDeps,
  store: Store,
  work: (tx: Parameters<typeof markSent>[0], context: Parameters<typeof markSent>[1]) => Promise<T>,
): Promise<T> {
  return store.db.transaction((tx) =>
    work(tx, { environment: store.environment, at: deps.clock.now(), listeners: deps.listeners }),
  );
}
