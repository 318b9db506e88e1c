import { sha256 } from '../../kit/crypto.ts';
import { payerKey } from '../customers/payer.ts';
import type { Inserted, NewPayment } from './create-store.ts';

/** Number of places: a power of two. They take half a megabyte, however many payers there are. */
const PLACES = 2 ** 17;

/**
 * Payers for whom this process has seen a customer record, so that the faster insert statement is enough; stored as parts of hashes
 * only. A wrong entry costs one extra round trip and has no other effect.
 */
export class KnownPayers {
  /** For each place a part of the hash of one payer; 0: none. A payer takes the place of an earlier one whose hash leads there. */
  readonly #marks = new Uint32Array(PLACES);

  /** Whether all payers of the payments are known. */
  covers(payments: readonly Pick<NewPayment, 'team_id' | 'payer'>[]): boolean {
    return payments.every(({ team_id, payer }) => {
      if (!payer) return true;
      const { place, mark } = entryOf(payerKey(team_id, payer));
      return this.#marks[place] === mark;
    });
  }

  /** Updates the entries from payments whose customers were found or created. */
  learn(payments: readonly Pick<NewPayment, 'id' | 'team_id' | 'payer'>[], made: ReadonlyMap<string, Inserted>): void {
    for (const { id, team_id, payer } of payments) {
      const inserted = made.get(id);
      if (!payer || !inserted) continue;
      const { place, mark } = entryOf(payerKey(team_id, payer));
      if (inserted !== 'blocked') this.#marks[place] = mark;
      else if (this.#marks[place] === mark) this.#marks[place] = 0;
    }
  }
}

function entryOf(key: string): { place: number; mark: number } {
  const hash = sha256(key);
  return { place: hash.readUInt32LE(0) % PLACES, mark: hash.readUInt32LE(4) || 1 };
}
