import { type Fragment, fixed, part, type Queryable, sql } from '../../kit/sql.ts';

/**
 * A hash chain over the rows of an append-only table. That table has the columns `tx` (the transaction that wrote the row),
 * `id` and `created_at`. The table of the seals has after_tx, up_to_tx, previous, hash and a column that counts rows.
 */
export interface Chain {
  /** Key of the advisory lock that lets one process seal at a time: a number that no other advisory lock of ours uses. */
  lock: number;
  /** The table of the sealed rows. */
  rows: string;
  /** The table of the seals, and its column that counts rows. */
  seals: string;
  counted: string;
  /**
   * Returns SQL that selects `count` and `hash` of the rows that a range of transactions wrote: sha256 over the previous hash,
   * then the text.
   * @param from first transaction, inclusive, as SQL
   * @param to last transaction, exclusive, as SQL
   * @param previous the previous hash, as SQL
   */
  sealed(from: Fragment, to: Fragment, previous: Fragment): Fragment;
}

/** A seal: the hash of the rows of a range of transactions, chained to the previous seal. */
export interface Seal {
  id: bigint;
  after_tx: string;
  up_to_tx: string;
  count: number;
  /** Hexadecimal, like `hash`. */
  previous: string;
  hash: string;
}

/** The previous hash of the first seal: the hash of empty input. */
const FIRST_HASH = fixed(`sha256(''::bytea)`);

/**
 * Seals the oldest rows that are not sealed yet. Only rows of transactions older than the oldest running one are sealed: no row
 * can be added to them later, whatever the clocks show. A seal covers whole transactions.
 * @param wait_ms minimum age of the oldest row before it is sealed, in milliseconds
 * @returns number of sealed rows; 0 also when another process is sealing
 */
export async function sealNext(db: Queryable, chain: Chain, batch: number, wait_ms: number): Promise<number> {
  const [rows, seals, counted] = [fixed(chain.rows), fixed(chain.seals), fixed(chain.counted)];
  const row = await db.maybe<{ count: number }>(sql`
    with turn as materialized (select pg_try_advisory_xact_lock(${chain.lock}) as mine),
    head as materialized (
      (select up_to_tx as tx, hash from ${seals} order by id desc limit 1)
      union all select '0'::xid8, ${FIRST_HASH} where not exists (select 1 from ${seals})
    ),
    closed as materialized (
      select r.tx, r.created_at from turn, head, lateral (
        select tx, id, created_at from ${rows} where turn.mine and tx >= head.tx and tx < pg_snapshot_xmin(pg_current_snapshot())
        order by tx, id limit ${batch}) r
    ),
    range as materialized (
      select head.tx as from_tx, head.hash as previous, coalesce(
        (select tx from ${rows} where tx > (select max(tx) from closed) and tx < pg_snapshot_xmin(pg_current_snapshot()) order by tx, id limit 1),
        pg_snapshot_xmin(pg_current_snapshot())) as to_tx
      from head where (select min(created_at) from closed) <= pirogue_now() - make_interval(secs => ${wait_ms / 1000})
    )
    insert into ${seals} (after_tx, up_to_tx, ${counted}, previous, hash)
    select r.from_tx, r.to_tx, s.count, r.previous, s.hash
    from range r, lateral (${chain.sealed(fixed('r.from_tx'), fixed('r.to_tx'), fixed('r.previous'))}) s
    on conflict (after_tx) do nothing returning ${counted} as count`);
  return row?.count ?? 0;
}

/** Returns the seals after this one, oldest first. */
export function sealsAfter(db: Queryable, chain: Chain, id: bigint, limit: number): Promise<Seal[]> {
  return db.all<Seal>(sql`
    select id, after_tx::text, up_to_tx::text, ${fixed(chain.counted)} as count, encode(previous, 'hex') as previous, encode(hash, 'hex') as hash
    from ${fixed(chain.seals)} where id > ${id} order by id limit ${limit}`);
}

/** Recomputes a seal from its rows and its own `previous`. */
export async function remade(db: Queryable, chain: Chain, seal: Seal): Promise<Pick<Seal, 'count' | 'hash'>> {
  const range = chain.sealed(part`${seal.after_tx}::xid8`, part`${seal.up_to_tx}::xid8`, part`decode(${seal.previous}, 'hex')`);
  const [made] = await db.all<Pick<Seal, 'count' | 'hash'>>(sql`select count, encode(hash, 'hex') as hash from (${range}) made`);
  return made as Pick<Seal, 'count' | 'hash'>;
}

/**
 * Returns the newest transaction of rows and seals if the server's transaction counter is behind it, which means that the rows
 * come from another server.
 */
export function transactionAhead(db: Queryable, chain: Chain): Promise<{ written: string; counter: string } | undefined> {
  return db.maybe(sql`
    select written::text, pg_snapshot_xmax(pg_current_snapshot())::text as counter from (
      select greatest((select tx from ${fixed(chain.rows)} order by tx desc, id desc limit 1),
        (select up_to_tx from ${fixed(chain.seals)} order by id desc limit 1)) as written
    ) newest where written > pg_snapshot_xmax(pg_current_snapshot())`);
}
