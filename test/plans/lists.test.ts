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
import { type Asked, boundOf, ROWS, SEGMENT_ROWS, unfilteredBound } from './bounds.ts';
import { type Choice, LEFT_OUT, type List, listsOf, parametersOf, unaskedOf } from './routes.ts';
import { addUpDays } from '../ledger/books.ts';
import { Shelf } from './rows.ts';
import { type Visits, visitsOf } from './visits.ts';

/** Segments so small that each list has twenty of them. */
const SEGMENTS: BuildOptions = {
  segment_rows: 1_000,
  merged_rows: SEGMENT_ROWS,
  settled_ms: 60_000,
  rest: 0,
  waiting_rows: 2_000,
};
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
      select 1 from unnest(${SEARCHABLES.map(({ kind }) => kind)}::text[]) k (name) where (
        select coalesce(sum(row_count), 0) from search_segments s where s.team_id = ${api.team.id} and s.kind = k.name
      ) < ${ROWS * 0.6} or exists (select 1 from search_builds b where b.kind = k.name and b.due_at <= now()) limit 1`);
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

/** Sends a request. @returns its paging and its statements */
async function asked(list: List, query: Record<string, string>) {
  const { path, headers, by } = list;
  const key = by === 'public key' ? api.keys.live.public : api.keys.live.secret;
  sent = [];
  listening = true;
  const { status, body } = await api.call('GET', `${path}?${new URLSearchParams(query)}`, { key, headers });
  listening = false;
  assert.equal(status, 200, `${nameOf(list)} ${JSON.stringify(query)}: ${JSON.stringify(body)}`);
  return { meta: body.meta ?? {}, statements: sent };
}

const nameOf = ({ route, by, headers }: List) => [route, ...Object.keys(headers), ...(by === 'public key' ? [by] : [])].join(' ');

const explain = (statement: Sql): Promise<Visits[]> =>
  api.deps.stores.live.of(api.team.id).db.transaction((tx) => visitsOf(tx, statement));

const isCount = ({ text }: Sql) => /\bcount\(\*\)/.test(text);

/** The start of cursor paging, and cursors in the middle and at the end of a list, in both directions. */
async function cursorsOf(list: List): Promise<Record<string, string>[]> {
  if (!list.has_cursor) return [];
  const { meta } = await asked(list, { page: '1', per_page: '1' });
  const pages = [Math.ceil(meta.total / 50), Math.ceil(meta.total / 25)];
  const found: Record<string, string>[] = [{ cursor: '' }];
  for (const page of pages) {
    const older = (await asked(list, { page: String(page), per_page: '25' })).meta.next_cursor;
    const newer = (await asked(list, { cursor: older })).meta.prev_cursor;
    found.push({ cursor: older }, ...(newer ? [{ cursor: newer }] : []));
  }
  return found;
}

interface Excess {
  route: string;
  choice: Choice;
  /** Reads, in words. */
  what: string;
}

const said = new Set<string>();

/** Pages of filters together are read from the beginning and from the middle. A search costs the same from everywhere. */
function positionsOf(list: List, choice: Choice, deep: Record<string, string>[]): Record<string, string>[] {
  if (!list.has_pages) return [{}];
  const filters = Object.keys(choice).length;
  if (filters < 2) return [{}, { page: '2' }, ...deep];
  return 'search' in choice ? [{}] : [{}, ...deep.slice(1)];
}

/** Totals by choice. */
type Totals = Map<string, number>;
/** Those of the lists of the whole team, by route. */
const wholes = new Map<string, Totals>();

/** Returns the totals of the list of which this one is a part: that of payments for the list of one customer's payments. */
function wholeOf({ route, headers }: List): Totals {
  const whole = 'X-Sync' in headers ? route : `/${route.split('/').at(-1)}`;
  return wholes.get(whole) ?? new Map();
}

/** Returns what the bounds of a query depend on. */
function askedOf(list: List, choice: Choice, totals: Totals): Omit<Asked, 'is_second_page'> {
  const { route, is_owned } = list;
  const whole = wholeOf(list);
  const total = (one: Choice, ...[first, second]: [Totals, Totals]) =>
    first.get(JSON.stringify(one)) ?? second.get(JSON.stringify(one)) ?? 0;
  const all = total({}, totals, whole);
  const matches = Object.entries(choice).map(([name, value]) =>
    total({ [name]: value }, ...((is_owned ? [whole, totals] : [totals, whole]) as [Totals, Totals])),
  );
  return { route, choice, is_owned, all, matches: is_owned && matches.length > 0 ? [all, ...matches] : matches };
}

/** Asks one query of a list as every kind of page. */
async function walk(list: List, choice: Choice, deep: Record<string, string>[], totals: Totals): Promise<Excess[]> {
  const found: Excess[] = [];
  const filters = parametersOf(list, choice);
  for (const position of positionsOf(list, choice, deep)) {
    const { meta, statements } = await asked(list, { ...filters, ...position });
    if ('total' in meta) totals.set(JSON.stringify(choice), meta.total);
    const about = { ...askedOf(list, choice, totals), is_second_page: 'page' in position };
    for (const statement of statements) {
      const known = JSON.stringify([statement.text, statement.values.map(String)]);
      if (said.has(known)) continue;
      said.add(known);
      const { bound, what } = boundOf(statement, about);
      for (const { rows, plan, spread } of await explain(statement)) {
        const excess = (text: string) => found.push({ route: nameOf(list), choice, what: `${text}: ${plan}` });
        if (spread.length > 0) excess(`several partitions of ${spread.join(', ')}`);
        if (rows > bound) excess(`${Object.keys(position)[0] ?? 'first'} ${what}: ${rows} rows > ${bound}`);
      }
    }
  }
  return found;
}

test('no page and no count of a list reads more rows than its bound, whatever its filters', async () => {
  const excesses: Excess[] = [];
  for (const list of lists) {
    const deep = await cursorsOf(list);
    const totals: Totals = new Map();
    if (!list.is_owned && list.by === 'secret key') wholes.set(list.route, totals);
    for (const choice of list.choices) excesses.push(...(await walk(list, choice, deep, totals)));
  }
  assert.deepEqual(excesses, []);
});

test('every parameter of every list and object is walked, or left out with a reason', () => {
  assert.deepEqual(unaskedOf(contractOf().document, lists), Object.keys(LEFT_OUT).sort());
});

test('a list without filters, or with a single value, is planned once for all values', async () => {
  const planned_often: string[] = [];
  for (const list of lists.filter(({ has_cursor, by }) => has_cursor && by === 'secret key')) {
    // What belongs to a customer, a link or a payment is one value already.
    const single = list.route.includes('{') ? undefined : SINGLE.find(([name]) => name in list.filters);
    for (const choice of [{}, ...(single ? [Object.fromEntries([single])] : [])]) {
      for (const position of [{}, { cursor: '' }]) {
        const { statements } = await asked(list, { ...parametersOf(list, choice), ...position });
        const often = statements.filter(({ text, one_plan }) => /limit \$\d+/.test(text) && !one_plan);
        if (often.length > 0) planned_often.push(list.route);
      }
    }
  }
  assert.deepEqual([...new Set(planned_often)].sort(), Object.keys(PLANNED_OFTEN).sort());
});

test('a first page without filters counts only the newest rows again', async () => {
  const again: string[] = [];
  for (const list of lists.filter(({ has_pages, by }) => has_pages && by === 'secret key')) {
    await asked(list, {});
    const { statements } = await asked(list, {});
    for (const statement of statements.filter(isCount)) {
      if ((await explain(statement)).some(({ rows }) => rows > unfilteredBound)) again.push(list.route);
    }
  }
  assert.deepEqual([...new Set(again)].sort(), Object.keys(COUNTS_EACH_TIME).sort());
});

test('a page of the balance history starts at its days where the cursor is of newer ones', async () => {
  const list = lists.find(({ route, headers }) => route === '/balance/history' && Object.keys(headers).length === 0) as List;
  const [, middle] = await cursorsOf(list);
  for (const choice of [{ days: 'old' }, { days: 'old', bucket: 'common' }, { days: 'old', kind: 'common' }]) {
    const filters = parametersOf(list, choice);
    const read: number[] = [];
    for (const position of [{ cursor: '' }, middle]) {
      const { statements } = await asked(list, { ...filters, ...position });
      const page = statements.findLast(({ text }) => /\blimit\b/.test(text)) as Sql;
      read.push(Math.max(...(await explain(page)).map(({ blocks }) => blocks)));
    }
    const [first, later] = read as [number, number];
    // What is beside the page itself is the place of the cursor.
    assert.ok(later <= first + 30, `${JSON.stringify(choice)}: ${later} blocks, ${first} at the start of the same days`);
  }
});
