import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { signature } from '../../src/money/webhooks/sign.ts';
import { takeJobs } from './jobs.ts';
import type { Counted } from './tally.ts';

export type SinkJob =
  | { kind: 'open'; endpoints: number; key: string; cert: string; secret: string }
  /** Waits for `warm` requests, then for `count` more, on all endpoints but a dead one (the last). */
  | { kind: 'expect'; warm: number; count: number; dead: boolean }
  | { kind: 'hang_up' };

export interface Ports {
  http: number[];
  https: number[];
}

/** Every so often a signature is checked: a sender that signs wrongly would be quick too. */
const CHECK_EVERY = 200;

let secret = '';
let requests = 0;
let wrong = 0;
let dead: http.RequestListener | null = null;
let reached: { at: number; report: () => void } = { at: Number.POSITIVE_INFINITY, report: () => {} };
const hanging = new Set<http.IncomingMessage>();

const alive: http.RequestListener = (request, response) => {
  const check = requests % CHECK_EVERY === 0;
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => {
    if (check) chunks.push(chunk);
  });
  request.on('end', () => {
    response.writeHead(200, { 'content-length': 2 }).end('ok');
    if (check && !isSigned(request, Buffer.concat(chunks))) wrong++;
    if (++requests === reached.at) reached.report();
  });
};

function isSigned({ headers }: http.IncomingMessage, body: Buffer): boolean {
  return headers['x-service-signature'] === signature(secret, Number(headers['x-service-timestamp']), body);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', 1024, resolve));
  return (server.address() as AddressInfo).port;
}

function until(count: number): Promise<void> {
  return new Promise((resolve) => {
    reached = { at: count, report: resolve };
  });
}

async function open(job: Extract<SinkJob, { kind: 'open' }>): Promise<Ports> {
  secret = job.secret;
  const ports: Ports = { http: [], https: [] };
  for (let i = 0; i < job.endpoints; i++) {
    const isLast = i === job.endpoints - 1;
    const answer: http.RequestListener = isLast ? (request, response) => (dead ?? alive)(request, response) : alive;
    ports.http.push(await listen(http.createServer(answer)));
    ports.https.push(await listen(https.createServer({ key: job.key, cert: job.cert }, answer)));
  }
  return ports;
}

takeJobs<SinkJob, Ports | Counted | null>(async (job, started) => {
  if (job.kind === 'open') return open(job);
  if (job.kind === 'hang_up') {
    for (const request of hanging) request.socket.destroy();
    hanging.clear();
    dead = null;
    return null;
  }
  requests = wrong = 0;
  dead = job.dead ? (request) => hanging.add(request) : null;
  await until(job.warm);
  const since = performance.now();
  started();
  await until(job.warm + job.count);
  if (wrong > 0) throw new Error(`${wrong} signatures were wrong`);
  return { requests: job.count, seconds: (performance.now() - since) / 1000, p50_ms: null, p99_ms: null };
});
