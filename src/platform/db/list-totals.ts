import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../kit/environment.ts';
import { must } from '../../kit/errors.ts';
import { type IdPrefix, lowestIdAt } from '../../kit/ids.ts';
import { ALL_IDS, type Ids } from '../../kit/pages.ts';
import { isFiltered, type PagingQuery } from '../../kit/paging.ts';
import { type Queryable, sql } from '../../kit/sql.ts';
import { SKEW_MS, Totals, type Settled } from '../../kit/totals.ts';
import { MARK_XID } from './marks.ts';
import { deletesWithinPeriods } from './partitions.ts';

/**
 * Maximum time between the moment in an id and the first write of the transaction that stores its row, with a margin. The transaction
 * may wait for a connection, for locks and for providers, each with a deadline of less than a minute. The duration of the commit does
 * not matter.
 */
export const SETTLED_MS = 600_000;
/** Age of an id after which its row is seldom committed later, where the transaction does not wait for a provider. */
const SELDOM_MS = 5_000;
const AGAIN_MS = 50;
/** How often it is asked how the rows of a table are deleted. Rows of the default partition are kept for much longer. */
const ASK_MS = 600_000;

export interface ListTotalsOptions {
  /** Age of an id from which rows are seldom added, in milliseconds; default five seconds. */
  seldom_ms?: number;
  /** Age at which rows may be deleted, in milliseconds. Absent: they are never deleted. */
  keep_ms?: number;
  /** Name of the table, if it is partitioned by months (UTC): its rows are deleted when their whole month is of that age. */
  months_of?: string;
  /** Rows at one end of the list that are counted on each call; default 10,000. */
  max_counted?: number;
}

interface Store {
  environment: Environment;
  db: Queryable;
}

/** The request for a page, at a time in milliseconds since the epoch. */
interface Request {
  caller: { store: Store };
  query: PagingQuery;
  at: number;
}

/** A transaction of this process, and when it began. */
interface Asked {
  xid: bigint;
  at: number;
}

/**
 * Final moments: no more rows can be added whose id has an earlier moment. A commit may take any time, because it waits for a standby.
 * A moment is therefore final when all transactions that began within {@link SETTLED_MS} after it have ended. They are recognised by
 * their numbers, which are smaller than the number of a transaction of this process ([marks](./marks.ts)).
 */
export class SettledMoments {
  readonly #asked = new Map<Environment, Asked>();
  /** Start of the latest transaction of this process for which all earlier transactions have ended. */
  readonly #ended = new Map<Environment, number>();

  /** Returns the latest final moment in milliseconds since the epoch, or one that is not final while none is known. */
  async of(store: Store, now: number): Promise<Settled<number>> {
    const { environment } = store;
    // After the clock was set back, times recorded before cannot be compared with new ones.
    if (now < (this.#ended.get(environment) ?? 0) - SKEW_MS) {
      this.#ended.delete(environment);
      this.#asked.delete(environment);
    }
    await this.#ask(store, now);
    if (!this.#ended.has(environment) && this.#asked.has(environment)) {
      // Short transactions end during this wait. A final moment then avoids counting the rows a second time.
      await sleep(AGAIN_MS);
      await this.#ask(store, now);
    }
    const ended = this.#ended.get(environment);
    return { mark: Math.min(ended ?? now, now) - SETTLED_MS, is_final: ended !== undefined };
  }

  async #ask({ environment, db }: Store, now: number): Promise<void> {
    const { xid, oldest } = await numbersOf(db);
    const asked = this.#asked.get(environment);
    if (asked && asked.xid <= oldest) this.#end(environment, asked.at);
    if (xid === null) return;
    if (xid <= oldest) this.#end(environment, now);
    // A smaller number than before means that this is another server with the same data.
    if (!asked || asked.xid <= oldest || xid < asked.xid) this.#asked.set(environment, { xid, at: now });
  }

  #end(environment: Environment, at: number): void {
    this.#ended.set(environment, Math.max(this.#ended.get(environment) ?? 0, at));
  }
}

/** Returns the number of a new transaction (null on a read-only server) and the smallest number of a transaction that has not ended. */
async function numbersOf(db: Queryable): Promise<{ xid: bigint | null; oldest: bigint }> {
  const row = await db.maybe<{ xid: string | null; oldest: string }>(sql`
    select case when not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' then ${MARK_XID}::text end as xid,
      pg_snapshot_xmin(pg_current_snapshot())::text as oldest`);
  const { xid, oldest } = must(row, 'a select without from has one row');
  return { xid: xid === null ? null : BigInt(xid), oldest: BigInt(oldest) };
}

/** Totals of lists whose ids sort by time. */
export class ListTotals {
  readonly #totals: Totals<string>;
  readonly #prefix: IdPrefix;
  readonly #options: ListTotalsOptions;
  readonly #moments = new SettledMoments();
  /** By environment: whether rows are deleted by whole months only, and when that was asked. */
  readonly #deleted = new Map<Environment, { by_months: boolean; at: number }>();

  constructor(prefix: IdPrefix, options: ListTotalsOptions = {}) {
    this.#totals = new Totals(options.max_counted);
    this.#prefix = prefix;
    this.#options = options;
  }

  /**
   * Returns the current total of one list. With filters, its rows are counted.
   * @param owner identifies the list among those of the environment
   */
  async of(owner: string, { caller: { store }, query, at: now }: Request, count: (ids: Ids) => Promise<number>): Promise<number> {
    if (isFiltered(query)) return count(ALL_IDS);
    const { environment } = store;
    const lowest = (at: number) => lowestIdAt(this.#prefix, environment, at);
    const { keep_ms, seldom_ms = SELDOM_MS } = this.#options;
    const byMonths = await this.#deletesMonths(store, now);
    const keptSince = (at: number) => (byMonths ? startOfMonth(at) : at);
    return this.#totals.total(`${environment} ${byMonths} ${owner}`, now, {
      settled: async () => {
        const { mark, is_final } = await this.#moments.of(store, now);
        return { mark: lowest(mark), is_final };
      },
      count: (from, to) => count({ from, to }),
      seldom: () => lowest(now - seldom_ms),
      ...(keep_ms === undefined ? {} : { keptFrom: (at: number) => lowest(keptSince(at - keep_ms + SKEW_MS)) }),
    });
  }

  /** Returns whether rows are deleted by whole months only. */
  async #deletesMonths({ environment, db }: Store, now: number): Promise<boolean> {
    const { months_of } = this.#options;
    if (months_of === undefined) return false;
    const known = this.#deleted.get(environment);
    if (known && Math.abs(now - known.at) < ASK_MS) return known.by_months;
    const by_months = !(await deletesWithinPeriods(db, months_of));
    this.#deleted.set(environment, { by_months, at: now });
    return by_months;
  }
}

function startOfMonth(at: number): number {
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth());
}
