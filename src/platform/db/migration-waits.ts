import { connectClient, type DbClient } from './client.ts';

const HEAD_LENGTH = 100;
/** Number of times that the sessions are read within one wait for a lock. */
const LOOKS_PER_WAIT = 4;

/** A session that holds a lock a migration waits for. */
export interface Blocker {
  pid: number;
  user: string | null;
  application: string | null;
  state: string | null;
  /** Age of its transaction in seconds. */
  age_s: number;
  /** Beginning of its last statement, without values. */
  query: string;
}

export interface BlockerWatch {
  /** Returns the sessions that blocked the connection when it last waited. */
  last(): Promise<Blocker[]>;
  close(): Promise<void>;
}

/**
 * Reads over a second connection which sessions block the first. The sessions are read during a wait, because they are not available
 * after it. A migration that ends before the first read needs no second connection.
 */
export function watchBlockers(client: DbClient, url: string, lock_timeout_ms: number): BlockerWatch {
  const pid = (client as unknown as { processID: number }).processID;
  let found: Blocker[] = [];
  let connection: Promise<DbClient> | undefined;
  let looking = Promise.resolve();
  const look = async () => {
    try {
      connection ??= connectClient(url);
      const blockers = await blockersOf(await connection, pid);
      if (blockers.length > 0) found = blockers;
    } catch {
      // Without a second connection the message lacks the names of the sessions.
    }
  };
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, lock_timeout_ms / LOOKS_PER_WAIT);
  return {
    last: async () => {
      await looking;
      return found;
    },
    close: async () => {
      clearInterval(timer);
      await looking;
      await connection?.then((opened) => opened.end()).catch(() => {});
    },
  };
}

async function blockersOf(client: DbClient, pid: number): Promise<Blocker[]> {
  const { rows } = await client.query<Blocker>(
    `select pid, usename as user, application_name as application, state, query,
       round(extract(epoch from clock_timestamp() - xact_start))::integer as age_s
     from pg_stat_activity where pid = any (pg_blocking_pids($1)) order by xact_start`,
    [pid],
  );
  return rows.map((row) => ({ ...row, query: headOf(row.query) }));
}

/** Returns the beginning of a statement. Its values may be those of a payer, and are left out. */
export function headOf(query: string): string {
  return query
    .replaceAll(/\/\*[\s\S]*?(?:\*\/|$)|--.*$/gm, ' ')
    .replaceAll(/'(?:[^'\\]|''|\\[\s\S])*(?:'|$)/g, '?')
    .replaceAll(/\$(\w*)\$[\s\S]*?(?:\$\1\$|$)/g, '?')
    .replaceAll(/(?<![\w$])[\d.]+\w*/g, '?')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, HEAD_LENGTH);
}

/** Returns the sessions as text for a log line or an error. */
export function describe(blockers: readonly Blocker[]): string {
  if (blockers.length === 0) return 'the session that holds the lock has ended or cannot be seen';
  return blockers
    .map(
      ({ pid, user, application, state, age_s, query }) =>
        `pid ${pid} (${[user, application, state].filter(Boolean).join(', ')}), transaction of ${age_s} s: ${query}`,
    )
    .join('; ');
}
