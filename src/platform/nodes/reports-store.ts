import { type Queryable, sql } from '../../kit/sql.ts';

/** What a node reports under a topic; the next report with the same key replaces it. */
export interface Report {
  topic: string;
  key: string;
  body: object;
}

export interface ForeignReport extends Report {
  node: string;
  reported_at: Date;
  /** Age in milliseconds, by the database's clock. */
  age_ms: number;
}

/** Maximum number of rows of one read, besides rows with the same time as the last. The next read continues, oldest first. */
const MAX_ROWS = 2_000;
/** Reports are read again for this long: a transaction may commit after one that began later. */
const OVERLAP_MS = 2_000;
/** Age at which reports are no longer read, and are deleted. */
const KEEP_MS = 900_000;

/**
 * Stores the reports of this node and reads those of other nodes, in one statement.
 * @param after returned by the last call; null: there was none
 * @returns the reports, and the time after which the next call reads: a read that was full continues where it ended
 */
export async function exchange(db: Queryable, node: string, reports: readonly Report[], after: Date | null) {
  // After a failover the new server's clock may be earlier. Then all reports are read.
  const rows = await db.all<ForeignReport>(sql`
    with written as (
      insert into node_reports (node, topic, key, body, reported_at)
      select ${node}, r.topic, r.key, r.body, pirogue_now()
      from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) as r (topic text, key text, body jsonb)
      on conflict (node, topic, key) do update set body = excluded.body, reported_at = excluded.reported_at)
    select node, topic, key, body, reported_at, (extract(epoch from pirogue_now() - reported_at) * 1000)::float8 as age_ms
    from node_reports
    where node <> ${node} and reported_at > greatest(pirogue_now() - ${KEEP_MS} * interval '1 ms',
      case when ${after}::timestamptz <= pirogue_now() then ${after}::timestamptz end)
    order by reported_at fetch first ${MAX_ROWS} rows with ties`);
  const last = rows.at(-1)?.reported_at;
  if (!last) return { rows, after };
  return { rows, after: rows.length < MAX_ROWS ? new Date(last.getTime() - OVERLAP_MS) : last };
}

/** Deletes old reports of all nodes. */
export function deleteOldReports(db: Queryable): Promise<number> {
  return db.run(sql`delete from node_reports where reported_at < pirogue_now() - ${KEEP_MS} * interval '1 ms'`);
}

/** Deletes the state report of a node that stops. Its reports on other topics remain until {@link deleteOldReports}. */
export function deleteReportsOf(db: Queryable, node: string): Promise<number> {
  return db.run(sql`delete from node_reports where node = ${node} and topic = 'node'`);
}
