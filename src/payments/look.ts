import type { Deps } from '../deps.ts';
import type { Store } from '../db/stores.ts';
import { must } from '../kit/errors.ts';
import type { Provider, Reading } from '../providers/contract.ts';
import { applyOne } from './charge.ts';
import { collectionOf } from './collection.ts';
import { changeOfReading } from './outcomes.ts';
import type { AttemptRow, PaymentRow } from './schema.ts';
import { findPayment } from './store.ts';

/** Asks the provider what became of an attempt and applies the answer. */
export async function look(deps: Deps, store: Store, attempt: AttemptRow): Promise<void> {
  const { payment, provider } = await partsOf(deps, store, attempt);
  const collection = collectionOf(deps, store, payment, handedOver(attempt));
  // Once the window is over the payer must not be able to pay any more; then the truth is asked for.
  if (provider.cancel && attempt.status === 'open' && payment.expires_at.getTime() <= deps.clock.now()) {
    await provider.cancel(collection);
  }
  await learn(deps, store, payment, attempt, provider, await provider.read(collection));
}

/** Applies what a provider said of an attempt by itself, in a callback it signed. */
export async function hear(deps: Deps, store: Store, attempt: AttemptRow, news: Reading): Promise<void> {
  const { payment, provider } = await partsOf(deps, store, attempt);
  deps.health.heard(provider.account_id, attempt.channel, news);
  await learn(deps, store, payment, attempt, provider, news);
}

async function partsOf(deps: Deps, store: Store, attempt: AttemptRow): Promise<{ payment: PaymentRow; provider: Provider }> {
  const { team_id, payment_id, provider_account } = attempt;
  return {
    provider: must(
      await deps.providers.byAccount(store.environment, team_id, provider_account),
      `provider account ${provider_account} can be used`,
    ),
    payment: must(await findPayment(store.db, team_id, payment_id), 'an attempt has a payment'),
  };
}

async function learn(
  deps: Deps,
  store: Store,
  payment: PaymentRow,
  attempt: AttemptRow,
  provider: Provider,
  reading: Reading,
): Promise<void> {
  const at = deps.clock.now();
  const change = changeOfReading(deps.config, store.environment, payment, attempt, reading, provider.capabilities, at);
  await applyOne(deps, store, change);
}

/** An attempt whose sender died before the answer may have been handed over when it was made. */
function handedOver(attempt: AttemptRow): AttemptRow {
  return { ...attempt, submitted_at: attempt.submitted_at ?? attempt.created_at };
}
