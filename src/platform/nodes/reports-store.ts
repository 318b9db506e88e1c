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
}

/** Rows of one read. More than this are read by the next ones, oldest first. */
const MAX_ROWS = 2_000;
/** Reports are read again for this long: a transaction may commit after one that began later. */
const OVERLAP_MS = 2_000;
/** Age at which reports are of no use. */
const KEEP_MS = 900_000;

/**
 * Stores the reports of this node and reads those of other nodes, in one statement.
 * @param since time of the newest report read so far; null: none
 */
export function exchange(db: Queryable, node: string, reports: readonly Report[], since: Date | null): Promise<ForeignReport[]> {
  return db.all<ForeignReport>(sql`
    with written as (
      insert into node_reports (node, topic, key, body, reported_at)
      select ${node}, r.topic, r.key, r.body, pirogue_now()
      from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) as r (topic text, key text, body jsonb)
      on conflict (node, topic, key) do update set body = excluded.body, reported_at = excluded.reported_at)
    select node, topic, key, body, reported_at from node_reports
    where node <> ${node}
      and reported_at > greatest(${since}::timestamptz - ${OVERLAP_MS} * interval '1 ms', pirogue_now() - ${KEEP_MS} * interval '1 ms')
    order by reported_at limit ${MAX_ROWS}`);
}

/** Deletes old reports of all nodes. */
export function deleteOldReports(db: Queryable): Promise<number> {
  return db.run(sql`delete from node_reports where reported_at < pirogue_now() - ${KEEP_MS} * interval '1 ms'`);
}

/** Deletes the reports of a node that ends. */
export function deleteReportsOf(db: Queryable, node: string): Promise<number> {
  return db.run(sql`delete from node_reports where node = ${node} and topic = 'node'`);
}
