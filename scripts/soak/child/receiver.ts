import { createHmac, timingSafeEqual } from 'node:crypto';
import type http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { takeJobs } from '../../../bench/child/jobs.ts';
import { createLog } from '../../../src/kit/log.ts';
import { sql } from '../../../src/kit/sql.ts';
import { openPool } from '../../../src/platform/db/pool.ts';
import { selfSigned } from '../../../test/setup/certificate.ts';

export type ReceiverJob =
  | { kind: 'open'; secret: string }
  /** Returns which events of the database were not received, and which of the events missed before still were not. */
  | { kind: 'compare'; live_url: string; missed: string[] };

export interface ReceiverResult {
  port?: number;
  received?: number;
  repeated?: number;
  wrong?: number;
  /** Events of the database that were not received. */
  missing?: string[];
}

/** One request in this number is answered with 503, so that the service repeats the delivery. */
const FAIL_EVERY = 100;
const PAGE = 10_000;
const MAX_MISSING = 20;
const EVENT_ID = /"id":"(evt_[^"]+)"/;

const received = new Set<string>();
let secret = '';
let requests = 0;
let repeated = 0;
let wrong = 0;

const answer: http.RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    requests += 1;
    const status = requests % FAIL_EVERY === 0 ? 503 : 200;
    if (status === 200) record(request.headers, Buffer.concat(chunks));
    response.writeHead(status, { 'content-length': 2 }).end('ok');
  });
};

function record(headers: http.IncomingHttpHeaders, body: Buffer): void {
  const id = EVENT_ID.exec(body.toString())?.[1];
  if (!isSigned(headers, body) || id === undefined) wrong += 1;
  else if (received.has(id)) repeated += 1;
  else received.add(id);
}

/**
 * Verifies a delivery as the contract describes it to receivers (docs/contract/webhooks-and-signatures.md): the prefix, then the
 * bytes as they were received. It uses no code of the service, because an error would then be in both and remain unseen. The age of
 * the timestamp is not checked, because the service's clock runs faster than this machine's.
 */
function isSigned(headers: http.IncomingHttpHeaders, body: Buffer): boolean {
  const [given, timestamp] = [headers['x-service-signature'], headers['x-service-timestamp']];
  if (typeof given !== 'string' || !given.startsWith('v1=') || typeof timestamp !== 'string') return false;
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
  const expected = Buffer.from(createHmac('sha256', secret).update(signed).digest('hex'));
  const digest = Buffer.from(given.slice('v1='.length));
  return digest.length === expected.length && timingSafeEqual(digest, expected);
}

async function open(given: string): Promise<ReceiverResult> {
  secret = given;
  const server = https.createServer(selfSigned(), answer);
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', 1024, resolve));
  return { port: (server.address() as AddressInfo).port };
}

async function compare(url: string, missed: readonly string[]): Promise<ReceiverResult> {
  const db = openPool({ url, size: 1, log: createLog({ level: 'warn', format: 'json' }) });
  const missing = missed.filter((id) => !received.has(id));
  try {
    for (let after = ''; ; ) {
      const rows = await db.all<{ id: string }>(sql`select id from events where id > ${after} order by id limit ${PAGE}`);
      missing.push(...rows.map(({ id }) => id).filter((id) => !received.has(id)));
      if (rows.length < PAGE) break;
      after = rows.at(-1)?.id ?? after;
    }
  } finally {
    await db.close();
  }
  return { received: received.size, repeated, wrong, missing: [...new Set(missing)].slice(0, MAX_MISSING) };
}

takeJobs<ReceiverJob, ReceiverResult>((job) => (job.kind === 'open' ? open(job.secret) : compare(job.live_url, job.missed)));
