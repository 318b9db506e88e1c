import { APP_ROLE } from '../src/platform/db/pool.ts';
import { must } from '../src/kit/errors.ts';
import { Helper } from './helper.ts';
import { startHello } from './hello.ts';
import type { LoadJob } from './child/load.ts';
import { MARK } from './child/serial.ts';
import type { Counted } from './child/tally.ts';
import type { RawJob } from './child/raw.ts';
import { loadPoint } from './load-point.ts';
import type { Options } from './options.ts';
import type { Body } from './plain/validate.ts';
import { clearPlain, loopPoint, newPlainKeys, startLoop, startPlainProcess } from './plain/points.ts';
import { withoutPolicies } from './policies.ts';
import type { Comparison, Metric, Point, Section } from './rounds.ts';
import { type Service, startService } from './service.ts';
import { clear, type Stage } from './stage.ts';
import { BODY, createStatement, type Statement } from './statement.ts';
import { makeTeam } from './teams.ts';

/** Connections, and the share of the plain insert loop that is the goal there. */
const GOALS = [
  [64, 1],
  [32, 0.8],
  [8, 0.55],
] as const;
/** How many times the Node CPU of a bare hello a payment may cost. */
const MAX_HELLOS = 10;
/** What must be left with a line of log for each request, with requests that are stored for the console, and with row-level security. */
const WITH_LOG = 0.95;
const WITH_STORED_REQUESTS = 0.97;
const WITH_POLICIES = 0.9;
const KEYS = 100;
const WRITTEN = ['payments', 'idempotency_keys', 'events', 'deliveries'];
const PLAIN_TEAM = { team_id: 1, endpoints: [1] };

type Asked = Pick<Service, 'port' | 'pid'>;

/** POST /payments relative to the plain insert loop, the plain service and its own statement, and what its switches cost. */
export async function postSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const { team, keys } = await makeTeam(stage.control, 'sandbox', KEYS);
  const statement = await createStatement(team);
  await introduce(service, must(keys[0], 'a team has keys'));
  const raw = new Helper<RawJob, Counted>('raw', stage.folder);
  const loop = startLoop(stage);
  const plainKeys = newPlainKeys(KEYS, PLAIN_TEAM);
  const plain = await startPlainProcess(stage, plainKeys);
  const hello = await startHello(stage, options);
  // Without workers: several services' sweeps at once would burden every point.
  const start = (name: string, env: Record<string, string> = {}) =>
    startService(stage, { name, role: 'api', env, profile_dir: null });
  const others = {
    // Rounds of one day make more requests than a team's usual limit.
    api: await start('api', { REQUEST_LOG: '100000000' }),
    unstored: await start('unstored', { REQUEST_LOG: 'off' }),
    single: await start('single', { CREATE_BATCHING: 'off' }),
    logging: await start('logging', { LOG_LEVEL: 'info' }),
  };
  const prepare = () => clear(stage.sandbox, WRITTEN);
  const requests = keys.map(request);
  const point = (id: string, label: string, asked: Asked, connections: number, own = { requests, prepare }) =>
    loadPoint(stage, options, {
      id: `${id}-${connections}`,
      label: `${label}, ${connections} connections`,
      service: asked,
      connections,
      ...own,
    });
  const ofPlain = { requests: plainKeys.map(([key]) => request(key)), prepare: () => clearPlain(stage) };
  const plainly = { team: PLAIN_TEAM, body: BODY as Body };
  const points: Point[] = GOALS.flatMap(([connections]) => [
    loopPoint(stage, options, loop, { what: 'payments', connections, ...plainly }),
    point('post', 'POST /payments', service, connections),
    point('plain', 'plain POST', plain, connections, ofPlain),
    rawPoint(stage, options, raw, statement, connections),
    point('api', 'POST without workers', others.api, connections),
    point('single', 'POST without workers, CREATE_BATCHING=off', others.single, connections),
  ]);
  const apart = point('api', 'POST without workers', others.api, 64);
  points.push(
    point('logging', 'POST without workers, LOG_LEVEL=info', others.logging, 64),
    point('unstored', 'POST without workers, REQUEST_LOG=off', others.unstored, 64),
    withoutPolicies(stage.sandbox, apart, 'unsecured-64'),
    loopPoint(stage, options, loop, { what: 'one_row', connections: 64, ...plainly }),
    hello.point,
  );
  return {
    name: 'post',
    points,
    comparisons: comparisons(),
    close: async () => {
      await Promise.all([...Object.values(others), raw, loop, plain, hello].map((one) => one.stop()));
      await clear(stage.sandbox, WRITTEN);
      await clearPlain(stage);
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
  const each = (point: string, baseline: string, of: Metric = metric) =>
    GOALS.map(([n]): Comparison => ({ point: `${point}-${n}`, baseline: `${baseline}-${n}`, metric: of }));
  return [
    ...GOALS.map(([n, least]): Comparison => ({ point: `post-${n}`, baseline: `loop-${n}`, metric, goal: { least } })),
    { point: 'post-64', baseline: 'hello', metric: 'service_us', goal: { most: MAX_HELLOS } },
    { point: 'logging-64', baseline: 'api-64', metric, goal: { least: WITH_LOG } },
    { point: 'api-64', baseline: 'unstored-64', metric, goal: { least: WITH_STORED_REQUESTS } },
    { point: 'api-64', baseline: 'unsecured-64', metric, goal: { least: WITH_POLICIES } },
    ...each('post', 'loop', 'all_us'),
    ...each('post', 'plain'),
    ...each('plain', 'loop'),
    { point: 'loop-64', baseline: 'one_row-64', metric },
    { point: 'plain-64', baseline: 'hello', metric: 'service_us' },
    ...each('post', 'raw'),
    ...each('post', 'api'),
    ...each('api', 'single'),
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
    label: `Pirogue's own statement in a loop, ${connections} connections`,
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
