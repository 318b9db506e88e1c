import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { tracingSettings } from '../../src/platform/config/tracing.ts';
import { Exporter } from '../../src/platform/telemetry/exporter.ts';
import { type Ended, Tracer } from '../../src/platform/telemetry/tracer.ts';
import { summaryOf, tracedSend } from '../../src/platform/telemetry/watch.ts';
import { until } from '../setup/api.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';
import { startReceiver, type Receiver } from '../setup/receiver.ts';
import { call, newFolder, type Program, startProgram } from '../ops/program.ts';

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
}

const collected: SentSpan[] = [];
const collector = http.createServer(async (request, response) => {
  let text = '';
  for await (const part of request) text += part;
  assert.equal(request.url, '/v1/traces');
  assert.equal(request.headers['x-token'], 'a b');
  collected.push(...JSON.parse(text).resourceSpans[0].scopeSpans[0].spans);
  response.end('{}');
});

const dataDir = newFolder();
let databases: Databases;
let receiver: Receiver;
let program: Program;

before(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  databases = await cloneDatabases();
  receiver = await startReceiver();
  const { port } = collector.address() as AddressInfo;
  program = await startProgram({
    dataDir,
    databases,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b' },
  });
});
after(async () => {
  await program.stop();
  await receiver.close();
  collector.close();
  await databases.drop();
  fs.rmSync(dataDir, { recursive: true });
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

test('a request is a span in the trace of the caller; its statements are child spans; its delivery has the context', async () => {
  const { secret } = program.keys.sandbox;
  assert.equal((await call(program.url, secret, 'POST', '/webhooks', { url: receiver.url })).status, 201);
  const payment = await call(
    program.url,
    secret,
    'POST',
    '/payments',
    { amount: 500, currency: 'XAF', phone: '+237650000000' },
    { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
  );
  assert.equal(payment.status, 201);
  assert.match(payment.headers.get('traceparent') ?? '', new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  const spans = await until(
    async () => collected,
    // The span of the request ends after those of its statements, and may be exported after them.
    (all) =>
      all.some(({ name }) => name === 'webhook delivery') && all.some(({ traceId, kind }) => traceId === TRACE && kind === 2),
  );
  const server = spans.find(({ traceId, kind }) => traceId === TRACE && kind === 2) as SentSpan;
  assert.equal(server.name, 'POST /payments');
  assert.equal(server.parentSpanId, '00f067aa0ba902b7');
  assert.equal(server.spanId, payment.headers.get('traceparent')?.split('-')[2]);
  assert.ok(BigInt(server.endTimeUnixNano) > BigInt(server.startTimeUnixNano));
  const below = spans.filter(({ traceId, parentSpanId }) => traceId === TRACE && parentSpanId === server.spanId);
  assert.ok(
    below.some(({ name }) => name.includes('insert payments')),
    JSON.stringify(below.map(({ name }) => name)),
  );
  const delivery = spans.find(({ name }) => name === 'webhook delivery') as SentSpan;
  const received = receiver.received.map(({ headers }) => headers.traceparent);
  assert.ok(received.includes(`00-${delivery.traceId}-${delivery.spanId}-01`));
  // Neither what was sent nor who was paid is told to the collector.
  assert.doesNotMatch(JSON.stringify(spans), /237650000000|sk_test|authorization/i);
});

test('the sampling flag of the caller is respected', async () => {
  const trace = 'f'.repeat(31).concat('1');
  const answer = await call(program.url, program.keys.sandbox.secret, 'GET', '/payments', undefined, {
    traceparent: `00-${trace}-00f067aa0ba902b7-00`,
  });
  assert.match(answer.headers.get('traceparent') ?? '', /-00$/);
  await call(program.url, program.keys.sandbox.secret, 'GET', '/balance');
  await until(
    async () => collected,
    (all) => all.some(({ name }) => name === 'GET /balance'),
  );
  assert.equal(
    collected.some(({ traceId }) => traceId === trace),
    false,
  );
});

test('a provider call is a child span, and its context is sent to the provider', async () => {
  const ended: Ended[] = [];
  const tracer = new Tracer({ add: (span: Ended) => ended.push(span) } as unknown as Exporter, 1);
  let sent: Record<string, string> | undefined;
  const send = tracedSend(
    tracer,
    async ({ headers }) => {
      sent = headers;
      return { kind: 'failed', error: 'timeout', sent: true, detail: 'no answer', duration_ms: 1 };
    },
    'provider call',
  );
  const work = tracer.start('work', 'internal');
  await tracer.within(work, () =>
    send({
      method: 'POST',
      url: 'https://api.example/v1/collect/237650000000',
      guard: 'none',
      headers: { a: 'b' },
      timeout_ms: 1,
      max_bytes: 1,
    }),
  );
  const [span] = ended;
  assert.deepEqual(
    [span?.name, span?.parent_id, span?.trace_id, span?.error],
    ['provider call', work.span_id, work.trace_id, 'timeout'],
  );
  assert.deepEqual(sent, { a: 'b', traceparent: `00-${work.trace_id}-${span?.span_id}-01` });
  assert.doesNotMatch(JSON.stringify(span), /237650000000/);
});

test('an unavailable collector costs no memory and does not affect the work', async () => {
  const settings = { url: 'http://127.0.0.1:1/v1/traces', headers: {}, service: 'pirogue', share: 1 };
  let complaints = 0;
  const log = { warn: () => complaints++ } as never;
  const exporter = new Exporter(
    settings,
    async () => ({ kind: 'failed', error: 'refused', sent: false, detail: '', duration_ms: 0 }),
    log,
  );
  const tracer = new Tracer(exporter, 1);
  for (let n = 0; n < 20_000; n++) tracer.start('work', 'internal').end({});
  await tracer.close();
  assert.equal(complaints, 1);
});

test('a statement span is named after its operation', () => {
  assert.equal(summaryOf('select 1 from teams where id = $1'), 'select teams');
  assert.equal(summaryOf('with a as (select 1 from x), b as (insert into payments (id) values (1)) select 1'), 'insert payments');
  assert.equal(summaryOf('select id from refunds for update skip locked'), 'select refunds');
  assert.equal(summaryOf('update attempts set status = $1'), 'update attempts');
});

test('invalid settings are reported without their secrets', () => {
  assert.equal(tracingSettings({}), null);
  assert.throws(() => tracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }), /OTEL_EXPORTER_OTLP_ENDPOINT/);
  const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_HEADERS: 'secret-without-name' };
  assert.throws(
    () => tracingSettings(wrong),
    (error: Error) => !error.message.includes('secret-without-name'),
  );
  assert.throws(() => tracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_TRACES_SAMPLER_ARG: '2' }), /from 0 to 1/);
});
