import pg from 'pg';
import type { Sql, Tx } from '../../src/kit/sql.ts';
import { KEPT_FOR_EVER } from '../../src/platform/db/partitioning/tables.ts';

/** Rows of tables and entries of indexes that a statement read. */
export interface Visits {
  rows: number;
  /** Blocks read, which also show entries that an index skips without reporting them. */
  blocks: number;
  plan: string;
  /** Tables of which it read more than one partition; none where they are not partitioned. */
  spread: string[];
}

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

/** Blocks that a bounded statement may read beside those of its rows, and to begin reading an index. */
const FREE_BLOCKS = 150;
const BLOCKS_PER_ROW = 8;
const BLOCKS_PER_LOOP = 5;
/** Entries of an index in a block. An index that is read from start to end to find few rows reports only these rows. */
const ENTRIES_PER_BLOCK = 60;

/** Statements that were prepared. */
let prepared = 0;

/**
 * Runs a statement with each plan that the service may use for it: of these values, of any values when it is prepared, and
 * without sorting when one plan serves all values. Tables are not read from start to end, as in a store where the team is one of
 * many: this team has nearly all rows.
 * @param tx of the team, as the service's role
 * @param options `by_keys`: nor are tables joined by reading one of them whole, which is cheaper for hundreds of twenty thousand rows, but not for
 * hundreds of millions
 */
export async function visitsOf(tx: Tx, statement: Sql, { by_keys = false }: { by_keys?: boolean } = {}): Promise<Visits[]> {
  const avoided = ['seqscan', ...(by_keys ? ['hashjoin', 'mergejoin'] : [])];
  for (const way of avoided) await tx.run({ text: `set local enable_${way} = off`, values: [] });
  const generic = { plan_cache_mode: 'force_generic_plan', enable_sort: statement.one_plan ? 'off' : 'on' };
  const custom = { plan_cache_mode: 'force_custom_plan', enable_sort: 'on' };
  const modes = statement.one_plan ? [generic] : statement.name ? [custom, generic] : [custom];
  const found: Visits[] = [];
  // A statement that fails leaves its name to the connection.
  const name = `walked_${++prepared}`;
  await tx.run({ text: `prepare ${name} as ${statement.text}`, values: [] });
  for (const settings of modes) {
    for (const [name, value] of Object.entries(settings)) await tx.run({ text: `set local ${name} = ${value}`, values: [] });
    await tx.run({ text: 'savepoint walked', values: [] });
    found.push(await explained(tx, name, statement.values));
    // The next plan finds the same rows, and can write the same keys.
    await tx.run({ text: 'rollback to savepoint walked', values: [] });
  }
  await tx.run({ text: `deallocate ${name}`, values: [] });
  return found;
}

async function explained(tx: Tx, name: string, values: readonly unknown[]): Promise<Visits> {
  const sent = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
  const run = async () => {
    const [answer] = await tx.all<{ 'QUERY PLAN': [{ Plan: Plan }] }>({
      text: `explain (analyze, buffers, timing off, format json) execute ${name}${sent}`,
      values: [],
    });
    return (answer as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan;
  };
  let root = await run();
  // A function plans its statements in its first calls. Planning reads the catalogue and the statistics of every partition; what is measured then
  // is a call with a plan.
  if (!flat(root).some(isScan)) {
    for (let calls = 0; calls < 2; calls++) {
      await tx.run({ text: 'rollback to savepoint walked', values: [] });
      await tx.run({ text: 'set local plan_cache_mode = force_generic_plan', values: [] });
      root = await run();
    }
  }
  const nodes = flat(root);
  const rows = nodes.reduce((sum, node) => sum + visited(node), 0);
  const blocks = blocksOf(root) - nodes.filter(isWrite).reduce((sum, node) => sum + ownBlocksOf(node), 0);
  const loops = nodes.filter(isScan).reduce((sum, node) => sum + node['Actual Loops'], 0);
  const hidden = Math.max(0, blocks - FREE_BLOCKS - BLOCKS_PER_ROW * rows - BLOCKS_PER_LOOP * loops) * ENTRIES_PER_BLOCK;
  return {
    rows: rows + hidden,
    blocks,
    spread: spreadOf(nodes),
    plan: nodes.map((node) => [node['Node Type'], node['Index Name'], visited(node) || ''].filter(Boolean).join(' ')).join(', '),
  };
}

function spreadOf(nodes: readonly Plan[]): string[] {
  const read = new Set(nodes.filter((node) => node['Actual Loops'] > 0).map((node) => node['Relation Name'] ?? ''));
  return KEPT_FOR_EVER.filter((table) => [...read].filter((name) => new RegExp(`^${table}_\\d+$`).test(name)).length > 1);
}

const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)];

const blocksOf = (node: Plan) => node['Shared Hit Blocks'] + node['Shared Read Blocks'];

/** Those of a write are blocks of each index in which its rows have an entry: some 60 for a payment. */
const isWrite = (node: Plan) => node['Node Type'] === 'ModifyTable';
const ownBlocksOf = (node: Plan) => (node.Plans ?? []).reduce((rest, below) => rest - blocksOf(below), blocksOf(node));

/** A bitmap's rows are counted where the index is read. */
const isScan = (node: Plan) => /(Seq|Index|Index Only) Scan$/.test(node['Node Type']);

function visited(node: Plan): number {
  if (!isScan(node)) return 0;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return Math.round((node['Actual Rows'] + removed) * node['Actual Loops']);
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return `'${value.toISOString()}'`;
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((one) => JSON.stringify(String(one))).join(',')}}`);
  return pg.escapeLiteral(String(value));
}
