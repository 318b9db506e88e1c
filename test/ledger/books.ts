import { setTimeout as sleep } from 'node:timers/promises';
import { APP_ROLE, type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Db, type Queryable, sql, type Tx } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { countFurther, teamsToCount } from '../../src/money/ledger/days.ts';
import { type Journal, post } from '../../src/money/ledger/post.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

/** One store's books: as the service writes them, and as the owner of the database could. */
export interface Books {
  databases: Databases;
  app: DbPool;
  /** The pool of `app`, which sees no team. */
  pool: DbPool;
  owner: DbPool;
  close(): Promise<void>;
}

export async function openBooks(): Promise<Books> {
  const databases = await cloneDatabases();
  const log = createLog({ level: 'silent', format: 'json' });
  // Some fill tables with thousands of rows at once.
  const statement_ms = 120_000;
  const pool = openPool({ url: databases.sandbox, size: 16, log, role: APP_ROLE, statement_ms });
  const app = { ...pool, ...pool.seeing('all_teams') };
  const owner = openPool({ url: databases.sandbox, size: 4, log, statement_ms });
  return {
    databases,
    app,
    pool,
    owner,
    close: async () => {
      await Promise.all([app.close(), owner.close()]);
      await databases.drop();
    },
  };
}

/**
 * Adds up all journals of a team by day, as the worker does in its rounds. Transactions of other tests on the same server can delay it: a
 * journal is added up when none is left that could precede it.
 */
export async function addUpDays(db: Db, team_id: bigint): Promise<void> {
  while ((await teamsToCount(db, [team_id])).length > 0) {
    if ((await countFurther(db, team_id)) === 0) await sleep(5);
  }
}

let serial = 0;

/** A source that no other journal of this process has; sorts in the order of making. */
export function nextSource(): string {
  serial += 1;
  return `att_test_${String(serial).padStart(26, '0')}`;
}

export interface Move {
  team_id?: bigint;
  kind?: string;
  source_id?: string;
  subject_id?: string;
  currency?: string;
}

/** Books one journal: `[debit, credit, hundredths]` for each line. */
export async function book(tx: Tx, lines: [Account, Account, bigint][], move: Move = {}): Promise<Journal> {
  const source_id = move.source_id ?? nextSource();
  const journal: Journal = {
    team_id: 1n,
    kind: 'payment.succeeded',
    subject_id: source_id,
    currency: 'XAF',
    ...move,
    source_id,
    postings: lines.map(([debit, credit, amount_minor]) => ({ debit, credit, amount_minor })),
  };
  await post(tx, [journal]);
  return journal;
}

/** What a payment of 250.00 books whose money waits. */
export const PAYMENT: [Account, Account, bigint][] = [
  ['clearing', 'pending', 25_000n],
  ['pending', 'fee_income', 500n],
];

/**
 * Waits until nothing older than the journals runs any more: transactions of other tests' databases on the same server
 * count too, and hold sealing back as they should.
 */
export async function closed(db: Queryable, sources?: string[]): Promise<void> {
  for (;;) {
    const row = await db.maybe<{ closed: boolean }>(sql`
      select coalesce(max(tx) < pg_snapshot_xmin(pg_current_snapshot()), true) as closed from journals
      where ${sources ?? null}::text[] is null or source_id = any(${sources ?? null})`);
    if (row?.closed) return;
    await sleep(5);
  }
}
