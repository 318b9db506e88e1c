import pg from 'pg';

/*
 * PostgreSQL cannot build an index of a partitioned table concurrently. Several statements do the same: they create an index of the
 * parent alone, which is not valid yet, build an index of each partition concurrently, and attach these to the first.
 */

/** An index to be built. */
export interface IndexBuild {
  unique: boolean;
  name: string;
  schema: string;
  table: string;
  /** What follows the table: method, columns, condition. */
  rest: string;
  /** The indexes of partitions are built concurrently, and so outside a transaction. */
  concurrent: boolean;
}

/** A statement. `brief`: its lock blocks statements of the service, so it must not wait for long. */
export interface IndexStep {
  text: string;
  brief: boolean;
}

/** Runs a query and returns its rows. */
export type Ask = <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>;

/** Returns a function that runs queries on a connection. */
export function askOf(client: pg.Client): Ask {
  return async <Row>(text: string, values: readonly unknown[]) => (await client.query(text, [...values])).rows as Row[];
}

const BUILD =
  /^\s*create\s+(unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(\w+)\s+on\s+(?:(\w+)\.)?(\w+)\s*((?:using|\()[\s\S]*)$/i;
const DROP = /^\s*drop\s+index\s+concurrently\s+if\s+exists\s+(?:(\w+)\.)?(\w+)\s*$/i;
const MAX_NAME_LENGTH = 63;

/** Reads `create index concurrently if not exists`. Returns undefined for any other statement. */
export function readBuild(statement: string): IndexBuild | undefined {
  const [, unique, name, schema = 'public', table, rest] = BUILD.exec(statement) ?? [];
  return name && table && rest ? { unique: unique !== undefined, name, schema, table, rest, concurrent: true } : undefined;
}

/**
 * Returns the statements to run in place of a statement. One that builds or drops an index of a partitioned table concurrently becomes
 * several; any other is returned unchanged.
 */
export async function indexSteps(ask: Ask, statement: string): Promise<IndexStep[]> {
  const asGiven = [{ text: statement, brief: false }];
  const build = readBuild(statement);
  if (build) return (await isPartitioned(ask, build.schema, build.table)) ? partitionedBuild(ask, build) : asGiven;
  const [, schema = 'public', name] = DROP.exec(statement) ?? [];
  if (name && (await isPartitioned(ask, schema, name)))
    return [{ text: `drop index if exists ${nameIn(schema, name)}`, brief: true }];
  return asGiven;
}

/**
 * Returns the statements that build an index of a partitioned table. Each may be repeated; invalid indexes of partitions are built again. A
 * partition that was made since an earlier run began has its part already, under a name that PostgreSQL chose.
 */
export async function partitionedBuild(ask: Ask, build: IndexBuild): Promise<IndexStep[]> {
  const { unique, name, schema, table, rest } = build;
  const partitions = await ask<{ schema: string; partition: string; invalid: string[] }>(
    `select n.nspname::text as schema, c.relname::text as partition,
       array(select x.relname::text from pg_index i join pg_class x on x.oid = i.indexrelid
        where i.indrelid = c.oid and not i.indisvalid) as invalid
     from pg_inherits h join pg_class c on c.oid = h.inhrelid join pg_namespace n on n.oid = c.relnamespace
     where h.inhparent = to_regclass($1) and not exists (
       select 1 from pg_inherits part join pg_index i on i.indexrelid = part.inhrelid
       where part.inhparent = to_regclass($2) and i.indrelid = c.oid and i.indisvalid)
     order by c.relname`,
    [nameIn(schema, table), nameIn(schema, name)],
  );
  const kind = unique ? 'unique index' : 'index';
  const built = build.concurrent ? `${kind} concurrently` : kind;
  const own = (partition: string) => ownName(partition, table, name);
  return [
    { text: `create ${kind} if not exists ${pg.escapeIdentifier(name)} on only ${nameIn(schema, table)} ${rest}`, brief: true },
    ...partitions.flatMap(({ schema: place, partition, invalid }) => [
      ...(invalid.includes(own(partition))
        ? [{ text: `drop index concurrently if exists ${nameIn(place, own(partition))}`, brief: false }]
        : []),
      {
        text: `create ${built} if not exists ${pg.escapeIdentifier(own(partition))} on ${nameIn(place, partition)} ${rest}`,
        brief: false,
      },
      { text: `alter index ${nameIn(schema, name)} attach partition ${nameIn(place, own(partition))}`, brief: true },
    ]),
  ];
}

/** Returns the name of a partition's part of an index: `payments_status` becomes `payments_3_status`. */
function ownName(partition: string, table: string, index: string): string {
  const suffix = index.startsWith(`${table}_`) ? index.slice(table.length + 1) : index;
  return `${partition}_${suffix}`.slice(0, MAX_NAME_LENGTH);
}

/** Returns whether a table or an index is partitioned. */
async function isPartitioned(ask: Ask, schema: string, name: string): Promise<boolean> {
  const rows = await ask(`select 1 from pg_class where oid = to_regclass($1) and relkind in ('p', 'I')`, [nameIn(schema, name)]);
  return rows.length > 0;
}

/** Returns a qualified name as SQL. */
export function nameIn(schema: string, name: string): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
}
