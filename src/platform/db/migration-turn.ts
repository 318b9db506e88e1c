import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../kit/config-error.ts';
import type { DbClient } from './client.ts';

/** The advisory lock of node-pg-migrate, which earlier releases take: two releases never migrate at the same time. */
const LOCK = '7241865325823964';
const LOOK_MS = 250;
const MAX_WAIT_MS = 3_600_000;

/** Takes the turn if no other process has it. @returns whether this process has it now */
export async function tryTurn(client: DbClient): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>(`select pg_try_advisory_lock(${LOCK}) as mine`);
  return rows[0]?.mine === true;
}

/**
 * Waits until no other process migrates this database, then takes the turn. It polls instead of waiting for the lock: the other
 * process may be building an index, which waits for every older statement, including one that waits for the lock.
 * @throws ConfigError when another process has been migrating for `max_wait_ms`, by default an hour
 */
export async function takeTurn(client: DbClient, report: (message: string) => void, max_wait_ms = MAX_WAIT_MS): Promise<void> {
  const deadline = performance.now() + max_wait_ms;
  for (let looks = 0; ; looks++) {
    if (await tryTurn(client)) return;
    if (looks === 0) report('another process is migrating this database: waiting for its end');
    if (performance.now() > deadline) throw new ConfigError('another process has been migrating this database for too long');
    await sleep(LOOK_MS);
  }
}

/** The session that has the turn. */
export interface TurnHolder {
  pid: number;
  /** Its `application_name`. Empty: none, or this login may not see it. */
  application: string;
  /** Address of its machine. Null: the database's own, or this login may not see it. */
  address: string | null;
  /** When it connected. Null: this login may not see it. */
  since: Date | null;
}

/** Returns the session that has the turn; undefined when none has it any more. */
export async function turnHolder(client: DbClient): Promise<TurnHolder | undefined> {
  const { rows } = await client.query<TurnHolder>(
    `select a.pid, coalesce(a.application_name, '') as application, host(a.client_addr) as address, a.backend_start as since
     from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.database = (select oid from pg_database where datname = current_database())
       and l.classid::bigint << 32 | l.objid::bigint = ${LOCK}`,
  );
  return rows[0];
}
