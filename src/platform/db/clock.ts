import { type Clock, systemClock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import { type Queryable, sql } from '../../kit/sql.ts';

const READ_EVERY_MS = 1_000;
/** Maximum age of a reading for a time-dependent decision; an older one is renewed first. */
const MAX_AGE_MS = 5_000;
/** Readings with a longer round trip are discarded, because the process or its machine may have been suspended meanwhile. */
const MAX_ROUND_TRIP_MS = 2_000;
/**
 * A backward step of up to this much is hidden: the time stands still until it catches up. A larger step means that the
 * database's clock was set.
 */
const MAX_BACKWARDS_MS = 1_000;
const SKEW_WARN_MS = 2_000;

/** Time reported by a database. */
export interface TimeReading {
  /** `pirogue_now()`, in milliseconds since the epoch. */
  now_ms: number;
  /** The server's own clock: equal to `now_ms`, unless CLOCK_SPEED has moved the time. */
  server_ms: number;
  /** Whether `pirogue_now()` is the server's own clock, as production requires. */
  plain: boolean;
}

/** Reads the time of a database. */
export async function readTime(db: Queryable): Promise<TimeReading> {
  const [row] = await db.all<TimeReading>(sql`
    select (extract(epoch from pirogue_now()) * 1000)::float8 as now_ms,
      (extract(epoch from statement_timestamp()) * 1000)::float8 as server_ms,
      pirogue_now() = statement_timestamp() as plain`);
  return row as TimeReading;
}

/**
 * Accelerates the time of one database from a given moment, for all its processes and across their restarts. Speed 1 is real
 * time. Requires the owner's connection; never used in production.
 * @param speed factor
 * @param from milliseconds since the epoch
 */
export async function setClockSpeed(owner: Queryable, speed: number, from: number): Promise<void> {
  const from_s = Number(from) / 1000;
  const faster = `to_timestamp(${from_s} + (extract(epoch from statement_timestamp())::float8 - ${from_s}) * ${Number(speed)})`;
  const body = speed === 1 ? 'statement_timestamp()' : faster;
  const text = `create or replace function pirogue_now() returns timestamptz language sql stable parallel safe as 'select ${body}'`;
  await owner.run({ text, values: [] });
}

export interface DatabaseClockParts {
  read: () => Promise<TimeReading>;
  /** Closes the connection that `read` uses. */
  close?: () => Promise<void>;
  log: Log;
  /** Factor by which the database's time is faster than real time. */
  speed?: number;
  /** This machine's clock, used only for comparison. */
  system?: Clock;
  /** Milliseconds since an arbitrary start, at the pace of real time. */
  monotonic?: () => number;
}

/**
 * The database's time without a round trip: its last reading plus the time elapsed since on the monotonic clock. It is read
 * again every second, so nodes agree to within a round trip, however their own clocks are set.
 */
export class DatabaseClock implements Clock {
  readonly #parts: Required<DatabaseClockParts>;
  /** Offset to add to the monotonic clock. */
  #offset_ms = 0;
  #last = 0;
  #read_at = Number.NEGATIVE_INFINITY;
  /** Start of the last reading that failed or was discarded. */
  #failed_at = Number.NEGATIVE_INFINITY;
  #skew_ms = 0;
  #reported_skew_ms = 0;
  /** Difference between the machine's clock and the monotonic clock at the last reading. */
  #drift_ms = 0;
  #reading: Promise<void> | undefined;
  /** Whether a caller has waited for a reading without success since the last one. */
  #isSilent = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(parts: DatabaseClockParts) {
    this.#parts = { speed: 1, system: systemClock, monotonic: () => performance.now(), close: async () => {}, ...parts };
  }

  /**
   * Reads the time, then keeps reading it until {@link close}.
   * @throws what the first reading throws
   */
  static async open(parts: DatabaseClockParts): Promise<DatabaseClock> {
    const clock = new DatabaseClock(parts);
    // The first reading also opens the connection, so it is not used for the time.
    await parts.read();
    await clock.#read();
    clock.#timer = setInterval(() => void clock.#readQuietly(), READ_EVERY_MS).unref();
    return clock;
  }

  now(): number {
    const now = Math.floor(this.#offset_ms + this.#scaled());
    if (now < this.#last && this.#last - now <= MAX_BACKWARDS_MS) return this.#last;
    this.#last = now;
    return now;
  }

  /**
   * Renews a stale reading. While the database does not respond, the time continues on the monotonic clock and callers share
   * one reading per second. They wait for it once: an outage of this database must not delay work on another. After the machine slept, each
   * waits, because the time is wrong until it is read.
   */
  refresh(): Promise<void> | undefined {
    if (!this.#isStale() || (this.#isSilent && !this.#hasJumped())) return undefined;
    const isDue = this.#parts.monotonic() - this.#failed_at >= READ_EVERY_MS;
    const reading = isDue ? this.#readQuietly() : this.#reading;
    return reading && Promise.race([reading, this.#patience(reading)]);
  }

  /** Ends after the longest time for which a caller waits for a reading. */
  async #patience(reading: Promise<void>): Promise<void> {
    await new Promise<void>((resolve) => setTimeout(resolve, MAX_ROUND_TRIP_MS).unref());
    if (this.#reading === reading) this.#isSilent = true;
  }

  skew_ms(): number {
    return this.#skew_ms;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#parts.close();
  }

  #scaled(): number {
    return this.#parts.monotonic() * this.#parts.speed;
  }

  #isStale(): boolean {
    return this.#parts.monotonic() - this.#read_at > MAX_AGE_MS || this.#hasJumped();
  }

  /** Whether the machine slept (which the monotonic clock may not count) or its clock was set since the last reading. */
  #hasJumped(): boolean {
    const { monotonic, system } = this.#parts;
    return Math.abs(system.now() - monotonic() - this.#drift_ms) > SKEW_WARN_MS;
  }

  #readQuietly(): Promise<void> {
    this.#reading ??= this.#read()
      .catch((err) => this.#parts.log.debug({ err }, "the database's clock could not be read; it will be tried again"))
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { monotonic, read, system, speed } = this.#parts;
    const sent = monotonic();
    this.#failed_at = sent;
    const reading = await read();
    const received = monotonic();
    if (received - sent > MAX_ROUND_TRIP_MS && this.#read_at > Number.NEGATIVE_INFINITY) return;
    this.#follow(reading.now_ms, sent * speed, received * speed);
    this.#read_at = received;
    this.#isSilent = false;
    this.#failed_at = Number.NEGATIVE_INFINITY;
    this.#drift_ms = system.now() - received;
    this.#judgeSkew(system.now() - (received - sent) / 2 - reading.server_ms);
  }

  /**
   * Adjusts the offset to a reading. The database read its clock at some moment between sending and receiving. An offset
   * within that interval is kept; another is moved to the nearest bound, so a slow response does not reduce the accuracy.
   */
  #follow(now_ms: number, sent: number, received: number): void {
    if (this.#read_at === Number.NEGATIVE_INFINITY) {
      this.#offset_ms = now_ms - (sent + received) / 2;
      return;
    }
    const before = this.#offset_ms;
    this.#offset_ms = Math.min(Math.max(before, now_ms - received), now_ms - sent);
    const by_ms = Math.round(this.#offset_ms - before);
    if (Math.abs(by_ms) > MAX_BACKWARDS_MS * this.#parts.speed) {
      this.#parts.log.warn({ by_ms }, "the database's clock was set, or another database has taken over; its time is followed");
    }
  }

  /** Logs one line per change of the skew, not per reading. */
  #judgeSkew(skew_ms: number): void {
    this.#skew_ms = Math.round(skew_ms);
    if (Math.abs(this.#skew_ms - this.#reported_skew_ms) <= SKEW_WARN_MS) return;
    const wrong = Math.abs(this.#skew_ms) > SKEW_WARN_MS;
    this.#reported_skew_ms = wrong ? this.#skew_ms : 0;
    const { log } = this.#parts;
    if (wrong) log.warn({ skew_ms: this.#skew_ms }, "this machine's clock and the database's differ; the database's decides");
    else log.info({ skew_ms: this.#skew_ms }, "this machine's clock and the database's agree again");
  }
}
