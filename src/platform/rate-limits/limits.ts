import type { Log } from '../../kit/log.ts';
import type { Counted, Limit, Standing } from './counting.ts';
import { MemoryCounters } from './memory.ts';
import { connectionTo } from './redis.ts';
import { SharedCounters } from './shared.ts';

export interface LimitsConfig {
  /** Null: this is the only node. */
  redis_url: string | null;
  redis_timeout_ms: number;
}

/** Where requests are counted at the moment. */
export type CountedWhere = 'this node' | 'redis' | 'this node: redis does not answer';

/**
 * Counts requests: in the memory of this node, or, with Redis, in counters shared by all nodes. The node then keeps the last
 * values of the shared counters in memory, and continues from them while Redis does not respond.
 */
export class Limits {
  readonly #shared: SharedCounters | null;
  readonly #callers = new MemoryCounters();
  /** Separate, so that unauthenticated callers cannot evict the counters of authenticated ones. */
  readonly #unauthenticated = new MemoryCounters();

  constructor({ redis_url, redis_timeout_ms }: LimitsConfig, log: Log) {
    this.#shared = redis_url
      ? new SharedCounters({ connection: connectionTo(redis_url), log, timeout_ms: redis_timeout_ms })
      : null;
  }

  get where(): CountedWhere {
    if (!this.#shared) return 'this node';
    return this.#shared.answering ? 'redis' : 'this node: redis does not answer';
  }

  /** Connects to Redis. Called before the first request. */
  async open(): Promise<void> {
    await this.#shared?.open();
  }

  async close(): Promise<void> {
    await this.#shared?.close();
  }

  /**
   * Counts a request in all limits when it passes all of them, otherwise in none.
   * @param now milliseconds since the epoch
   */
  take(limits: readonly Limit[], now: number): Promise<Counted> {
    return this.#take(this.#callers, limits, now);
  }

  /**
   * Counts a request without a valid key.
   * @param now milliseconds since the epoch
   */
  takeUnauthenticated(limit: Limit, now: number): Promise<Counted> {
    return this.#take(this.#unauthenticated, [limit], now);
  }

  /** Returns the state of the counters, without counting. */
  async look(limits: readonly Limit[], now: number): Promise<Standing[]> {
    return (await this.#shared?.look(limits, now)) ?? this.#callers.look(limits, now);
  }

  async #take(own: MemoryCounters, limits: readonly Limit[], now: number): Promise<Counted> {
    const counted = await this.#shared?.take(limits, now);
    if (!counted) return own.take(limits, now);
    own.learn(limits, counted.standings, now);
    return counted;
  }
}
