import { sha256Base64 } from '../../kit/crypto.ts';
import { payerKey } from '../customers/payer.ts';
import type { Inserted, NewPayment } from './create-store.ts';

/** Maximum number of entries; about 10 MB. */
const MAX = 100_000;

/**
 * Payers for whom this process has seen a customer record, so that the faster insert statement is enough; stored as hashes
 * only. A wrong entry costs one extra round trip and has no other effect.
 */
export class KnownPayers {
  readonly #known = new Set<string>();

  /** Whether all payers of the payments are known. */
  covers(payments: readonly NewPayment[]): boolean {
    return payments.every(({ team_id, payer }) => !payer || this.#known.has(sha256Base64(payerKey(team_id, payer))));
  }

  /** Updates the set from payments whose customers were found or created. */
  learn(payments: readonly NewPayment[], made: ReadonlyMap<string, Inserted>): void {
    if (this.#known.size > MAX) this.#known.clear();
    for (const { id, team_id, payer } of payments) {
      const inserted = made.get(id);
      if (!payer || !inserted) continue;
      const hash = sha256Base64(payerKey(team_id, payer));
      if (inserted === 'blocked') this.#known.delete(hash);
      else this.#known.add(hash);
    }
  }
}
