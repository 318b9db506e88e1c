import type { Store } from '../db/stores.ts';
import { type Fragment, fixed, part, type Queryable, sql } from '../kit/sql.ts';
import type { Sweep } from '../work/sweep.ts';

const IDLE_MS = 10_000;
/** A seal costs a row: on a quiet day one for each minute with news, not one for each payment. */
const WAIT_MS = 60_000;
const BATCH = 2_000;
/** One process at a time: any number no other advisory lock of ours has. */
const SEAL_LOCK = 7_340_112;

/** What the first seal follows. */
const FIRST_HASH = fixed(`sha256(''::bytea)`);

/**
 * The text that is sealed: every column of every line, one JSON array on each line of text, in the order of booking.
 * A journal without lines would have one with nulls, so that taking its lines away shows.
 */
const SEALED_TEXT = fixed(`string_agg(json_build_array(j.tx::text, j.team_id, j.id, j.kind, j.source_id, j.subject_id,
  (extract(epoch from j.created_at) * 1000)::bigint, p.line, p.currency, p.debit, p.credit, p.amount_minor)::text || E'\\n', ''
  order by j.tx, j.id, p.line)`);

/**
 * Count and hash of the journals of a range of transactions: sha256 over the previous hash, then the text. Journal by
 * journal (the offset makes it so): a join may read the lines of all time for each seal.
 * @param from inclusive, @param to exclusive, @param previous all as SQL
 */
export function sealedRange(from: Fragment, to: Fragment, previous: Fragment): Fragment {
  return part`
    select count(distinct j.id)::integer as journals, sha256(${previous} || convert_to(coalesce(${SEALED_TEXT}, ''), 'UTF8')) as hash
    from journals j left join lateral (
      select * from postings p where p.team_id = j.team_id and p.journal_id = j.id offset 0) p on true
    where j.tx >= ${from} and j.tx < ${to}`;
}

/**
 * Chains the oldest journals that are not sealed yet. Closed are those of transactions older than the oldest one that
 * still runs: no journal can ever join or leave them, whatever a clock says. Whole transactions only.
 * @param wait_ms how long the oldest has to be there before it is sealed
 * @returns how many were sealed; 0 also when another process is at it
 */
export async function sealJournals(db: Queryable, batch: number, wait_ms: number): Promise<number> {
  const row = await db.maybe<{ journals: number }>(sql`
    with turn as materialized (select pg_try_advisory_xact_lock(${SEAL_LOCK}) as mine),
    head as materialized (
      (select up_to_tx as tx, hash from ledger_seals order by id desc limit 1)
      union all select '0'::xid8, ${FIRST_HASH} where not exists (select 1 from ledger_seals)
    ),
    closed as materialized (
      select j.tx, j.created_at from turn, head, lateral (
        select tx, id, created_at from journals j where turn.mine and j.tx >= head.tx and j.tx < pg_snapshot_xmin(pg_current_snapshot())
        order by j.tx, j.id limit ${batch}) j
    ),
    range as materialized (
      select head.tx as from_tx, head.hash as previous, coalesce(
        (select tx from journals where tx > (select max(tx) from closed) and tx < pg_snapshot_xmin(pg_current_snapshot()) order by tx, id limit 1),
        pg_snapshot_xmin(pg_current_snapshot())) as to_tx
      from head where (select min(created_at) from closed) <= now() - make_interval(secs => ${wait_ms / 1000})
    )
    insert into ledger_seals (after_tx, up_to_tx, journals, previous, hash)
    select r.from_tx, r.to_tx, s.journals, r.previous, s.hash
    from range r, lateral (${sealedRange(fixed('r.from_tx'), fixed('r.to_tx'), fixed('r.previous'))}) s
    on conflict (after_tx) do nothing returning journals`);
  return row?.journals ?? 0;
}

/** Keeps the books sealed up to the oldest running transaction. */
export function sealSweep(store: Store): Sweep {
  return {
    name: 'ledger-seal',
    environment: store.environment,
    idle_ms: IDLE_MS,
    round: async () => {
      const sealed = await sealJournals(store.db, BATCH, WAIT_MS);
      // Only a full batch says that more is waiting; otherwise there is time.
      return sealed < BATCH ? 0 : sealed;
    },
  };
}
