import type { Store } from '../../platform/db/stores.ts';
import { must } from '../../kit/errors.ts';
import type { Provider, Reading } from '../../providers/adapters/contract.ts';
import { applyOne } from '../payments/applier.ts';
import type { Applied, Report } from '../payments/change.ts';
import { collectionOf } from './collection.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { change } from './outcomes.ts';
import { type PollContext, reportOfReading } from './reports.ts';
import { type AttemptRow, isOpen } from '../attempts/schema.ts';
import { NO_PROVIDER } from '../../providers/adapters/polling.ts';
import type { PaymentRow } from '../payments/schema.ts';
import { readPayment } from './read.ts';

const WITHDRAWN = { reason: 'payer_declined', message: 'cancelled by the payer' } as const;

/**
 * Polls the provider for the outcome of an attempt and applies the result.
 * @throws an error when the attempt is open and the provider account can no longer be used
 */
export async function pollAttempt(deps: PaymentDeps, store: Store, attempt: AttemptRow): Promise<void> {
  const account = await accountOf(deps, store, attempt);
  if (!account && !isOpen(attempt)) return applyUnreadable(deps, store, attempt);
  const provider = must(account, usable(attempt));
  const payment = await paymentOf(deps, store, attempt);
  const collection = collectionOf(deps, store, payment, asPossiblySent(attempt));
  const polled_at = deps.clock.now();
  // After the payment window the payer must not be able to pay any more, so the attempt is cancelled before it is polled.
  if (provider.cancel && attempt.status === 'open' && payment.expires_at.getTime() <= polled_at) {
    await provider.cancel(collection);
  }
  const reading = await provider.read(collection);
  const { capabilities } = provider;
  const place = { config: deps.config, environment: store.environment };
  const poll: PollContext = { capabilities, polled_at, due: attempt.next_poll_at, is_asked: true };
  await applyOne(deps, store, reportOfReading(place, attempt, reading, poll));
}

/**
 * Applies to a closed attempt that its account can no longer be used: the attempt is polled no longer than one whose status cannot be
 * read. An open attempt of such an account needs a manual resolution.
 */
async function applyUnreadable(deps: PaymentDeps, store: Store, attempt: AttemptRow): Promise<void> {
  const place = { config: deps.config, environment: store.environment };
  const reading: Reading = { kind: 'unreadable', message: 'the provider account can no longer be used' };
  const poll = { capabilities: NO_PROVIDER, polled_at: deps.clock.now(), due: attempt.next_poll_at };
  await applyOne(deps, store, reportOfReading(place, attempt, reading, poll));
}

/** Whether the attempt can be cancelled: its provider has the request and can cancel it, or has nothing yet. */
export async function isCancellable(deps: PaymentDeps, store: Store, attempt: AttemptRow): Promise<boolean> {
  if (attempt.status !== 'open') return false;
  const provider = await accountOf(deps, store, attempt);
  return provider !== undefined && (provider.cancel !== undefined || isUnsent(provider, attempt));
}

/** Whether the attempt waits for a code with which the provider gets it, and none may have been sent. */
function isUnsent({ capabilities }: Provider, { status, action, unanswered_step_at }: AttemptRow): boolean {
  return capabilities.code_first === true && status === 'open' && action?.kind === 'otp' && unanswered_step_at === null;
}

/** Ends an attempt that its provider does not have, under the locks under which a code is stored before it is sent. */
function withdraw(deps: PaymentDeps, store: Store, provider: Provider, known: AttemptRow): Promise<Applied> {
  const { team_id, payment_id, id: attempt_id } = known;
  const { reason, message } = WITHDRAWN;
  const judge: Report['judge'] = (_, attempt, __, at) => {
    if (!isUnsent(provider, attempt)) return { team_id, payment_id, occurrences: [] };
    const update = { status: 'cancelled', reason, message, next_poll_at: null, closed_at: new Date(at) } as const;
    return change(attempt, update, [{ kind: 'payer_cancelled', reason, message, channel: attempt.channel }]);
  };
  return applyOne(deps, store, { team_id, payment_id, attempt_id, judge });
}

/**
 * Asks the provider to cancel an open attempt for the payer, then applies what the provider reports about it. The provider's
 * status decides: a payer who confirmed in the meantime has paid. An attempt that the provider does not have is ended without a request.
 * @returns the payment after it; undefined when the attempt is open and its provider cannot cancel
 */
export async function cancelAttempt(deps: PaymentDeps, store: Store, attempt: AttemptRow): Promise<Applied | undefined> {
  const { payment, provider } = await partsOf(deps, store, attempt);
  if (isUnsent(provider, attempt)) {
    const applied = await withdraw(deps, store, provider, attempt);
    const isStillOpen = applied.attempts.some((other) => other.id === attempt.id && isOpen(other));
    if (!isStillOpen) return applied;
    // A code came first, so the provider may have the attempt now.
  }
  if (!provider.cancel) return undefined;
  const collection = collectionOf(deps, store, payment, asPossiblySent(attempt));
  const { kind } = await provider.cancel(collection);
  const polled_at = deps.clock.now();
  const reading = await provider.read(collection);
  // A provider reports a cancelled request in the same way as an expired one.
  const isWithdrawn = kind === 'cancelled' && reading.kind === 'expired';
  const ended: Reading = isWithdrawn ? { kind: 'cancelled', ...WITHDRAWN } : reading;
  const { capabilities } = provider;
  const place = { config: deps.config, environment: store.environment };
  return applyOne(deps, store, reportOfReading(place, attempt, ended, { capabilities, polled_at, due: attempt.next_poll_at }));
}

/** Applies the result that a provider reported in a signed callback. */
export async function applyCallback(deps: PaymentDeps, store: Store, attempt: AttemptRow, reading: Reading): Promise<void> {
  const provider = must(await accountOf(deps, store, attempt), usable(attempt));
  deps.health.recordReading(provider.account_id, attempt, reading);
  const { capabilities } = provider;
  const place = { config: deps.config, environment: store.environment };
  await applyOne(deps, store, reportOfReading(place, attempt, reading, { capabilities, polled_at: deps.clock.now(), due: null }));
}

async function partsOf(
  deps: PaymentDeps,
  store: Store,
  attempt: AttemptRow,
): Promise<{ payment: PaymentRow; provider: Provider }> {
  const provider = must(await accountOf(deps, store, attempt), usable(attempt));
  return { provider, payment: await paymentOf(deps, store, attempt) };
}

function accountOf(deps: PaymentDeps, store: Store, attempt: AttemptRow): Promise<Provider | undefined> {
  return deps.providers.byAccount(store.environment, attempt.team_id, attempt.provider_account);
}

function usable({ provider_account }: AttemptRow): string {
  return `provider account ${provider_account} can be used`;
}

async function paymentOf(deps: PaymentDeps, store: Store, { team_id, payment_id }: AttemptRow): Promise<PaymentRow> {
  return must(await readPayment(deps, store, { team_id, id: payment_id }), 'an attempt has a payment');
}

/** Returns the attempt as possibly sent at its creation: its process may have died between sending and storing the response. */
function asPossiblySent(attempt: AttemptRow): AttemptRow {
  return { ...attempt, submitted_at: attempt.submitted_at ?? attempt.created_at };
}
