import { archivePayments } from '../src/core/archive/service.ts';
import { systemClock } from '../src/kit/clock.ts';
import { createLog } from '../src/kit/log.ts';
import { openPool } from '../src/platform/db/pool.ts';
import { WORKER } from '../src/tenants/audit/actor.ts';
import type { Ports, SinkJob } from './child/sink.ts';
import { Helper } from './helper.ts';
import type { Service } from './service.ts';
import { merchant, payAll, settled, WRITTEN } from './lives.ts';
import { clear, type Stage } from './stage.ts';

const PAYMENTS = 5_000;
/** Fewer, and the pages that are only begun would outweigh the rows. */
const QUICK_PAYMENTS = 1_000;
const AT_ONCE = 16;

/** What a payment takes of the disk. All figures are bytes for each payment. */
export interface Footprint {
  payments: number;
  /** As it was written: with the space of rows deleted (deliveries, deltas) and updated since. */
  after_run: number;
  /** After `vacuum`, as autovacuum does in time: that space can be used again, but stays allocated. */
  after_vacuum: number;
  /** After `vacuum full`: what the rows and indexes themselves take. */
  kept: number;
  parts: Part[];
  archive: Archived;
}

/** What payments and attempts keep before and after `pirogue archive`. */
interface Archived {
  before: number;
  after: number;
  /** The second by table and part. */
  parts: { name: string; bytes: number }[];
}

/** One table's rows, long values kept aside (toast), or one of its indexes. */
interface Part {
  table: string;
  name: string;
  rows: number;
  after_run: number;
  after_vacuum: number;
  kept: number;
}

/**
 * Bytes of tables and indexes for each payment, all in: created with an idempotency key, charged, succeeded, booked, and
 * each of its events delivered to one endpoint.
 */
export async function footprintOf(stage: Stage, service: Service, quick: boolean): Promise<Footprint> {
  const count = quick ? QUICK_PAYMENTS : PAYMENTS;
  const sink = new Helper<SinkJob, Ports>('sink', stage.folder);
  try {
    await clear(stage.sandbox, WRITTEN);
    const key = await merchant(stage, sink, 1);
    const empty = await sizes(stage);
    await payAll(service, key, { from: 0, count, at_once: AT_ONCE, charged: true });
    await settled(stage, count);
    const run = await sizes(stage);
    await stage.sandbox.query('vacuum');
    const vacuumed = await sizes(stage);
    for (const table of WRITTEN) await stage.sandbox.query(`vacuum full ${table}`);
    const full = await sizes(stage);
    return { ...footprint(count, empty, run, vacuumed, full), archive: await archivedOf(stage, empty, count) };
  } finally {
    await sink.stop();
    await clear(stage.sandbox, [...WRITTEN, 'webhook_endpoints']);
  }
}

const MOVED = ['payments', 'attempts', 'archived_attempts'];

/** Archives all payments, as when their payers' numbers have been replaced by a hash. */
async function archivedOf(stage: Stage, empty: Size[], count: number): Promise<Archived> {
  await stage.sandbox.query(`
    update attempts set payer = null, payer_hash = translate(rtrim(encode(substr(sha256(convert_to(payer || id, 'UTF8')), 1, 16), 'base64'), '='), '+/', '-_') where payer is not null`);
  const each = async () => {
    for (const table of MOVED) await stage.sandbox.query(`vacuum full ${table}`);
    const of = (all: Size[]) => all.filter(({ table }) => MOVED.includes(table));
    const before = new Map(of(empty).map(({ name, table, bytes }) => [`${table} ${name}`, bytes]));
    return of(await sizes(stage)).map(({ name, table, bytes }) => {
      const label = name === 'rows' || name === 'long values' ? `${name} of ${table}` : name;
      return { name: label, bytes: (bytes - (before.get(`${table} ${name}`) ?? 0)) / count };
    });
  };
  const sum = (parts: { bytes: number }[]) => parts.reduce((total, { bytes }) => total + bytes, 0);
  const before = sum(await each());
  const db = openPool({ url: stage.urls.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  try {
    const request = { before: new Date(Date.now() + 60_000), dry_run: false, progress: () => undefined };
    const { archived, left } = await archivePayments({ clock: systemClock }, { environment: 'sandbox', db }, request, WORKER);
    if (archived !== count) throw new Error(`${archived} of ${count} payments were archived: ${JSON.stringify(left)}`);
  } finally {
    await db.close();
  }
  const parts = await each();
  return { before, after: sum(parts), parts };
}

/** Below this a part has no line of its own. */
const LINE_BYTES = 20;

/** The figures in words and as a table, largest first. */
export function footprintNotes({ payments, after_run, after_vacuum, kept, parts, archive }: Footprint): string[] {
  const shown = (bytes: number) => Math.round(bytes).toLocaleString('en');
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  const figures = (part: Pick<Part, 'kept' | 'after_vacuum' | 'after_run'>) =>
    [part.kept, part.after_vacuum, part.after_run].map(shown);
  const large = parts.filter((part) => part.kept >= LINE_BYTES || part.after_run >= LINE_BYTES);
  const small = parts.filter((part) => !large.includes(part));
  const lines = large
    .sort((a, b) => b.kept - a.kept || b.after_run - a.after_run)
    .map((part) => line([part.table, part.name, part.rows === 0 ? '' : part.rows.toFixed(1), ...figures(part)]));
  return [
    `A payment from creation to a delivered success (${shown(payments)} of them) keeps ${shown(kept)} bytes of database, indexes and ` +
      `all (goal: 4,096). Right after the run it had allocated ${shown(after_run)}, after a vacuum ${shown(after_vacuum)}: the ` +
      'difference is space of deleted and updated rows, which later payments use again.\n\n' +
      [
        line(['table', 'part', 'rows', 'kept', 'after vacuum', 'right after']),
        '|---|---|---:|---:|---:|---:|',
        ...lines,
        line(['the rest', '', '', ...figures(summed(small))]),
        line(['all', '', '', ...figures({ kept, after_vacuum, after_run })]),
      ].join('\n'),
    `\`pirogue archive\` makes the ${shown(archive.before)} bytes of payments and attempts ${shown(archive.after)}: ` +
      `${archive.parts
        .filter(({ bytes }) => bytes >= 1)
        .map(({ name, bytes }) => `${name} ${shown(bytes)}`)
        .join(', ')}.`,
  ];
}

interface Size {
  table: string;
  name: string;
  bytes: number;
  /** Of the table; 0 for what hangs on it. */
  rows: number;
}

/** Tables with their maps, long values with their index, and indexes. */
async function sizes(stage: Stage): Promise<Size[]> {
  const { rows } = await stage.sandbox.query(`
    select coalesce(parent.relname, t.relname) as table, part.name, sum(part.bytes)::float8 as bytes
    from pg_class t left join pg_inherits on inhrelid = t.oid left join pg_class parent on parent.oid = inhparent, lateral (
      select 'rows' as name, pg_table_size(t.oid) - coalesce(pg_total_relation_size(nullif(t.reltoastrelid, 0)), 0) as bytes
      union all select 'long values', pg_total_relation_size(t.reltoastrelid) where t.reltoastrelid <> 0
      union all select coalesce(whole.relname, x.relname), pg_relation_size(x.oid)
        from pg_index i join pg_class x on x.oid = i.indexrelid left join pg_inherits h on h.inhrelid = x.oid
        left join pg_class whole on whole.oid = h.inhparent where i.indrelid = t.oid
    ) part
    where t.relkind = 'r' and t.relnamespace in ('public'::regnamespace, 'pirogue_partitions'::regnamespace) group by 1, 2`);
  const counts = new Map<string, number>();
  for (const table of WRITTEN) {
    const counted = await stage.sandbox.query(`select count(*)::integer as rows from ${table}`);
    counts.set(table, counted.rows[0].rows);
  }
  return rows.map((size) => ({ ...size, rows: size.name === 'rows' ? (counts.get(size.table) ?? 0) : 0 }));
}

function footprint(count: number, empty: Size[], run: Size[], vacuumed: Size[], full: Size[]): Omit<Footprint, 'archive'> {
  const of = (all: Size[], { table, name }: Size) => all.find((size) => size.table === table && size.name === name);
  const parts = run.map((size): Part => {
    const each = (all: Size[]) => ((of(all, size)?.bytes ?? 0) - (of(empty, size)?.bytes ?? 0)) / count;
    const { table, name, rows } = size;
    return { table, name, rows: rows / count, after_run: each(run), after_vacuum: each(vacuumed), kept: each(full) };
  });
  return { payments: count, parts, ...summed(parts) };
}

function summed(parts: Part[]): Pick<Part, 'kept' | 'after_vacuum' | 'after_run'> {
  const total = (of: 'after_run' | 'after_vacuum' | 'kept') => parts.reduce((sum, part) => sum + part[of], 0);
  return { after_run: total('after_run'), after_vacuum: total('after_vacuum'), kept: total('kept') };
}
