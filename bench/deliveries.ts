import { unpack } from '../src/kit/packing.ts';
import { Secrets } from '../src/kit/crypto.ts';
import { newId } from '../src/kit/ids.ts';
import type { Team } from '../src/tenants/teams/schema.ts';
import { newSecret, secretPlace } from '../src/money/webhooks/sign.ts';
import { selfSigned } from '../test/setup/certificate.ts';
import type { SenderJob } from './child/sender.ts';
import type { Ports, SinkJob } from './child/sink.ts';
import type { Counted } from './child/tally.ts';
import { Helper } from './helper.ts';
import type { Options } from './options.ts';
import type { Point, Section } from './rounds.ts';
import type { Service } from './service.ts';
import { clear, type Stage } from './stage.ts';
import { createStatement, eventBody } from './statement.ts';
import { makeTeam } from './teams.ts';

const ENDPOINTS = 100;
/** As many as the research's loop: on two cores more are not quicker. */
const SENDER_CONCURRENCY = 64;
/** A backlog for each second of the window: about what two cores deliver in one. */
const BACKLOG_PER_SECOND = 4_000;
const LIMIT_MS = 120_000;
const WRITTEN = ['deliveries', 'delivery_attempts', 'events', 'event_sequences'];

type Sink = Helper<SinkJob, Ports | Counted | null>;

/** A backlog of webhook deliveries to 100 endpoints, against a bare loop that signs and posts. */
export async function deliveriesSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const { team } = await makeTeam(stage.control, 'sandbox', 1);
  const stored = eventBody(await createStatement(team));
  const secret = newSecret();
  const sink: Sink = new Helper('sink', stage.folder);
  const ports = (await sink.run({ kind: 'open', endpoints: ENDPOINTS, secret, ...selfSigned() }, 30_000)) as Ports;
  const sender = new Helper<SenderJob, Counted>('sender', stage.folder);
  await makeEndpoints(stage, team, secret, ports.https);
  const backlog = Math.ceil(options.seconds * BACKLOG_PER_SECOND);
  const delivery = (id: string, label: string, dead: boolean) =>
    deliveryPoint(stage, { id, label, service, sink, team, stored, backlog, dead });
  const bare = (scheme: keyof Ports) =>
    barePoint(sender, options, scheme, {
      urls: ports[scheme].map((port) => `${scheme}://127.0.0.1:${port}/hook`),
      body: unpack(stored),
      secret,
      concurrency: SENDER_CONCURRENCY,
    });
  return {
    name: 'deliveries',
    points: [
      bare('https'),
      delivery('alive', `webhook deliveries, ${ENDPOINTS} endpoints`, false),
      delivery('dead', 'the same with one endpoint dead', true),
      bare('http'),
    ],
    comparisons: [
      { point: 'alive', baseline: 'bare-https', metric: 'per_second', goal: { least: 0.65 } },
      { point: 'dead', baseline: 'alive', metric: 'per_second', goal: { least: 0.85 } },
      { point: 'alive', baseline: 'bare-https', metric: 'all_us' },
      { point: 'bare-http', baseline: 'bare-https', metric: 'per_second' },
    ],
    close: async () => {
      await Promise.all([sink, sender].map((one) => one.stop()));
      await clear(stage.sandbox, [...WRITTEN, 'webhook_endpoints']);
    },
  };
}

/** Straight into the table: through the API a team may have 16. */
async function makeEndpoints(stage: Stage, team: Team, secret: string, ports: number[]): Promise<void> {
  const secrets = new Secrets(stage.secretsKey);
  const now = Date.now();
  const ids = ports.map(() => newId('wh', 'sandbox', now));
  await stage.sandbox.query(
    `
    insert into webhook_endpoints (team_id, id, url, secret_sealed, events, api_version, created_at, updated_at)
    select $1, id, url, sealed, '{*}', $2, $3, $3 from unnest($4::text[], $5::text[], $6::text[]) as e (id, url, sealed)`,
    [
      team.id,
      team.api_version,
      new Date(now),
      ids,
      ports.map((port) => `https://127.0.0.1:${port}/hook`),
      ids.map((id) => secrets.seal(secret, secretPlace(team.id, id))),
    ],
  );
}

interface DeliveryPoint {
  id: string;
  label: string;
  service: Service;
  sink: Sink;
  team: Team;
  /** The body as it stands in the table. */
  stored: Buffer;
  /** Deliveries that are counted; a quarter of it goes before, as the warm-up. */
  backlog: number;
  dead: boolean;
}

function deliveryPoint(stage: Stage, point: DeliveryPoint): Point {
  const { id, label, service, sink, team, stored, backlog, dead } = point;
  const warm = Math.ceil(backlog / 4);
  return {
    id,
    label,
    service_pid: service.pid,
    client_pid: sink.pid,
    prepare: async () => {
      await clear(stage.sandbox, WRITTEN);
      await stage.sandbox.query('update webhook_endpoints set failing_since = null');
    },
    run: async (started) => {
      const healthy = dead ? ENDPOINTS - 1 : ENDPOINTS;
      const all = Math.ceil(((warm + backlog) * ENDPOINTS) / healthy / ENDPOINTS) * ENDPOINTS;
      const arrived = sink.run({ kind: 'expect', warm, count: backlog, dead }, LIMIT_MS, started);
      await makeBacklog(stage, team, stored, all);
      const counted = (await arrived) as Counted;
      await sink.run({ kind: 'hang_up' }, 10_000);
      await settled(stage, (all / ENDPOINTS) * healthy);
      return counted;
    },
  };
}

/** Committed at once: to the worker it is what a day of outage left behind. */
async function makeBacklog(stage: Stage, team: Team, body: Buffer, count: number): Promise<void> {
  await stage.sandbox.query(
    `
    with made as (
      insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
      select $1, 'evt_test_' || lpad(i::text, 26, '0'), 'payment.created', 'trx_test_' || lpad(i::text, 26, '0'), 1, 1, $2, now()
      from generate_series(1, $3::integer) i
    ),
    endpoints as (select id, row_number() over (order by url) - 1 as place from webhook_endpoints where team_id = $1)
    insert into deliveries (team_id, endpoint_id, event_id)
    select $1, e.id, 'evt_test_' || lpad(i::text, 26, '0')
    from generate_series(1, $3::integer) i join endpoints e on e.place = i % ${ENDPOINTS}`,
    [team.id, body, count],
  );
}

/** Quick is no use when something is lost: everything was tried, and what could succeed is on record as succeeded. */
async function settled(stage: Stage, wanted: number): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const {
      rows: [state],
    } = await stage.sandbox.query(`
      select (select count(*)::integer from deliveries where tries = 0) as waiting,
        (select count(distinct event_id)::integer from delivery_attempts where succeeded) as succeeded`);
    if (state.waiting === 0 && state.succeeded >= wanted) return;
    if (performance.now() > deadline)
      throw new Error(`of ${wanted} deliveries ${state.succeeded} succeeded, ${state.waiting} wait`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function barePoint(
  sender: Helper<SenderJob, Counted>,
  options: Options,
  scheme: keyof Ports,
  job: Omit<SenderJob, 'warm_ms' | 'window_ms'>,
): Point {
  const { warm_seconds, seconds } = options;
  return {
    id: `bare-${scheme}`,
    label: `a bare loop that signs and posts (${scheme})`,
    service_pid: null,
    client_pid: sender.pid,
    prepare: async () => {},
    run: (started) =>
      sender.run(
        { ...job, warm_ms: warm_seconds * 1000, window_ms: seconds * 1000 },
        (warm_seconds + seconds) * 1000 + 60_000,
        started,
      ),
  };
}
