import type { Clock } from '../../kit/clock.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Balance } from './schema.ts';

/** Balances are cached for 3 minutes (docs/contract/money.md). */
const FRESH_MS = 180_000;
const MAX_KEPT = 10_000;

/** The key of a cached balance. */
export interface BalanceKey {
  environment: Environment;
  team_id: bigint;
  currency: string;
  /** A connected subaccount; null is the team itself. */
  account_id: string | null;
}

/** A cache of balances: in this process, or shared by all processes. */
export interface BalanceCache {
  /**
   * Returns the cached balance, or reads it.
   * @param read reads the ledger; called when no fresh balance is cached; its failures are not cached
   */
  get(key: BalanceKey, read: () => Promise<Balance>): Promise<Balance>;
}

interface Kept {
  balance: Balance;
  read_at: number;
}

/** A cache in the memory of one process, for a bounded number of balances. */
export class MemoryBalanceCache implements BalanceCache {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock, most = MAX_KEPT) {
    this.#clock = clock;
    this.#most = most;
  }

  async get(key: BalanceKey, read: () => Promise<Balance>): Promise<Balance> {
    const { environment, team_id, currency, account_id } = key;
    // An empty account id is not the team itself.
    const name = JSON.stringify([environment, String(team_id), currency, account_id]);
    const read_at = this.#clock.now();
    const kept = this.#kept.get(name);
    if (kept && read_at >= kept.read_at && read_at - kept.read_at < FRESH_MS) return kept.balance;
    const balance = await read();
    this.#keep(name, { balance, read_at });
    return balance;
  }

  /** Stores a balance; when the cache is full, the one read longest ago is removed. */
  #keep(name: string, kept: Kept): void {
    this.#kept.delete(name);
    if (this.#kept.size >= this.#most) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#kept.set(name, kept);
  }
}
