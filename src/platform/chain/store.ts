import { type Fragment, fixed, part, type Queryable, type Sql, sql } from '../../kit/sql.ts';

/** Teams form sixteen groups by the low bits of their numbers, as they do in src/platform/work/shards.ts. */
const GROUPS = 16;

/**
 * Hash chains over the rows of an append-only table. That table has the columns `tx` (the transaction that wrote the row),
 * `id` and `created_at`. The tables of the seals have after_tx, up_to_tx, previous, hash and a column that counts rows.
 */
export interface Chain {
  /** Key of the advisory lock that lets one process seal at a time. No other advisory lock of ours uses this number. */
  lock: number;
  /** The table of the sealed rows. */
  rows: string;
  /** The table of the seals over the rows of all teams, and its column that counts rows. */
  seals: string;
  counted: string;
  /**
   * The table of the seals of each group of teams, which continue the chain of all teams (docs/decisions/0077-distribution.md).
   * Null: there is only that one.
   */
  group_seals: string | null;
  /**
   * Returns SQL that selects `count` and `hash` of the rows that a range of transactions wrote: sha256 over the previous hash,
   * then the text.
   * @param from first transaction, inclusive, as SQL
   * @param to last transaction, exclusive, as SQL
   * @param previous the previous hash, as SQL
   * @param group the group of teams, as SQL; null: all teams
   */
  sealed(from: Fragment, to: Fragment, previous: Fragment, group: Fragment | null): Fragment;
}

/** A seal: the hash of the rows of a range of transactions, chained to the previous seal. */
export interface Seal {
  /** Group of teams; null: all teams. */
  team_group: number | null;
  /** Number in its chain. */
  n: bigint;
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
 * Seals the oldest rows that are not sealed yet, each group separately. Only rows of transactions older than the oldest running one
 * are sealed: no row can be added to them later, whatever the clocks show. A seal covers whole transactions.
 * @param batch maximum number of rows of a seal, unless one transaction has more
 * @param wait_ms minimum age of the oldest row before it is sealed, in milliseconds
 * @returns number of sealed rows; 0 also when another process is sealing
 */
export async function sealNext(db: Queryable, chain: Chain, batch: number, wait_ms: number): Promise<number> {
  const wait_s = wait_ms / 1000;
  const rows = await db.all<{ count: number }>(
    chain.group_seals === null ? sealAll(chain, batch, wait_s) : sealGroups(chain, chain.group_seals, batch, wait_s),
  );
  return rows.reduce((sum, { count }) => sum + count, 0);
}

function sealAll(chain: Chain, batch: number, wait_s: number): Sql {
  const [rows, seals, counted] = [fixed(chain.rows), fixed(chain.seals), fixed(chain.counted)];
  return sql`
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
      from head where (select min(created_at) from closed) <= pirogue_now() - make_interval(secs => ${wait_s})
    )
    insert into ${seals} (after_tx, up_to_tx, ${counted}, previous, hash)
    select r.from_tx, r.to_tx, s.count, r.previous, s.hash
    from range r, lateral (${chain.sealed(fixed('r.from_tx'), fixed('r.to_tx'), fixed('r.previous'), null)}) s
    on conflict (after_tx) do nothing returning ${counted} as count`;
}

/**
 * Returns a condition for the rows of a group within a range of transactions. It compares pairs, so that only the index that begins
 * with the group can serve it. Otherwise the planner prefers the index of transactions and reads the rows of all groups.
 * @param row alias of the row
 * @param from first transaction, inclusive, as SQL
 * @param to last transaction, exclusive, as SQL
 */
export function inGroup(row: string, group: Fragment, from: Fragment, to: Fragment): Fragment {
  const place = fixed(`((${row}.team_id & 15), ${row}.tx)`);
  return part`${place} >= (${group}::bigint, ${from}) and ${place} < (${group}::bigint, ${to})`;
}

/**
 * Returns the order in which the rows of a seal are hashed, as SQL: by transaction and id. For a group, the order begins with the group,
 * which is the same for all its rows. PostgreSQL then reads the rows from the index of {@link inGroup}, not from the index of the
 * transactions of all groups.
 * @param row alias of the row
 */
export function orderOf(row: string, group: Fragment | null): Fragment {
  return fixed(`${group ? `(${row}.team_id & 15), ` : ''}${row}.tx, ${row}.id`);
}

/** Returns SQL for the end of each group's chain: `team_group`, `n`, `tx` (the first that is not sealed) and `hash`. */
function headsOf(chain: Chain, group_seals: string): Fragment {
  const seals = fixed(chain.seals);
  return part`
    select g::smallint as team_group, coalesce(s.n, 0) as n, coalesce(s.up_to_tx, base.tx) as tx, coalesce(s.hash, base.hash) as hash
    from generate_series(0, ${GROUPS - 1}::integer) g cross join (
      (select up_to_tx as tx, hash from ${seals} order by id desc limit 1)
      union all select '0'::xid8, ${FIRST_HASH} where not exists (select 1 from ${seals})
    ) base left join lateral (
      select n, up_to_tx, hash from ${fixed(group_seals)} where team_group = g order by n desc limit 1) s on true`;
}

function sealGroups(chain: Chain, group_seals: string, batch: number, wait_s: number): Sql {
  const [rows, counted] = [fixed(chain.rows), fixed(chain.counted)];
  const closed = (from: Fragment) =>
    inGroup('r', fixed('head.team_group'), from, fixed('pg_snapshot_xmin(pg_current_snapshot())'));
  return sql`
    with turn as materialized (select pg_try_advisory_xact_lock(${chain.lock}) as mine),
    head as materialized (select h.* from turn cross join lateral (${headsOf(chain, group_seals)}) h where turn.mine),
    batch as materialized (
      select head.*, b.oldest, b.newest_tx from head cross join lateral (
        select min(created_at) as oldest, max(tx) as newest_tx from (
          select created_at, tx from ${rows} r where ${closed(fixed('head.tx'))} order by (team_id & 15), tx, id limit ${batch}) c
      ) b where b.oldest <= pirogue_now() - make_interval(secs => ${wait_s})
    ),
    range as materialized (
      select head.*, coalesce(
        (select tx from ${rows} r where ${closed(fixed('head.newest_tx'))} and tx > head.newest_tx order by (team_id & 15), tx, id limit 1),
        pg_snapshot_xmin(pg_current_snapshot())) as to_tx
      from batch head
    )
    insert into ${fixed(group_seals)} (team_group, n, after_tx, up_to_tx, ${counted}, previous, hash)
    select r.team_group, r.n + 1, r.tx, r.to_tx, s.count, r.hash, s.hash
    from range r cross join lateral (${chain.sealed(fixed('r.tx'), fixed('r.to_tx'), fixed('r.hash'), fixed('r.team_group'))}) s
    on conflict do nothing returning ${counted} as count`;
}

/**
 * Returns SQL for the name of the seal that covers a row, or null: `3/17` for the 17th seal of group 3, `17` for one of all teams.
 * @param row alias of the row
 */
export function sealOf({ seals, group_seals }: Chain, row: string): Fragment {
  const covers = `s.after_tx <= ${row}.tx and s.up_to_tx > ${row}.tx order by s.after_tx desc limit 1`;
  const ofAll = `(select s.id::text from ${seals} s where ${covers})`;
  if (group_seals === null) return fixed(ofAll);
  return fixed(`coalesce(
    (select s.team_group || '/' || s.n from ${group_seals} s where s.team_group = (${row}.team_id & 15) and ${covers}), ${ofAll})`);
}

/** Counts the rows that no seal covers yet. */
export async function countUnsealed(db: Queryable, chain: Chain): Promise<number> {
  const [rows, seals] = [fixed(chain.rows), fixed(chain.seals)];
  const [found] = await db.all<{ count: number }>(
    chain.group_seals === null
      ? sql`select count(*)::integer as count from ${rows}
          where tx >= coalesce((select up_to_tx from ${seals} order by id desc limit 1), '0'::xid8)`
      : sql`select coalesce(sum(c.count), 0)::integer as count from (${headsOf(chain, chain.group_seals)}) h cross join lateral (
          select count(*) as count from ${rows}
          where ((team_id & 15), tx) >= (h.team_group::bigint, h.tx) and (team_id & 15) <= h.team_group) c`,
  );
  return found?.count ?? 0;
}

/** Returns the seals of all teams after this one, oldest first. */
export function sealsAfter(db: Queryable, chain: Chain, n: bigint, limit: number): Promise<Seal[]> {
  return db.all<Seal>(sql`
    select null as team_group, id as n, ${sealColumns(chain)} from ${fixed(chain.seals)} where id > ${n} order by id limit ${limit}`);
}

/** Returns the seals of the groups after this one, group by group, oldest first. */
export async function groupSealsAfter(
  db: Queryable,
  chain: Chain,
  after: { team_group: number; n: bigint },
  limit: number,
): Promise<Seal[]> {
  if (chain.group_seals === null) return [];
  return db.all<Seal>(sql`
    select team_group, n, ${sealColumns(chain)} from ${fixed(chain.group_seals)}
    where (team_group, n) > (${after.team_group}::smallint, ${after.n}) order by team_group, n limit ${limit}`);
}

function sealColumns({ counted }: Chain): Fragment {
  return fixed(
    `after_tx::text, up_to_tx::text, ${counted} as count, encode(previous, 'hex') as previous, encode(hash, 'hex') as hash`,
  );
}

/** Returns whether a seal of all teams ends where this first seal of a group begins. */
export async function followsAllTeams(db: Queryable, chain: Chain, { after_tx, previous }: Seal): Promise<boolean> {
  const found = await db.all(sql`
    select 1 from ${fixed(chain.seals)} where up_to_tx = ${after_tx}::xid8 and hash = decode(${previous}, 'hex') limit 1`);
  return found.length > 0;
}

/** Recomputes a seal from its rows and its own `previous`. */
export async function remade(db: Queryable, chain: Chain, seal: Seal): Promise<Pick<Seal, 'count' | 'hash'>> {
  const group = seal.team_group === null ? null : part`${seal.team_group}::smallint`;
  const range = chain.sealed(
    part`${seal.after_tx}::xid8`,
    part`${seal.up_to_tx}::xid8`,
    part`decode(${seal.previous}, 'hex')`,
    group,
  );
  const [made] = await db.all<Pick<Seal, 'count' | 'hash'>>(sql`select count, encode(hash, 'hex') as hash from (${range}) made`);
  return made as Pick<Seal, 'count' | 'hash'>;
}

/**
 * Returns the newest transaction of rows and seals if the server's transaction counter is behind it, which means that the rows
 * come from another server.
 */
export function transactionAhead(db: Queryable, chain: Chain): Promise<{ written: string; counter: string } | undefined> {
  const heads = chain.group_seals === null ? part`` : part`, (select max(tx) from (${headsOf(chain, chain.group_seals)}) h)`;
  return db.maybe(sql`
    select written::text, pg_snapshot_xmax(pg_current_snapshot())::text as counter from (
      select greatest((select tx from ${fixed(chain.rows)} order by tx desc, id desc limit 1),
        (select up_to_tx from ${fixed(chain.seals)} order by id desc limit 1)${heads}) as written
    ) newest where written > pg_snapshot_xmax(pg_current_snapshot())`);
}
