import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import type { Point } from '../../scripts/soak/slope.ts';
import { signature } from '../../src/money/webhooks/sign.ts';
import { takeJobs } from './jobs.ts';
import type { Ports, SinkJob } from './sink.ts';
import type { Counted, Windowed } from './tally.ts';

/** A shop that creates payments at a fixed rate, however long the answers take, and that receives its own webhooks: one clock for both. */
export type PaceJob = Extract<SinkJob, { kind: 'open' }> | ({ kind: 'pace' } & Pace);

interface Pace extends Windowed {
  port: number;
  key: string;
  body: object;
  /** Payments for each second. */
  rate: number;
  /** What is sent to charge each payment, from its answer on; null: nothing. */
  charge: object | null;
  /** Endpoints that get each event. */
  endpoints: number;
}

export interface Paced extends Counted {
  p95_ms: number | null;
  /** Deliveries of the window that had not arrived when its last payment was answered. */
  behind: number;
  /** At moments of the window: deliveries that were due and had not arrived, those of payments without an answer yet included. */
  backlog: Point[];
}

const TICK_MS = 5;
const LOOK_MS = 500;
/** Time for the last deliveries to arrive, those that are tried again after 30 s included; what is later is counted as lost. */
const LIMIT_MS = 100_000;

let secret = '';
/** Moments of arrival, by payment. */
const arrived = new Map<string, number[]>();
const agent = new Agent({ connections: 128, pipelining: 1 });

async function open(job: Extract<PaceJob, { kind: 'open' }>): Promise<Ports> {
  secret = job.secret;
  const ports: number[] = [];
  for (let i = 0; i < job.endpoints; i++) {
    const server = https.createServer({ key: job.key, cert: job.cert }, (incoming, response) => {
      const at = performance.now();
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () => {
        response.writeHead(200, { 'content-length': 2 }).end('ok');
        const body = Buffer.concat(chunks);
        const { headers } = incoming;
        if (headers['x-service-signature'] !== signature(secret, Number(headers['x-service-timestamp']), body)) return;
        const { event, data } = JSON.parse(body.toString());
        if (event === 'payment.created') arrived.set(data.id, [...(arrived.get(data.id) ?? []), at]);
      });
    });
    await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', 1024, resolve));
    ports.push((server.address() as AddressInfo).port);
  }
  return { http: [], https: ports };
}

interface Made {
  id: string;
  /** When it was answered, and how long the answer to its charge took. */
  at: number;
  charged_ms: number | null;
}

let serial = 0;

async function pay({ port, key, body, charge }: Pace): Promise<Made> {
  const send = async (path: string, sent: object) => {
    const { statusCode, body: answer } = await request(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      dispatcher: agent,
      headers: { authorization: key, 'content-type': 'application/json', 'idempotency-key': `pace-${process.pid}-${serial++}` },
      body: JSON.stringify(sent),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${path} answered ${statusCode}: ${text}`);
    return JSON.parse(text);
  };
  const { transaction } = await send('/payments', body);
  const at = performance.now();
  if (charge === null) return { id: transaction.id, at, charged_ms: null };
  await send(`/payments/${transaction.id}`, charge);
  return { id: transaction.id, at, charged_ms: performance.now() - at };
}

/** Sends as many payments as are due at each tick: a slow service does not slow the shop. @param sent called with each */
function send(job: Pace, ms: number, sent: () => void): Promise<Made[]> {
  const began = performance.now();
  const made: Promise<Made>[] = [];
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      const passed = Math.min(ms, performance.now() - began);
      while (made.length < (passed * job.rate) / 1000) {
        const one = pay(job);
        one.catch((error) => {
          clearInterval(timer);
          reject(error);
        });
        made.push(one);
        sent();
      }
      if (passed < ms) return;
      clearInterval(timer);
      Promise.all(made).then(resolve, reject);
    }, TICK_MS);
  });
}

/** A delivery that is repeated has arrived once. */
function arrivals({ endpoints }: Pace): number {
  return arrived.values().reduce((sum, moments) => sum + Math.min(endpoints, moments.length), 0);
}

async function pace(job: Pace, started: () => void): Promise<Paced> {
  arrived.clear();
  let due = 0;
  const sent = () => {
    due += job.endpoints;
  };
  await send(job, job.warm_ms, sent);
  started();
  const since = performance.now();
  const backlog: Point[] = [];
  const look = setInterval(() => {
    const at_ms = performance.now() - since;
    // Afterwards nothing is sent, and a backlog shrinks.
    if (at_ms <= job.window_ms) backlog.push({ at_s: at_ms / 1000, value: due - arrivals(job) });
  }, LOOK_MS);
  const made = await send(job, job.window_ms, sent).finally(() => clearInterval(look));
  const seconds = (performance.now() - since) / 1000;
  const missing = () => made.reduce((sum, { id }) => sum + job.endpoints - (arrived.get(id)?.length ?? 0), 0);
  const behind = missing();
  const deadline = performance.now() + LIMIT_MS;
  while (missing() > 0) {
    if (performance.now() > deadline) throw new Error(`${missing()} deliveries did not arrive within ${LIMIT_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const waits = job.charge
    ? made.map(({ charged_ms }) => charged_ms ?? 0)
    : made.flatMap(({ id, at }) => (arrived.get(id) ?? []).map((when) => Math.max(0, when - at)));
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? null;
  return { requests: made.length, seconds, p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99), behind, backlog };
}

takeJobs<PaceJob, Ports | Paced>((job, started) => (job.kind === 'open' ? open(job) : pace(job, started)));
