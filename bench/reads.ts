import { fillPayments, sampleIds } from './fill.ts';
import { startHello } from './hello.ts';
import { loadPoint } from './load-point.ts';
import type { Options } from './options.ts';
import { fillPlain, plainIds, plainMiddle } from './plain/fill.ts';
import { clearPlain, newPlainKeys, startPlainProcess } from './plain/points.ts';
import { withoutPolicies } from './policies.ts';
import type { Comparison, Point, Section } from './rounds.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';
import { makeTeam } from './teams.ts';

const SMALL_ROWS = 1_000;
const CONNECTIONS = 16;
/** How much slower the large team may be answered. */
const BY_SIZE = { most: 1.15 };
/** The share of the plain service's requests, the Node CPU in hellos, and what must be left with row-level security. */
const OF_PLAIN = { least: 0.6 };
const HELLOS = { most: 8 };
const WITH_POLICIES = { least: 0.9 };
/** Different payments asked for. */
const SAMPLE = 5_000;

/** A team of one service: what one of them is asked must not depend on how many rows it has. */
interface Reader {
  rows: number;
  key: string;
  ids: string[];
  /** Of the page in the middle of the list. */
  cursor: string;
}

type Size = 'small' | 'large';
type Asked = Pick<Service, 'port' | 'pid'>;

interface Readers {
  service: Record<Size, Reader>;
  plain: Record<Size, Reader>;
}

const filled = new WeakMap<Stage, Promise<Readers>>();

const one = ({ ids, key }: Reader) => ids.map((id) => request(`/payments/${id}`, key));
const first = ({ key }: Reader) => [request('/payments', key)];
const second = ({ key }: Reader) => [request('/payments?page=2', key)];
const middle = ({ cursor, key }: Reader) => [request(`/payments?cursor=${cursor}`, key)];

/** GET /payments/{id} of a small and a large team, relative to the plain service. */
export async function getSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const { service: readers, plain: plainReaders } = await readersOf(stage, options, service);
  const plain = await startPlain(stage, plainReaders);
  const hello = await startHello(stage, options);
  const point = pointMaker(stage, options);
  const large = point('one-large', 'GET /payments/{id}', service, readers.large, one);
  return {
    name: 'get',
    points: [
      point('one-plain', 'plain GET', plain, plainReaders.large, one),
      large,
      withoutPolicies(stage.live, large, 'one-unsecured'),
      point('one-small', 'GET /payments/{id}', service, readers.small, one),
      hello.point,
    ],
    comparisons: [
      { point: 'one-large', baseline: 'one-plain', metric: 'per_second', goal: OF_PLAIN },
      { point: 'one-large', baseline: 'hello', metric: 'service_us', goal: HELLOS },
      { point: 'one-large', baseline: 'one-unsecured', metric: 'per_second', goal: WITH_POLICIES },
      { point: 'one-large', baseline: 'one-small', metric: 'p50_ms', goal: BY_SIZE },
      { point: 'one-large', baseline: 'one-plain', metric: 'all_us' },
      { point: 'one-plain', baseline: 'hello', metric: 'service_us' },
    ],
    close: async () => {
      await Promise.all([plain.stop(), hello.stop()]);
    },
  };
}

/** The pages of GET /payments of a small and a large team, relative to the plain service. */
export async function listSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const { service: readers, plain: plainReaders } = await readersOf(stage, options, service);
  const plain = await startPlain(stage, plainReaders);
  const point = pointMaker(stage, options);
  const both = (id: string, label: string, requests: (reader: Reader) => string[]): Point[] =>
    (['small', 'large'] as const).map((size) => point(`${id}-${size}`, label, service, readers[size], requests));
  const firsts = both('first', 'first page', first);
  return {
    name: 'list',
    points: [
      point('plain-first', 'plain list of 25', plain, plainReaders.small, first),
      ...firsts,
      withoutPolicies(stage.live, firsts[1] as Point, 'first-unsecured'),
      ...both('second', 'page=2', second),
      point('plain-middle', 'plain list of 25, cursor in the middle', plain, plainReaders.large, middle),
      ...both('middle', 'cursor in the middle', middle),
    ],
    comparisons: [
      { point: 'first-small', baseline: 'plain-first', metric: 'per_second', goal: OF_PLAIN },
      { point: 'middle-large', baseline: 'plain-middle', metric: 'per_second', goal: OF_PLAIN },
      { point: 'first-large', baseline: 'first-unsecured', metric: 'per_second', goal: WITH_POLICIES },
      ...['first', 'second', 'middle'].map(
        (id): Comparison => ({ point: `${id}-large`, baseline: `${id}-small`, metric: 'p50_ms', goal: BY_SIZE }),
      ),
      { point: 'first-small', baseline: 'plain-first', metric: 'all_us' },
      { point: 'middle-large', baseline: 'plain-middle', metric: 'all_us' },
    ],
    close: () => plain.stop(),
  };
}

function startPlain(stage: Stage, { small, large }: Record<Size, Reader>) {
  return startPlainProcess(stage, [
    [small.key, PLAIN_TEAMS.small],
    [large.key, PLAIN_TEAMS.large],
  ]);
}

const PLAIN_TEAMS = { small: { team_id: 1, endpoints: [] }, large: { team_id: 2, endpoints: [] } };

function pointMaker(stage: Stage, options: Options) {
  return (id: string, label: string, service: Asked, reader: Reader, requests: (reader: Reader) => string[]) =>
    loadPoint(stage, options, {
      id,
      label: `${label}, ${reader.rows.toLocaleString('en')} rows`,
      service,
      connections: CONNECTIONS,
      requests: requests(reader),
      prepare: async () => {},
    });
}

function readersOf(stage: Stage, options: Options, service: Service): Promise<Readers> {
  const known = filled.get(stage) ?? fill(stage, options.large_rows, service);
  filled.set(stage, known);
  return known;
}

async function fill(stage: Stage, large_rows: number, service: Service): Promise<Readers> {
  const small = await makeReader(stage, SMALL_ROWS);
  const large = await makeReader(stage, large_rows);
  await stage.live.query('vacuum (analyze) payments, attempts');
  await clearPlain(stage);
  await fillPlain(stage.plain.client, PLAIN_TEAMS.small.team_id, SMALL_ROWS);
  await fillPlain(stage.plain.client, PLAIN_TEAMS.large.team_id, large_rows);
  await stage.plain.client.query('vacuum (analyze) payments');
  await stage.live.query('checkpoint');
  return {
    service: { small: await small(service), large: await large(service) },
    plain: { small: await plainReader(stage, 'small', SMALL_ROWS), large: await plainReader(stage, 'large', large_rows) },
  };
}

/** @returns a function that names payments of the team, for when all are there */
async function makeReader(stage: Stage, rows: number): Promise<(service: Service) => Promise<Reader>> {
  const {
    team,
    keys: [key = ''],
  } = await makeTeam(stage.control, 'live', 1);
  await fillPayments(stage.live, team, rows);
  return async (service) => ({
    rows,
    key,
    ids: await sampleIds(stage.live, team, SAMPLE),
    cursor: await middleCursor(service, rows, key),
  });
}

async function plainReader({ plain: { client } }: Stage, size: Size, rows: number): Promise<Reader> {
  const { team_id } = PLAIN_TEAMS[size];
  const [[key]] = newPlainKeys(1, PLAIN_TEAMS[size]) as [[string, unknown]];
  return { rows, key, ids: await plainIds(client, team_id, SAMPLE), cursor: await plainMiddle(client, team_id, rows) };
}

/** The cursor as a client would have it: from the answer before. */
async function middleCursor(service: Service, rows: number, key: string): Promise<string> {
  const per_page = 100;
  const page = Math.max(1, Math.floor(rows / 2 / per_page));
  const answer = await fetch(`http://127.0.0.1:${service.port}/payments?per_page=${per_page}&page=${page}`, {
    headers: { authorization: key },
  });
  const { meta } = (await answer.json()) as { meta?: { next_cursor?: string; total?: number } };
  if (meta?.total !== rows || !meta.next_cursor) throw new Error(`the list of ${rows} payments says ${JSON.stringify(meta)}`);
  return meta.next_cursor;
}

function request(path: string, key: string): string {
  return [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: ${key}`, '', ''].join('\r\n');
}
