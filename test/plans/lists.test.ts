// Own process: it takes about a minute or more.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Sql, sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import type { BuildOptions } from '../../src/platform/search/build.ts';
import { makeDue } from '../../src/platform/search/build-store.ts';
import { searchSweep } from '../../src/platform/search/sweep.ts';
import { SEARCHABLES } from '../../src/program/searchables.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Api, startApi } from '../setup/api.ts';
import { contractOf } from '../openapi/contract.ts';
import { type Choice, choicesOf, type List, listsOf, parametersOf } from './routes.ts';
import { addUpDays } from '../ledger/books.ts';
import { Shelf } from './rows.ts';
import { type Visits, visitsOf } from './visits.ts';

/**
 * Rows that a page may read, however many the team has. A page of two filters that many rows fit, but few both, reads up to the
 * square root of 25 times the rows.
 */
const BOUND = 2_500;
/** Rows that a count may read for each that it counts: of the balance history, a line and its journal. */
const READ_PER_MATCH: Record<string, number> = { '/balance/history': 2 };
const ROWS = 20_000;
/** Share of the rows that is few. */
const FEW = 0.02;

/** Segments so small that each list has twenty of them. */
const SEGMENTS: BuildOptions = { segment_rows: 1_000, merged_rows: 4_000, settled_ms: 60_000, rest: 0, waiting_rows: 2_000 };
const BUILD_LIMIT_MS = 120_000;

/** Routes that count their rows for each first page, because rows can be deleted, with what keeps their number small. */
const COUNTS_EACH_TIME: Record<string, string> = {
  '/beneficiaries': 'a merchant deletes them',
  '/customers/{id}/payment_methods': 'a merchant or a payer deletes them, and a customer has few',
  '/invoices': 'a merchant deletes drafts',
  '/payments/{id}/refunds': 'a payment has few',
};

/** Routes whose pages are planned for their values, with the reason. */
const PLANNED_OFTEN: Record<string, string> = { '/balance/history': 'merges the sides of several accounts and currencies' };

/** Filters by one value. */
const SINGLE = [
  ['status', 'common'],
  ['type', 'common'],
] as const;

let sent: Sql[] = [];
let listening = false;
let api: Api;
let key: string;
let lists: List[];

before(async () => {
  api = await startApi({
    workers: false,
    // The events of one month have one type here: PostgreSQL would take any other type for as frequent, and read the month.
    partitions: false,
    watch: (database) => (database === 'live' ? listen : undefined),
  });
  const owner = openPool({
    url: api.databases.live,
    size: 1,
    log: createLog({ level: 'silent', format: 'json' }),
    statement_ms: 120_000,
  });
  const small = await api.newMerchant();
  await new Shelf(owner, small.team.id, 30).fill();
  const shelf = new Shelf(owner, api.team.id, ROWS);
  await shelf.fill();
  await buildIndex(owner);
  await addUpDays(api.deps.stores.live.db, api.team.id);
  await owner.close();
  key = api.keys.live.secret;
  lists = listsOf(contractOf().document, shelf.shop);
});
after(() => api.stop());

/** Builds the search index of every list, as the workers do. */
async function buildIndex(owner: DbPool): Promise<void> {
  const { live } = api.deps.stores;
  const sweep = searchSweep(live, SEARCHABLES, SEGMENTS);
  for (const { kind } of SEARCHABLES) await makeDue(live.db, { team_id: api.team.id, kind });
  const deadline = performance.now() + BUILD_LIMIT_MS;
  for (;;) {
    const left = await owner.maybe(sql`
      select 1 from unnest(${SEARCHABLES.map(({ kind }) => kind)}::text[]) kind where (
        select coalesce(sum(row_count), 0) from search_segments s where s.team_id = ${api.team.id} and s.kind = kind
      ) < ${ROWS * 0.6} or exists (select 1 from search_builds b where b.kind = kind and b.due_at <= now()) limit 1`);
    if (!left) break;
    if (performance.now() > deadline) throw new Error('the search index was not built');
    await sweep.round();
  }
  await owner.run({ text: 'vacuum analyze search_segments, search_postings, search_changed', values: [] });
}

function listen(statement: Sql): null {
  if (listening) sent.push(statement);
  return null;
}

/** Sends a request. @returns its body and its statements */
async function asked(path: string, query: Record<string, string>) {
  sent = [];
  listening = true;
  const { status, body } = await api.call('GET', `${path}?${new URLSearchParams(query)}`, { key });
  listening = false;
  assert.equal(status, 200, `${path} ${JSON.stringify(query)}: ${JSON.stringify(body)}`);
  return { meta: body.meta, statements: sent };
}

const explain = (statement: Sql): Promise<Visits[]> =>
  api.deps.stores.live.of(api.team.id).db.transaction((tx) => visitsOf(tx, statement));

const isCount = ({ text }: Sql) => /\bcount\(\*\)/.test(text);

/** The start of cursor paging, and cursors in the middle and at the end of a list, in both directions. */
async function cursorsOf(list: List): Promise<Record<string, string>[]> {
  if (!list.has_cursor) return [];
  const { meta } = await asked(list.path, { page: '1', per_page: '1' });
  const pages = [Math.ceil(meta.total / 50), Math.ceil(meta.total / 25)];
  const found: Record<string, string>[] = [{ cursor: '' }];
  for (const page of pages) {
    const older = (await asked(list.path, { page: String(page), per_page: '25' })).meta.next_cursor;
    const newer = (await asked(list.path, { cursor: older })).meta.prev_cursor;
    found.push({ cursor: older }, ...(newer ? [{ cursor: newer }] : []));
  }
  return found;
}

/**
 * Rows that a count may read: those of its narrowest filter when they are few. PostgreSQL compares costs: of filters that many rows
 * fit, it may read the one whose rows lie together.
 * @param matches of the list and of each filter alone
 */
function counted(matches: number[]): number {
  const [narrowest, widest] = [Math.min(...matches), Math.max(...matches)];
  return narrowest <= widest * FEW ? narrowest : 2 * widest;
}

interface Excess {
  route: string;
  choice: Choice;
  /** Reads, in words. */
  what: string;
}

const said = new Set<string>();

/** Pages of filters together are read from the beginning and from the middle. A search costs the same from everywhere. */
function positionsOf(choice: Choice, deep: Record<string, string>[]): Record<string, string>[] {
  const filters = Object.keys(choice).length;
  if (filters < 2) return [{}, { page: '2' }, ...deep];
  return 'search' in choice ? [{}] : [{}, ...deep.slice(1)];
}

/** Asks one query of a list as every kind of page. */
async function walk(list: List, choice: Choice, deep: Record<string, string>[], totals: Map<string, number>): Promise<Excess[]> {
  const found: Excess[] = [];
  const filters = parametersOf(list, choice);
  for (const position of positionsOf(choice, deep)) {
    const { meta, statements } = await asked(list.path, { ...filters, ...position });
    if ('total' in meta) totals.set(JSON.stringify(choice), meta.total);
    const singles = [{}, ...Object.entries(choice).map(([name, value]) => ({ [name]: value }))];
    const matches = counted(singles.map((single) => totals.get(JSON.stringify(single)) ?? 0));
    for (const statement of statements) {
      const bound = BOUND + (isCount(statement) ? matches * (READ_PER_MATCH[list.route] ?? 1) : 0);
      const known = JSON.stringify([statement.text, statement.values.map(String)]);
      if (said.has(known)) continue;
      said.add(known);
      for (const { rows, plan, spread } of await explain(statement)) {
        if (spread.length > 0)
          found.push({ route: list.route, choice, what: `several partitions of ${spread.join(', ')}: ${plan}` });
        if (rows > bound) {
          const what = `${Object.keys(position)[0] ?? 'first'} ${isCount(statement) ? 'count' : 'page'}: ${rows} rows > ${bound}: ${plan}`;
          found.push({ route: list.route, choice, what });
        }
      }
    }
  }
  return found;
}

test('no page and no count of a list reads more rows than its bound, whatever its filters', async () => {
  const excesses: Excess[] = [];
  for (const list of lists) {
    const deep = await cursorsOf(list);
    const totals = new Map<string, number>();
    for (const choice of choicesOf(list)) excesses.push(...(await walk(list, choice, deep, totals)));
  }
  assert.deepEqual(excesses, []);
});

test('a list without filters, or with a single value, is planned once for all values', async () => {
  const planned_often: string[] = [];
  for (const list of lists.filter(({ has_cursor }) => has_cursor)) {
    // What belongs to a customer, a link or a payment is one value already.
    const single = list.route.includes('{') ? undefined : SINGLE.find(([name]) => name in list.filters);
    for (const choice of [{}, ...(single ? [Object.fromEntries([single])] : [])]) {
      for (const position of [{}, { cursor: '' }]) {
        const { statements } = await asked(list.path, { ...parametersOf(list, choice), ...position });
        const often = statements.filter(({ text, one_plan }) => /limit \$\d+/.test(text) && !one_plan);
        if (often.length > 0) planned_often.push(list.route);
      }
    }
  }
  assert.deepEqual([...new Set(planned_often)].sort(), Object.keys(PLANNED_OFTEN).sort());
});

test('a first page without filters counts only the newest rows again', async () => {
  const again: string[] = [];
  for (const list of lists) {
    await asked(list.path, {});
    const { statements } = await asked(list.path, {});
    for (const statement of statements.filter(isCount)) {
      if ((await explain(statement)).some(({ rows }) => rows > BOUND)) again.push(list.route);
    }
  }
  assert.deepEqual([...new Set(again)].sort(), Object.keys(COUNTS_EACH_TIME).sort());
});
