import { fillPayments, sampleIds } from './fill.ts';
import { loadPoint } from './load-point.ts';
import type { Options } from './options.ts';
import type { Comparison, Section } from './rounds.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';
import { makeTeam } from './teams.ts';

const SMALL_ROWS = 1_000;
const CONNECTIONS = 16;
/** How much slower the large team may be answered. */
const GOAL = { most: 1.15 };
/** Different payments asked for. */
const SAMPLE = 5_000;

/** Two teams of one store: what one of them is asked must not depend on how many rows it has. */
interface Reader {
  rows: number;
  key: string;
  ids: string[];
}

type Readers = { small: Reader; large: Reader };

const filled = new WeakMap<Stage, Promise<Readers>>();

/** GET /payments/{id} of a small and a large team. */
export async function getSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const readers = await readersOf(stage, options);
  return section('get', stage, options, service, readers, [
    {
      id: 'one',
      label: 'GET /payments/{id}',
      requests: (reader) => reader.ids.map((id) => request(`/payments/${id}`, reader.key)),
    },
  ]);
}

/** The pages of GET /payments of a small and a large team. */
export async function listSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const readers = await readersOf(stage, options);
  const middle = new Map(
    await Promise.all(Object.values(readers).map(async (reader) => [reader, await middleCursor(service, reader)] as const)),
  );
  return section('list', stage, options, service, readers, [
    { id: 'first', label: 'first page', requests: ({ key }) => [request('/payments', key)] },
    { id: 'second', label: 'page=2', requests: ({ key }) => [request('/payments?page=2', key)] },
    {
      id: 'middle',
      label: 'cursor in the middle',
      requests: (reader) => [request(`/payments?cursor=${middle.get(reader)}`, reader.key)],
    },
  ]);
}

interface Read {
  id: string;
  label: string;
  requests(reader: Reader): string[];
}

function section(
  name: 'get' | 'list',
  stage: Stage,
  options: Options,
  service: Service,
  readers: Readers,
  reads: Read[],
): Section {
  const points = reads.flatMap(({ id, label, requests }) =>
    (['small', 'large'] as const).map((size) =>
      loadPoint(stage, options, {
        id: `${id}-${size}`,
        label: `${label}, ${readers[size].rows.toLocaleString('en')} rows`,
        service,
        connections: CONNECTIONS,
        requests: requests(readers[size]),
        prepare: async () => {},
      }),
    ),
  );
  const comparisons = reads.map(
    ({ id }): Comparison => ({ point: `${id}-large`, baseline: `${id}-small`, metric: 'p50_ms', goal: GOAL }),
  );
  return { name, points, comparisons, close: async () => {} };
}

function readersOf(stage: Stage, options: Options): Promise<Readers> {
  const known = filled.get(stage) ?? fill(stage, options.large_rows);
  filled.set(stage, known);
  return known;
}

async function fill(stage: Stage, large_rows: number): Promise<Readers> {
  const small = await makeReader(stage, SMALL_ROWS);
  const large = await makeReader(stage, large_rows);
  await stage.live.query('vacuum (analyze) payments, attempts');
  await stage.live.query('checkpoint');
  return { small: await small(), large: await large() };
}

/** @returns a function that names payments of the team, for when all are there */
async function makeReader(stage: Stage, rows: number): Promise<() => Promise<Reader>> {
  const {
    team,
    keys: [key = ''],
  } = await makeTeam(stage.control, 'live', 1);
  await fillPayments(stage.live, team, rows);
  return async () => ({ rows, key, ids: await sampleIds(stage.live, team, SAMPLE) });
}

/** The cursor as a client would have it: from the answer before. */
async function middleCursor(service: Service, { rows, key }: Reader): Promise<string> {
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
