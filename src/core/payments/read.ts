import { Batcher } from '../../kit/batch.ts';
import { notFound } from '../../kit/errors.ts';
import { isId } from '../../kit/ids.ts';
import { partFor, type WholeStore } from '../../platform/db/stores.ts';
import type { PaymentRef } from './store.ts';
import { findManyWithAttempts, type PaymentWithAttempts } from './view-store.ts';

/** Reads single payments of one store. Under load many share one statement (kit/batch.ts). */
export class PaymentReader {
  readonly #store: WholeStore;
  readonly #batcher: Batcher<PaymentRef, PaymentWithAttempts | undefined>;

  constructor(store: WholeStore) {
    this.#store = store;
    this.#batcher = new Batcher({
      max: 64,
      inFlight: 2,
      exclusive: () => [],
      run: (refs) => {
        const { db } = partFor(
          store,
          refs.map(({ team_id }) => team_id),
        );
        return findManyWithAttempts(db, refs);
      },
    });
  }

  /**
   * Returns a payment with its attempts, as of a moment after the call.
   * @throws Problem 404, the same for an unknown id, another team's and another environment's
   */
  async read(team_id: bigint, id: string): Promise<PaymentWithAttempts> {
    const found = isId('trx', this.#store.environment, id) ? await this.#batcher.add({ team_id, id }) : undefined;
    if (!found) throw notFound('Payment');
    return found;
  }
}
