import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OpenStores } from '../../src/platform/db/stores.ts';
import { type Queryable, sql } from '../../src/kit/sql.ts';
import { Counter, Durations } from '../../src/edge/metrics/instruments.ts';
import { Meters } from '../../src/edge/metrics/meters.ts';
import { exposition } from '../../src/edge/metrics/exposition.ts';
import type { MetricsServer } from '../../src/edge/metrics/server.ts';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import { openMetrics } from '../../src/program/start/observed.ts';
import { type Api, freePort, startApi, until } from '../setup/api.ts';

let api: Api;
let metrics: MetricsServer;

before(async () => {
  api = await startApi({ workers: false, partitions: false, env: { METRICS_PORT: String(await freePort()) } });
  // Before the first scrape: later ones may use what one of five seconds ago found.
  const { sandbox } = api.deps.stores;
  await sandbox.db.run(sql`
    insert into deliveries (team_id, endpoint_id, event_id, due_at) values
      (1, 'wh_a', 'evt_1', now() - interval '90 s'), (1, 'wh_a', 'evt_2', now() - interval '10 s'),
      (1, 'wh_b', 'evt_3', now() - interval '20 s'), (1, 'wh_b', 'evt_4', now() + interval '1 h')`);
  await sandbox.db.run(sql`
    insert into transfers (team_id, id, amount_minor, fee_minor, currency, status, recipient, channel, provider_key, stage, key_id, request_id,
      created_at, updated_at, paid_late_at)
    select 1, 'po_test_' || n, 1, 0, 'XAF', 'failed', '{}', 'cm.mtn', n, 'closed', 'k', 'r', now(), now(), now() - n * interval '1 hour'
    from unnest(array[1, 23, 25]) n`);
  await openAtProviders(sandbox.db);
  metrics = (await openMetrics(api.deps, [], () => (api.deps.stores as OpenStores).use())) as MetricsServer;
});
after(async () => {
  await metrics.close();
  await api.stop();
});

/** Inserts what a provider has not ended, and beside each what does not count: ended, or read again after it had ended. */
async function openAtProviders(db: Queryable): Promise<void> {
  await db.run(sql`
    insert into transfers (team_id, id, amount_minor, fee_minor, currency, status, recipient, channel, provider_key, stage, key_id, request_id,
      created_at, updated_at, next_poll_at, dispatched_at)
    select 1, 'po_test_open_' || status || hours, 1, 0, 'XAF', status, '{}', 'cm.mtn', hours, 'dispatched', 'k', 'r',
      now() - hours * interval '1 hour', now(), now() + interval '5 min', case when is_sent then now() end
    from (values ('processing', 30, true), ('processing', 2, true), ('processing', 50, false), ('failed', 40, true)) t (status, hours, is_sent)`);
  await db.run(sql`
    insert into refunds (team_id, id, payment_id, kind, legs, amount_minor, currency, status, reason, created_at, updated_at, submitted_at,
      next_poll_at)
    select 1, 'rfd_test_open_' || hours, 'trx_test_none', 'merchant', json_build_array(leg::json), 1, 'XAF', status, 'other',
      now() - interval '90 h', now(), now() - hours * interval '1 hour', now() + interval '5 min'
    from (values ('processing', 5, '{"status":"sent"}'), ('processing', 6, '{"status":"waiting","resent":true}'),
      ('processing', 70, '{"status":"waiting"}'), ('pending', 50, '{"status":"waiting"}'), ('failed', 60, '{"status":"failed"}')) t (status, hours, leg)`);
  await db.run(sql`
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, provider_key,
      created_at, next_poll_at)
    select 1, 'att_test_open_' || status, 'trx_test_' || status, 'simulated', 'pa_a', 'cm.mtn', status, 1, 'XAF', 'k' || status,
      now() - hours * interval '1 hour', now() + interval '5 min'
    from (values ('unknown', 5), ('open', 9), ('unavailable', 70)) t (status, hours)`);
  // A charge that its provider has accepted counts from the end of the payment's window, here seven hours ago or in the future.
  await db.run(sql`
    insert into payments (team_id, id, status, amount_minor, currency, key_id, request_id, created_at, updated_at, expires_at)
    select 1, 'trx_test_open' || left_h, 'processing', 1, 'XAF', 'k', 'r', now() - interval '80 h', now(), now() + left_h * interval '1 hour'
    from unnest(array[-7, 2]) left_h`);
  await db.run(sql`
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, provider_key,
      created_at, next_poll_at)
    select 1, 'att_test_accepted' || left_h, 'trx_test_open' || left_h, 'simulated', 'pa_a', 'cm.mtn', 'open', 1, 'XAF', 'a' || left_h,
      now() - interval '80 h', now() + interval '5 min'
    from unnest(array[-7, 2]) left_h`);
}

const LINE = /^([a-z_:][\w:]*)(\{(?:[a-z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (-?\d+(?:\.\d+)?(?:e[-+]\d+)?)$/;

/** What each database is asked for; a scrape goes on without an answer that takes longer than three seconds. */
const ASKED = [
  ...['queue_depth', 'ledger_unsealed_seconds', 'float_watched', 'returns_open'],
  ...['outcomes_awaited', 'payouts_paid_late', 'partitions'],
].flatMap((name) => ['sandbox', 'live'].map((environment) => `pirogue_${name}{environment="${environment}"`));

/** All series, by name and labels. */
function scrape(): Promise<Map<string, number>> {
  return until(scrapeOnce, (found) => {
    const series = [...found.keys()];
    return ASKED.every((asked) => series.some((one) => one.startsWith(asked)));
  });
}

/** Every line has to be one that Prometheus reads. */
async function scrapeOnce(): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${metrics.port}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const match = LINE.exec(line);
      assert.ok(match, line);
      return [`${match[1]}${match[2] ?? ''}`, Number(match[3])];
    }),
  );
}

test('payouts that were paid after they had failed are counted for a day', async () => {
  const found = await scrape();
  assert.equal(found.get('pirogue_payouts_paid_late{environment="sandbox"}'), 2);
  assert.equal(found.get('pirogue_payouts_paid_late{environment="live"}'), 0);
});

test('what a provider has not ended is counted, with the age of the oldest', async () => {
  const found = await scrape();
  const of = (name: string, kind: string) => found.get(`${name}{environment="sandbox",kind="${kind}"}`);
  assert.deepEqual(
    ['payments', 'refunds', 'payouts'].map((kind) => of('pirogue_outcomes_awaited', kind)),
    [2, 2, 2],
  );
  for (const [kind, hours] of [
    ['payments', 7],
    ['refunds', 6],
    ['payouts', 30],
  ] as const) {
    const age = of('pirogue_outcomes_awaited_oldest_seconds', kind) ?? 0;
    assert.ok(age >= hours * 3_600 && age < (hours + 1) * 3_600, `${kind} ${age}`);
  }
  assert.equal(found.get('pirogue_outcomes_awaited_oldest_seconds{environment="live",kind="payouts"}'), 0);
});

test('requests are counted by route and status, never by path', async () => {
  const { body } = await api.call('POST', '/payments', { body: { amount: 500, currency: 'XAF', phone: '+237650000000' } });
  await api.call('GET', `/payments/${body.transaction.id}`);
  await api.call('GET', '/payments/trx_test_none');
  await api.call('GET', '/nowhere/at/all');
  const found = await scrape();
  assert.equal(found.get('pirogue_http_requests_total{method="POST",route="/payments",status="201"}'), 1);
  assert.equal(found.get('pirogue_http_requests_total{method="GET",route="/payments/:id",status="200"}'), 1);
  assert.equal(found.get('pirogue_http_requests_total{method="GET",route="/payments/:id",status="404"}'), 1);
  assert.equal(found.get('pirogue_http_requests_total{method="GET",route="none",status="404"}'), 1);
  assert.equal(found.get('pirogue_http_request_duration_seconds_count{method="GET",route="/payments/:id"}'), 2);
  assert.equal(found.get('pirogue_http_request_duration_seconds_bucket{method="GET",route="/payments/:id",le="+Inf"}'), 2);
  assert.deepEqual(
    [...found.keys()].filter((name) => name.includes(body.transaction.id) || name.includes('nowhere')),
    [],
  );
});

test('queues report their depth and the delay of the first due item; items that are not due do not count', async () => {
  const found = await scrape();
  assert.equal(found.get('pirogue_queue_depth{environment="sandbox",queue="deliveries"}'), 3);
  assert.equal(found.get('pirogue_queue_depth{environment="live",queue="deliveries"}'), 0);
  const late = found.get('pirogue_queue_late_seconds{environment="sandbox",queue="deliveries"}') ?? 0;
  assert.ok(late >= 90 && late < 600, String(late));
});

test('pools, books, lanes and process metrics are exported', async () => {
  const names = new Set([...(await scrape()).keys()].map((name) => name.replace(/\{.*/, '')));
  const wanted = [
    'pirogue_db_pool',
    'pirogue_store_up',
    'pirogue_ledger_unsealed_seconds',
    'pirogue_build_info',
    'nodejs_eventloop_lag_seconds',
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
  ];
  assert.deepEqual(
    wanted.filter((name) => !names.has(name)),
    [],
  );
});

test('only GET /metrics is served', async () => {
  const at = (path: string, method = 'GET') =>
    fetch(`http://127.0.0.1:${metrics.port}${path}`, { method }).then(({ status }) => status);
  assert.deepEqual(await Promise.all([at('/'), at('/payments'), at('/metrics', 'POST')]), [404, 404, 404]);
});

test('durations are counted under every bound that they do not exceed', () => {
  const times = new Durations('t_seconds', 'Times.', ['route']);
  for (const ms of [0.5, 1, 7, 60_000]) times.add(ms, '/a');
  const lines = times.family().lines;
  assert.ok(lines.includes('t_seconds_bucket{route="/a",le="0.001"} 2'));
  assert.ok(lines.includes('t_seconds_bucket{route="/a",le="0.01"} 3'));
  assert.ok(lines.includes('t_seconds_bucket{route="/a",le="30"} 3'));
  assert.ok(lines.includes('t_seconds_bucket{route="/a",le="+Inf"} 4'));
  assert.ok(lines.includes('t_seconds_count{route="/a"} 4'));
  assert.ok(lines.includes('t_seconds_sum{route="/a"} 60.0085'));
});

test('an unexpected label value cannot break a line or fill the memory', () => {
  const counter = new Counter('c_total', 'C.', ['name']);
  counter.add('a"b\\c\nd');
  assert.match(exposition([counter.family()]), /^c_total\{name="a\\"b\\\\c\\nd"\} 1$/m);
  for (let n = 0; n < 6_000; n++) counter.add(`n${n}`);
  assert.equal(counter.family().lines.length, 5_001);
  assert.ok(counter.family().lines.includes('c_total{name="other"} 1001'));
});

test('provider calls are counted by outcome, deliveries by status or failure', async () => {
  const meters = new Meters();
  const clock = { now: () => 1_000 };
  const provider = {
    name: 'wave',
    account_id: 'pa_1',
    capabilities: {},
    offers: () => true,
    keyOf: () => 'k',
    submit: async () => ({ kind: 'unavailable', detail: 'refused' }),
    read: async () => ({ kind: 'pending' }),
  } as unknown as Provider;
  await meters.provider(provider, clock).submit({ channel: { id: 'sn.wave' } } as Parameters<Provider['submit']>[0]);
  const answered = { kind: 'answered', status: 503, headers: {}, body: '', truncated: false, duration_ms: 4 } as const;
  const failed = { kind: 'failed', error: 'timeout', sent: true, detail: '', duration_ms: 10_000 } as const;
  const options = { method: 'POST', url: 'https://a.example', guard: 'public', timeout_ms: 1, max_bytes: 1 } as const;
  await meters.deliveries(async () => answered, 'live')(options);
  await meters.deliveries(async () => failed, 'live')(options);
  meters.deliveryPutBack('live', 'program');
  const text = exposition(meters.families());
  assert.match(
    text,
    /pirogue_provider_calls_total\{provider="wave",channel="sn\.wave",operation="collect",call="start",outcome="failed"\} 1/,
  );
  // Prometheus sees the first failure only if the series was there before with 0.
  for (const outcome of ['accepted', 'succeeded', 'unsuccessful', 'unreadable']) {
    assert.match(text, new RegExp(`channel="sn\\.wave",operation="collect",call="start",outcome="${outcome}"} 0$`, 'm'));
  }
  assert.match(text, /pirogue_webhook_attempts_total\{environment="live",outcome="5xx"\} 1/);
  assert.match(text, /pirogue_webhook_attempts_total\{environment="live",outcome="timeout"\} 1/);
  assert.match(text, /pirogue_webhook_put_back_total\{environment="live",cause="program"\} 1/);
});

test('partitions of each table, and rows that came without one', async () => {
  const found = await scrape();
  assert.equal(found.get('pirogue_partitions{environment="live",table="events"}'), 0);
  assert.equal(found.get('pirogue_partition_overflow{environment="live",table="events"}'), 0);
});
