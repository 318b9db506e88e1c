import type { Log } from '../kit/log.ts';
import type { Counted, Limit, Standing } from './counting.ts';
import { MemoryCounters } from './memory.ts';
import { connectionTo } from './redis.ts';
import { SharedCounters } from './shared.ts';

export interface LimitsConfig {
  /** Null: this is the only node. */
  redis_url: string | null;
  redis_timeout_ms: number;
}

/** Where requests are counted now. */
export type CountedWhere = 'this node' | 'redis' | 'this node: redis does not answer';

/**
 * Counts requests: in the memory of this node, or, with a Redis, in counters that all nodes share. The node then keeps in
 * its memory what the shared counters last said, and goes on from there while Redis does not answer.
 */
export class Limits {
  readonly #shared: SharedCounters | null;
  readonly #callers = new MemoryCounters();
  /** Apart: whoever has no key must not make us forget what those with one have used. */
  readonly #strangers = new MemoryCounters();

  constructor({ redis_url, redis_timeout_ms }: LimitsConfig, log: Log) {
    this.#shared = redis_url
      ? new SharedCounters({ connection: connectionTo(redis_url), log, timeout_ms: redis_timeout_ms })
      : null;
  }

  get where(): CountedWhere {
    if (!this.#shared) return 'this node';
    return this.#shared.answering ? 'redis' : 'this node: redis does not answer';
  }

  /** To be called before the first request. */
  async open(): Promise<void> {
    await this.#shared?.open();
  }

  async close(): Promise<void> {
    await this.#shared?.close();
  }

  /** Counts a request in all limits when it passes all of them, otherwise in none. */
  take(limits: readonly Limit[], now: number): Promise<Counted> {
    return this.#take(this.#callers, limits, now);
  }

  /** The same for a request without a valid key. */
  takeStranger(limit: Limit, now: number): Promise<Counted> {
    return this.#take(this.#strangers, [limit], now);
  }

  /** Where the counters stand, without counting. */
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
