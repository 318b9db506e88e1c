import { setTimeout as sleep } from 'node:timers/promises';
import { connectClient, type DbClient, endWhenAbandoned } from '../client.ts';
import type { LockTries } from '../lock-tries.ts';
import { takeTurn, tryTurn, type TurnHolder, turnHolder } from '../migration-turn.ts';
import { conversionsOf, STEP_TEXTS } from './progress.ts';
import type { KeptTable } from './tables.ts';

/** Longer than any step takes; a server that does not respond must not hold the command for ever. */
const STATEMENT_MS = 24 * 3_600_000;
/** The other command may be converting terabytes. */
const MAX_WAIT_MS = 14 * 24 * 3_600_000;
/** Time for the session of a command that has just been killed to end. */
const GRACE_MS = 2_000;
const LOOK_MS = 100;
/** `application_name` of the session of a conversion, followed by the table. */
const APPLICATION = 'pirogue partition';

/** Another process is changing the tables of this database. */
export class TurnTaken extends Error {}

/** How a conversion waits for its turn. */
export interface Turn extends LockTries {
  /** Whether to wait for the end of another conversion or migration. Otherwise that is an error. */
  wait?: boolean | undefined;
}

/**
 * Runs work on one connection of the owner that holds the turn of migrations: no migration runs meanwhile, and no other conversion.
 * @throws TurnTaken
 */
export async function inTurn<Result>(url: string, turn: Turn, work: (client: DbClient) => Promise<Result>): Promise<Result> {
  const client = await connectClient(url, STATEMENT_MS);
  try {
    await begin(client, turn);
    // Rows are read in the order of the primary key, whatever the statistics are. Before PostgreSQL 18, disabled plan types have so high
    // costs that PostgreSQL would compile (jit) reads of the catalogue, which takes seconds under the lock of the switch.
    await client.query(
      `set statement_timeout = 0; set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off; set jit = off; set application_name = '${APPLICATION}'`,
    );
    // The session of a killed command then ends soon instead of finishing its index. Not every system supports this (Windows).
    await client.query(`set client_connection_check_interval = '1s'`).catch(() => {});
    await endWhenAbandoned(client);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Shows others what this session works on. */
export async function announce(client: DbClient, table: KeptTable): Promise<void> {
  await client.query(`select set_config('application_name', $1, false)`, [`${APPLICATION} ${table}`]);
}

async function begin(client: DbClient, { wait = false, report = () => {} }: Turn): Promise<void> {
  const deadline = performance.now() + GRACE_MS;
  while (!(await tryTurn(client))) {
    const holder = await turnHolder(client);
    if (performance.now() > deadline || (holder && wait)) {
      const text = await textOf(client, holder);
      if (!wait) throw new TurnTaken(text);
      report({}, `${text}: waiting for its end`);
      return takeTurn(client, () => {}, MAX_WAIT_MS);
    }
    await sleep(LOOK_MS);
  }
}

async function textOf(client: DbClient, holder: TurnHolder | undefined): Promise<string> {
  if (!holder) return 'another process changes the tables of this database';
  const { pid, application, address, since } = holder;
  const table = application.startsWith(`${APPLICATION} `) ? application.slice(APPLICATION.length + 1) : undefined;
  const found = (await conversionsOf(client)).find(({ parent }) => parent === table);
  const at = found ? ` (${STEP_TEXTS[found.step]}, ${found.row_count} rows)` : '';
  const what = table ? `${table} is being partitioned${at}` : 'another process changes the tables of this database';
  const where = `pid ${pid}${address ? ` from ${address}` : ''}${since ? `, since ${since.toISOString().slice(0, 19)}Z` : ''}`;
  return `${what}, by the session ${where}`;
}
