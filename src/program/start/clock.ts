import { type Config, ConfigError, type DatabaseUrls } from '../../platform/config/config.ts';
import { DatabaseClock, readTime, setClockSpeed } from '../../platform/db/clock.ts';
import { APP_ROLE, type DbPool, openPool } from '../../platform/db/pool.ts';
import type { Log } from '../../kit/log.ts';
import type { Databases } from './databases.ts';

const READ_TIMEOUT_MS = 2_000;

/**
 * Opens the clock of the live database over a dedicated connection, because a busy pool would delay its readings. The other
 * databases are expected to have the same time (`pirogue doctor` compares them).
 * @throws ConfigError in production, when a database does not have the real time
 */
export async function openClock(config: Config, { urls, service_urls }: Databases, log: Log): Promise<DatabaseClock> {
  await setClocks(config, urls, log);
  const pool = openPool({ url: service_urls.live, size: 1, log, role: APP_ROLE, statement_ms: READ_TIMEOUT_MS });
  try {
    return await DatabaseClock.open({ read: () => readTime(pool), log, speed: config.hasten?.speed ?? 1, close: pool.close });
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** Outside production, CLOCK_SPEED sets the time of all three databases; without it, a changed time is left as it is. */
async function setClocks({ hasten, profile }: Config, urls: DatabaseUrls, log: Log): Promise<void> {
  const one = ([name, url]: [string, string]) =>
    withOwner(url, log, async (owner) => {
      if (hasten) await setClockSpeed(owner, hasten.speed, hasten.from);
      const { plain } = await readTime(owner);
      if (plain || hasten) return;
      const found = `the clock of the database ${name} is modified by CLOCK_SPEED`;
      if (profile === 'production') throw new ConfigError(`${found}, and PROFILE=production requires real time`);
      log.warn(`${found}; a start with CLOCK_SPEED=off restores real time`);
    });
  await Promise.all(Object.entries(urls).map(one));
}

async function withOwner(url: string, log: Log, work: (owner: DbPool) => Promise<void>): Promise<void> {
  const owner = openPool({ url, size: 1, log });
  try {
    await work(owner);
  } finally {
    await owner.close();
  }
}
