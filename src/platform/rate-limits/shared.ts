import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../kit/log.ts';
import { type Counted, type Limit, type Standing, WINDOW_MS } from './counting.ts';
import { within } from './deadline.ts';
import { TAKE, TAKE_SHA1 } from './script.ts';

/** Interval between attempts to reach a Redis that does not respond. */
const RETRY_MS = 500;
const PREFIX = 'pirogue:limits:';

/** Connection to Redis or Valkey, as the counters need it. */
export interface Connection {
  /** Sends one command; rejects immediately while disconnected. */
  send(command: readonly string[]): Promise<unknown>;
  open(): Promise<void>;
  close(): void;
}

export interface SharedOptions {
  connection: Connection;
  log: Log;
  /** Maximum wait of a request for Redis. */
  timeout_ms: number;
}

/**
 * Counters shared by all nodes, with one round trip per request. When Redis fails or is late, the result is null and the
 * caller counts locally. No request waits for Redis again until it has responded to a probe in time.
 */
export class SharedCounters {
  readonly #connection: Connection;
  readonly #log: Log;
  readonly #timeout_ms: number;
  #answering = false;
  #closed = false;
  /** Probes that run while Redis does not respond. */
  #returning: Promise<void> = Promise.resolve();

  constructor({ connection, log, timeout_ms }: SharedOptions) {
    this.#connection = connection;
    this.#log = log;
    this.#timeout_ms = timeout_ms;
  }

  get answering(): boolean {
    return this.#answering;
  }

  /** Connects. Also resolves when Redis is unreachable; it is then retried until it responds. */
  async open(): Promise<void> {
    await this.#connection.open();
    if (await this.#try()) this.#answering = true;
    else this.#lose(new Error('it cannot be reached'));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#connection.close();
    await this.#returning;
  }

  /**
   * Counts a request.
   * @returns null when Redis did not respond; whether it counted is unknown
   */
  async take(limits: readonly Limit[], now: number): Promise<Counted | null> {
    const answer = await this.#ask(limits, true);
    if (!answer) return null;
    const tripped = (answer[0] as number) - 1;
    return { tripped: tripped === -1 ? null : tripped, standings: standingsOf(answer, now) };
  }

  /**
   * Returns the state of the counters, without counting.
   * @returns null when Redis did not respond
   */
  async look(limits: readonly Limit[], now: number): Promise<Standing[] | null> {
    const answer = await this.#ask(limits, false);
    return answer && standingsOf(answer, now);
  }

  async #ask(limits: readonly Limit[], counting: boolean): Promise<number[] | null> {
    if (!this.#answering) return null;
    try {
      return await within(this.#timeout_ms, this.#run(limits, counting));
    } catch (error) {
      if (this.#answering) this.#lose(error as Error);
      return null;
    }
  }

  /** Runs the script by its digest, which is all that is sent once Redis has loaded the script. */
  async #run(limits: readonly Limit[], counting: boolean): Promise<number[]> {
    const rest = [
      String(limits.length),
      ...limits.map(({ name }) => PREFIX + name),
      ...limits.map(({ ceiling }) => String(ceiling)),
      String(WINDOW_MS),
      counting ? '1' : '0',
    ];
    try {
      return (await this.#connection.send(['EVALSHA', TAKE_SHA1, ...rest])) as number[];
    } catch (error) {
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      return (await this.#connection.send(['EVAL', TAKE, ...rest])) as number[];
    }
  }

  #lose(error: Error): void {
    this.#answering = false;
    if (this.#closed) return;
    this.#log.warn({ err: error }, 'rate limits: Redis does not answer, this node goes by its own counters');
    this.#returning = this.#comeBack();
  }

  async #comeBack(): Promise<void> {
    do {
      await sleep(RETRY_MS, undefined, { ref: false });
      if (this.#closed) return;
    } while (!(await this.#try()));
    this.#answering = true;
    this.#log.info('rate limits: Redis answers, counters are shared again');
  }

  /**
   * Probes with a counted write, because a read-only Redis (a replica, a full one) is of no use. Waits for the response
   * without a deadline: as nothing else is sent, the connection itself detects that it is dead.
   */
  async #try(): Promise<boolean> {
    const since = performance.now();
    try {
      await this.#run([{ name: 'try', ceiling: Number.MAX_SAFE_INTEGER }], true);
      return performance.now() - since <= this.#timeout_ms;
    } catch {
      return false;
    }
  }
}

function standingsOf(answer: readonly number[], now: number): Standing[] {
  return Array.from({ length: (answer.length - 1) / 2 }, (_, index) => {
    const left_ms = answer[2 * index + 2] as number;
    return { count: answer[2 * index + 1] as number, resets_at: now + (left_ms < 0 ? WINDOW_MS : left_ms) };
  });
}
