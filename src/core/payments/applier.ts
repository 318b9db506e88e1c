import { partFor, type Store } from '../../platform/db/stores.ts';
import { Batcher } from '../../kit/batch.ts';
import type { Clock } from '../../kit/clock.ts';
import { must } from '../../kit/errors.ts';
import type { Wake } from '../../platform/work/wake.ts';
import { apply } from './apply.ts';
import type { Applied, Change, Report } from './change.ts';
import type { PaymentListener } from './listeners.ts';

const MAX_TOGETHER = 64;
/** Maximum concurrent transactions. One that waits for a row lock of a refund must not stop the others. */
const IN_FLIGHT = 4;

/**
 * Applies single changes; each is committed when its promise resolves. Changes that arrive while others are being written share
 * one transaction, which triples the rate at which one merchant's payments can be posted (docs/performance/postings.md). Two
 * changes of the same payment never share a transaction.
 */
export class Applier {
  readonly #clock: Clock;
  readonly #listeners: readonly PaymentListener[];
  readonly #batchers = new WeakMap<Store, Batcher<Change | Report, Applied>>();

  constructor(clock: Clock, listeners: readonly PaymentListener[]) {
    this.#clock = clock;
    this.#listeners = listeners;
  }

  /**
   * Applies a change or report and commits it. A change that no longer applies changes nothing.
   * @returns the payment and its attempts as they are after the change
   */
  apply(store: Store, change: Change | Report): Promise<Applied> {
    const whole = store.whole ?? store;
    let batcher = this.#batchers.get(whole);
    if (!batcher) {
      batcher = this.#batcherOf(store);
      this.#batchers.set(whole, batcher);
    }
    return batcher.add(change);
  }

  #batcherOf(store: Store): Batcher<Change | Report, Applied> {
    return new Batcher({
      max: MAX_TOGETHER,
      inFlight: IN_FLIGHT,
      exclusive: ({ payment_id }) => [payment_id],
      run: async (changes) => {
        const context = { environment: store.environment, at: this.#clock.now(), listeners: this.#listeners };
        const teams = changes.map(({ team_id }) => team_id);
        const { db } = store.whole ? partFor(store.whole, teams) : store;
        const applied = await db.transaction((tx) => apply(tx, context, changes), 'by_key');
        return changes.map(({ payment_id }) => must(applied.get(payment_id), 'the payment exists'));
      },
    });
  }
}

/** Applies and commits one change, possibly in one transaction with others, and wakes the workers of the environment. */
export async function applyOne(deps: { applier: Applier; wake: Wake }, store: Store, change: Change | Report): Promise<Applied> {
  const applied = await deps.applier.apply(store, change);
  deps.wake.ring(store.environment);
  return applied;
}
