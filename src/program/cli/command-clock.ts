import { readTime } from '../../platform/db/clock.ts';
import { type Clock, systemClock } from '../../kit/clock.ts';
import { pgCode, type Queryable } from '../../kit/sql.ts';

const UNDEFINED_FUNCTION = '42883';

/** Clock of a command: the database's from the first connection on, this machine's before. */
class CommandClock implements Clock {
  #reading: { now_ms: number; read_at: number } | undefined;

  now(): number {
    const known = this.#reading;
    return known ? Math.floor(known.now_ms + performance.now() - known.read_at) : systemClock.now();
  }

  async follow(db: Queryable): Promise<void> {
    try {
      const { now_ms } = await readTime(db);
      this.#reading = { now_ms, read_at: performance.now() };
    } catch (error) {
      // The database is not migrated yet, so it has no clock function. No decision depends on the time then.
      if (pgCode(error) !== UNDEFINED_FUNCTION) throw error;
    }
  }
}

/** The clock of the process, which runs a single command. */
export const commandClock = new CommandClock();
