import fs from 'node:fs';
import { type Db, sql } from '../../src/kit/sql.ts';
import { books, dueWork } from '../../src/edge/metrics/queues-store.ts';
import type { Role, ServiceProcess } from './service.ts';

/** Values that were read at one moment. */
export interface Sample {
  /** Seconds since the start of the load. */
  at_s: number;
  /** By name of the series. A value that could not be read is missing. */
  values: Record<string, number>;
  /** Number of starts of each process so far. */
  lives: Record<Role, number>;
}

const MB = 1 / 2 ** 20;

/** Reads the values of processes, queues, the database server and tables. */
export async function takeSample(
  live: Db,
  processes: Record<Role, ServiceProcess>,
  { since, speed }: { since: number; speed: number },
): Promise<Sample> {
  const at_s = (performance.now() - since) / 1000;
  const parts = await Promise.all([
    ...Object.values(processes).map(processValues),
    queueValues(live, speed),
    serverValues(live),
    tableValues(live),
  ]);
  return { at_s, values: Object.assign({}, ...parts), lives: { api: processes.api.life, worker: processes.worker.life } };
}

type Values = Record<string, number>;

async function processValues(process: ServiceProcess): Promise<Values> {
  const { role, pid } = process;
  const values: Values = {};
  const rss = residentBytes(pid);
  const files = openFiles(pid);
  if (rss !== null) values[`${role}.rss_mb`] = rss * MB;
  if (files !== null) values[`${role}.files`] = files;
  const scraped = await process.scrape();
  if (scraped !== null) {
    values[`${role}.metrics_kb`] = scraped.length / 1024;
    values[`${role}.pool_busy`] = connectionsIn(scraped, 'busy');
    values[`${role}.pool_most`] = connectionsIn(scraped, 'most');
  }
  const measured = await process.measure();
  if (measured) {
    values[`${role}.heap_mb`] = measured.heap_bytes * MB;
    values[`${role}.code_mb`] = measured.code_bytes * MB;
    values[`${role}.external_mb`] = measured.external_bytes * MB;
    values[`${role}.timers`] = measured.timers;
    values[`${role}.sockets`] = measured.sockets;
  }
  return values;
}

/** Adds up the connections in this state of all pools of a process. */
function connectionsIn(scraped: string, state: 'busy' | 'most'): number {
  const counts = scraped.matchAll(new RegExp(`^pirogue_db_pool\\{.*state="${state}"\\} (\\d+)$`, 'gm'));
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Returns the resident memory of a process; null where there is no /proc, or when the process has ended. */
function residentBytes(pid: number): number | null {
  try {
    const found = /^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'));
    return found ? Number(found[1]) * 1024 : null;
  } catch {
    return null;
  }
}

function openFiles(pid: number): number | null {
  try {
    return fs.readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return null;
  }
}

/** Reads depths and ages of the queues. Ages are in real seconds, whatever the speed of the databases' clock is. */
async function queueValues(live: Db, speed: number): Promise<Values> {
  const values: Values = {};
  for (const { queue, depth, late_seconds } of await dueWork(live)) {
    values[`queue.${queue}.depth`] = depth;
    values[`queue.${queue}.late_s`] = late_seconds / speed;
  }
  values['queue.seal.late_s'] = (await books(live)).unsealed_seconds / speed;
  return values;
}

async function serverValues(live: Db): Promise<Values> {
  const [row] = await live.all<Values>(sql`
    select pg_database_size(current_database())::float8 as bytes,
      (select count(*) from pg_stat_activity where backend_type = 'client backend')::float8 as connections,
      (select coalesce(extract(epoch from max(clock_timestamp() - xact_start)), 0) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid())::float8 as oldest_s,
      (select count(*) from pg_locks where not granted)::float8 as waiting,
      (select count(*) from balance_deltas)::float8 as deltas`);
  const { bytes = 0, connections = 0, oldest_s = 0, waiting = 0, deltas = 0 } = row ?? {};
  return {
    'db.size_mb': bytes * MB,
    'db.connections': connections,
    'db.oldest_transaction_s': oldest_s,
    'db.waiting_locks': waiting,
    'queue.fold.depth': deltas,
  };
}

interface TableRow {
  table: string;
  bytes: number;
  live: number;
  dead: number;
  inserted: number;
}

async function tableValues(live: Db): Promise<Values> {
  const rows = await live.all<TableRow>(sql`
    select relname as table, pg_total_relation_size(relid)::float8 as bytes, n_live_tup::float8 as live, n_dead_tup::float8 as dead,
      n_tup_ins::float8 as inserted from pg_stat_user_tables where n_tup_ins > 0`);
  const values: Values = {};
  for (const { table, bytes, live, dead, inserted } of rows) {
    values[`table.${table}.mb`] = bytes * MB;
    values[`table.${table}.rows`] = live;
    values[`table.${table}.dead`] = dead;
    if (table === 'payments') values['payments.inserted'] = inserted;
  }
  return values;
}
