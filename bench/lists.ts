import http from 'node:http';
import { contractOf } from '../test/openapi/contract.ts';
import { type Choice, type List, listsOf, parametersOf } from '../test/plans/routes.ts';
import { SPAN_DAYS } from './fill.ts';
import type { Options } from './options.ts';
import { type Plant, plantOf } from './plant.ts';
import { quantile } from './quantile.ts';
import type { Point, Section } from './rounds.ts';
import { type Service, startService } from './service.ts';
import type { Stage } from './stage.ts';

/** Every page and small total is asked so often, after one more time that is not measured; a total that reads millions of rows once. */
const ASKED = 5;
const LARGE_TOTAL = 'total above 10,000';
/** A smoke run asks one of so many queries with a filter. */
const QUICK_SHARE = 40;
const PAGE = 25;
const GOAL_MS = 50;
const FEW_MATCHES = 10_000;
const MAX_SLOWEST = 12;
/** Above the deadline of a statement. */
const LIMIT_MS = 30_000;

/** One page or total that a client asks for. */
interface Query {
  list: List;
  choice: Choice;
  /** Path with its parameters. */
  path: string;
  headers: Record<string, string>;
}

interface Answer {
  status: number;
  ms: number;
  meta: { total?: number; next_cursor?: string; prev_cursor?: string };
}

/** Queries of one kind, and how long their answers took. */
interface Group {
  id: string;
  label: string;
  queries: Query[];
  taken: Map<Query, number[]>;
}

type Ask = (query: Pick<Query, 'path' | 'headers'>) => Promise<Answer>;

/**
 * Every list with every filter, pairs of them, and all together, as every kind of page; and totals. One request at a time, to a service of role `api`
 * without background work. The lists and their filters are those of the OpenAPI document (test/plans/routes.ts).
 */
export async function listsSection(stage: Stage, options: Options): Promise<Section> {
  const plant = await plantOf(stage, options, 'large');
  const service = await startService(stage, {
    ...{ name: 'lists', role: 'api', profile_dir: options.profile_dir },
    env: { LIVE_DATABASE_URL: plant.url },
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const ask: Ask = (query) => answerOf(agent, service, plant, query);
  const failed: string[] = [];
  const groups = await groupsOf(plant, options, ask, failed);
  return {
    name: 'lists-and-filters',
    points: groups.map((group) => pointOf(group, service, ask, failed)),
    comparisons: [],
    figures: () =>
      Object.fromEntries(groups.map(({ id, taken }) => [`${id}_p95_ms`, quantile([...taken.values()].flat(), 0.95)])),
    notes: async () => notesOf(groups, failed),
    close: async () => {
      agent.destroy();
      await service.stop();
    },
  };
}

/** All queries, each of which is asked once here: what is read for the first time comes from the disk. */
async function groupsOf(plant: Plant, { quick }: Options, ask: Ask, failed: string[]): Promise<Group[]> {
  const lists = listsOf(contractOf().document, plant.shop, SPAN_DAYS).filter(
    ({ has_pages, has_cursor, by }) => has_pages && has_cursor && by === 'secret key',
  );
  const groups = new Map<string, Group>();
  const add = (label: string, query: Query) => {
    const group: Group = groups.get(label) ?? { id: label.replaceAll(/\W+/g, '-'), label, queries: [], taken: new Map() };
    groups.set(label, group);
    group.queries.push(query);
  };
  let turn = 0;
  const asked = new Set<string>();
  for (const list of lists) {
    console.error(`  ${list.route} ${Object.keys(list.headers).join()}: ${list.choices.length} choices`);
    const deep = await cursorsOf(list, ask);
    for (const choice of list.choices) {
      // A quick run reads each list without filters, and makes every other kind of query at least once.
      if (quick && turn++ % QUICK_SHARE > 0 && Object.keys(choice).length > 0 && asked.has(filtersIn(choice))) continue;
      asked.add(filtersIn(choice));
      for (const [page, position] of [...positionsOf(choice, deep), ...numberedOf(choice, deep)]) {
        const query = queryOf(list, choice, position);
        const { status } = await ask(query);
        if (status === 200) add(`${page}, ${filtersIn(choice)}`, query);
        else failed.push(`${nameOf(query)} (${status})`);
      }
      if (!isCounted(choice)) continue;
      const query = queryOf(list, choice, {});
      const { status, meta } = await ask(query);
      if (status === 200) add((meta.total ?? 0) <= FEW_MATCHES ? 'total up to 10,000' : LARGE_TOTAL, query);
      else failed.push(`${nameOf(query)} (${status})`);
    }
  }
  return [...groups.values()].sort((a, b) => a.label.localeCompare(b.label));
}

function filtersIn(choice: Choice): string {
  const filters = Object.keys(choice).length;
  if ('search' in choice) return filters > 1 ? 'search and filters' : 'search';
  return ['no filter', 'one filter', 'two filters'][filters] ?? 'all filters';
}

/** Totals of one filter, and of several of which all have many matches or all have few. */
const isCounted = (choice: Choice) =>
  Object.keys(choice).length < 2 ||
  Object.values(choice).every((value) => value === 'common') ||
  Object.values(choice).every((value) => value === 'rare');

/** Cursors in the middle of a list and at its end, and the number of the page in the middle. */
interface Deep {
  middle?: string;
  end?: string;
  number: number;
}

async function cursorsOf(list: List, ask: Ask): Promise<Deep> {
  const { meta } = await ask(queryOf(list, {}, {}));
  const pages = Math.ceil((meta.total ?? 0) / PAGE);
  const number = Math.max(1, Math.floor(pages / 2));
  const after = async (page: number) => (await ask(queryOf(list, {}, { page: String(page) }))).meta.next_cursor;
  const [middle, end] = [await after(number), await after(Math.max(1, pages - 1))];
  return { number, ...(middle ? { middle } : {}), ...(end ? { end } : {}) };
}

type Position = [page: string, parameters: Record<string, string>];

function positionsOf(choice: Choice, { middle, end }: Deep): Position[] {
  const first: Position = ['first page', { cursor: '' }];
  if ('search' in choice) return [first];
  const later: Position[] = [
    ['in the middle', { cursor: middle ?? '' }],
    ['at the end', { cursor: end ?? '' }],
  ];
  return [first, ...later.filter(([, { cursor }]) => cursor !== '')];
}

/** Pages by their number, of a list without filters: they show its total, and read the rows before them. */
function numberedOf(choice: Choice, { number }: Deep): Position[] {
  if (Object.keys(choice).length > 0) return [];
  return [
    ['page=2', { page: '2' }],
    ['page=N in the middle', { page: String(number) }],
  ];
}

function queryOf(list: List, choice: Choice, position: Record<string, string>): Query {
  const parameters = new URLSearchParams({ ...parametersOf(list, choice), ...position });
  return { list, choice, headers: list.headers, path: `${list.path}?${parameters}` };
}

const nameOf = ({ list, choice, path }: Query) => {
  const page = path.includes('page=')
    ? 'numbered page'
    : path.includes('cursor=')
      ? path.endsWith('cursor=')
        ? 'first page'
        : 'later page'
      : 'total';
  const filters = Object.entries(choice).map(([name, value]) => `${name}: ${value}`);
  return `\`${[list.route, ...Object.keys(list.headers)].join(' ')}\` ${filters.join(', ') || 'no filter'}, ${page}`;
};

/** @returns status 0 when there was no answer in time */
function answerOf(
  agent: http.Agent,
  { port }: Service,
  { key }: Plant,
  { path, headers }: Pick<Query, 'path' | 'headers'>,
): Promise<Answer> {
  const sent = { agent, port, path, host: '127.0.0.1', headers: { authorization: key, ...headers }, timeout: LIMIT_MS };
  return new Promise((resolve, reject) => {
    const since = performance.now();
    const ended = (status: number, meta: Answer['meta']) => resolve({ status, ms: performance.now() - since, meta });
    const request = http.get(sent, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const { meta = {} } = JSON.parse(Buffer.concat(chunks).toString()) as Partial<Answer>;
        ended(response.statusCode ?? 0, meta);
      });
    });
    request.on('timeout', () => {
      ended(0, {});
      request.destroy();
    });
    request.on('error', reject);
  });
}

function pointOf({ id, label, queries, taken }: Group, service: Service, ask: Ask, failed: string[]): Point {
  const times_asked = label === LARGE_TOTAL ? 1 : ASKED;
  return {
    ...{ id, label: `${label} (${queries.length} queries)`, service_pid: service.pid, client_pid: process.pid },
    prepare: async () => {},
    run: async (started) => {
      started();
      const began = performance.now();
      const times: number[] = [];
      for (let n = 0; n < times_asked; n++)
        for (const query of queries) {
          const { status, ms } = await ask(query);
          if (status !== 200) failed.push(`${nameOf(query)} (${status})`);
          times.push(ms);
          taken.set(query, [...(taken.get(query) ?? []), ms]);
        }
      return {
        requests: times.length,
        seconds: (performance.now() - began) / 1_000,
        p50_ms: quantile(times, 0.5),
        p99_ms: quantile(times, 0.99),
      };
    },
  };
}

/** How many queries of a kind keep the goal in most of their answers, and the slowest ones. */
function notesOf(groups: readonly Group[], failed: readonly string[]): string[] {
  const medians = (group: Group) => [...group.taken].map(([query, times]) => ({ query, ms: quantile(times, 0.5) }));
  const kept = groups.map((group) => {
    const all = medians(group);
    const p95 = quantile([...group.taken.values()].flat(), 0.95);
    return `${group.label} ${p95.toFixed(1)} (${all.filter(({ ms }) => ms <= GOAL_MS).length} of ${all.length})`;
  });
  const slowest = groups
    .flatMap(medians)
    .filter(({ query, ms }) => ms > GOAL_MS && /cursor=|page=/.test(query.path))
    .sort((a, b) => b.ms - a.ms);
  const shown = slowest.slice(0, MAX_SLOWEST).map(({ query, ms }) => `${nameOf(query)} ${ms.toFixed(0)}`);
  return [
    `p95 of all answers in ms, and in brackets the queries whose median is at most ${GOAL_MS} ms: ${kept.join('; ')}.`,
    ...(shown.length > 0
      ? [`Pages above ${GOAL_MS} ms (${slowest.length}), the slowest first, by their medians in ms: ${shown.join('; ')}.`]
      : []),
    ...(failed.length > 0 ? [`Refused or not answered, with the status: ${[...new Set(failed)].join('; ')}.`] : []),
  ];
}
