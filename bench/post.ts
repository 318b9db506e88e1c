import { APP_ROLE } from '../src/platform/db/pool.ts';
import { must } from '../src/kit/errors.ts';
import { Helper } from './helper.ts';
import type { LoadJob } from './child/load.ts';
import { MARK } from './child/serial.ts';
import type { Counted } from './child/tally.ts';
import type { RawJob } from './child/raw.ts';
import { loadPoint } from './load-point.ts';
import type { Options } from './options.ts';
import type { Comparison, Point, Section } from './rounds.ts';
import { type Service, startService } from './service.ts';
import { clear, type Stage } from './stage.ts';
import { BODY, createStatement, type Statement } from './statement.ts';
import { makeTeam } from './teams.ts';

/** Connections and the share of the raw loop that is the goal there. */
const GOALS = [
  [64, 0.9],
  [32, 0.65],
  [8, 0.45],
] as const;
const KEYS = 100;
const HELLO_CONNECTIONS = 32;
const WRITTEN = ['payments', 'idempotency_keys', 'events', 'deliveries'];

/** POST /payments against its own statement in a bare loop, and what its switches cost. */
export async function postSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const { team, keys } = await makeTeam(stage.control, 'sandbox', KEYS);
  const statement = await createStatement(team);
  await introduce(service, must(keys[0], 'a team has keys'));
  const raw = new Helper<RawJob, Counted>('raw', stage.folder);
  const hello = new Helper<object, { port: number }>('hello', stage.folder);
  // Without workers: several services' sweeps at once would burden every point.
  const start = (name: string, env: Record<string, string> = {}) =>
    startService(stage, { name, role: 'api', env, profile_dir: null });
  const others = {
    api: await start('api'),
    single: await start('single', { CREATE_BATCHING: 'off' }),
    logging: await start('logging', { LOG_LEVEL: 'info' }),
  };
  const { port } = await hello.run({}, 10_000);

  const prepare = () => clear(stage.sandbox, WRITTEN);
  const requests = keys.map(request);
  const post = (id: string, label: string, asked: Service, connections: number) =>
    loadPoint(stage, options, {
      id,
      label: `${label}, ${connections} connections`,
      service: asked,
      connections,
      requests,
      prepare,
    });
  const points: Point[] = GOALS.flatMap(([connections]) => [
    rawPoint(stage, options, raw, statement, connections),
    post(`post-${connections}`, 'POST /payments', service, connections),
    post(`api-${connections}`, 'without workers', others.api, connections),
    post(`single-${connections}`, 'without workers, CREATE_BATCHING=off', others.single, connections),
  ]);
  points.push(
    post('logging-64', 'without workers, LOG_LEVEL=info', others.logging, 64),
    loadPoint(stage, options, {
      id: 'hello',
      label: `bare Fastify hello, ${HELLO_CONNECTIONS} connections`,
      service: { port, pid: hello.pid },
      connections: HELLO_CONNECTIONS,
      requests: ['GET /hello HTTP/1.1\r\nHost: bench\r\n\r\n'],
      prepare: async () => {},
    }),
  );
  return {
    name: 'post',
    points,
    comparisons: comparisons(),
    close: async () => {
      await Promise.all([...Object.values(others), raw, hello].map((one) => one.stop()));
      await clear(stage.sandbox, WRITTEN);
    },
  };
}

/** The payer's first order makes the customer whom all that are measured find: the raw loop has nobody else to. */
async function introduce({ port }: Service, key: string): Promise<void> {
  const headers = { authorization: key, 'content-type': 'application/json' };
  const { status } = await fetch(`http://127.0.0.1:${port}/payments`, { method: 'POST', headers, body: JSON.stringify(BODY) });
  if (status !== 201) throw new Error(`the first order was answered with ${status}`);
}

function comparisons(): Comparison[] {
  const metric = 'per_second' as const;
  return [
    ...GOALS.flatMap(([connections, least]) => [
      { point: `post-${connections}`, baseline: `raw-${connections}`, metric, goal: { least } },
      { point: `api-${connections}`, baseline: `raw-${connections}`, metric },
      { point: `single-${connections}`, baseline: `raw-${connections}`, metric },
    ]),
    { point: 'logging-64', baseline: 'raw-64', metric },
  ];
}

function rawPoint(
  stage: Stage,
  { warm_seconds, seconds }: Options,
  raw: Helper<RawJob, Counted>,
  statement: Statement,
  connections: number,
): Point {
  return {
    id: `raw-${connections}`,
    label: `its statement in a bare loop, ${connections} connections`,
    service_pid: null,
    client_pid: raw.pid,
    prepare: () => clear(stage.sandbox, WRITTEN),
    run: (started) =>
      raw.run(
        {
          url: stage.urls.sandbox,
          settings: `-c role=${APP_ROLE} -c pirogue.team=${statement.team_id}`,
          connections,
          statement,
          warm_ms: warm_seconds * 1000,
          window_ms: seconds * 1000,
        },
        (warm_seconds + seconds) * 1000 + 60_000,
        started,
      ),
  };
}

function request(key: string): LoadJob['requests'][number] {
  const body = JSON.stringify(BODY);
  return [
    'POST /payments HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: ${key}`,
    'Content-Type: application/json',
    `Idempotency-Key: key-${MARK}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
