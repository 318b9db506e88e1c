import type { WholeStore } from '../../platform/db/stores.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { FoundKey } from '../keys/ring.ts';
import { insertMailInTurn } from './store.ts';

const REST_MS = 3_600_000;
const MAX_KEYS = 10_000;

type Parts = { stores: Record<Environment, Pick<WholeStore, 'of'>>; clock: Clock; log: Log };

/**
 * Notifies the owner of a secret key that it is used in a page: at most one mail per hour and key, whichever nodes detect it.
 * The request does not wait for the mail, and is not affected when the mail cannot be queued.
 */
export class KeyAlerts {
  readonly #parts: Parts;
  /** Keys reported by this node, so that a page with many visitors does not query the database each time. */
  readonly #reportedAt = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  raise({ id, last4, team_id, environment }: Pick<FoundKey, 'id' | 'last4' | 'team_id' | 'environment'>): void {
    const { stores, clock, log } = this.#parts;
    const now = clock.now();
    if (now - (this.#reportedAt.get(id) ?? Number.NEGATIVE_INFINITY) < REST_MS) return;
    if (this.#reportedAt.size >= MAX_KEYS) this.#reportedAt.clear();
    this.#reportedAt.set(id, now);
    const mail = { team_id, kind: 'secret_key_in_browser', facts: { key_id: id, last4 } } as const;
    insertMailInTurn(stores[environment].of(team_id).db, mail, `secret_key_in_browser ${id}`, REST_MS).catch((err) => {
      this.#reportedAt.delete(id);
      log.error({ err, key_id: id }, 'the mail about a secret key in a browser could not be queued');
    });
  }
}
