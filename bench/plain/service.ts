import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { randomHex } from './ids.ts';
import { readList, readQuery } from './list.ts';
import { created, newPayment, type Row, retrieved, type Team, uuidOf, type WholeRow } from './payment.ts';
import { CREATE, ONE, REPLAY } from './statements.ts';
import { type Body, type Errors, errorsOf, isObject } from './validate.ts';

export interface PlainOptions {
  url: string;
  /** Connections of the pool. */
  pool: number;
  /** API keys and who presents them. */
  keys: [key: string, team: Team][];
}

export interface PlainService {
  port: number;
  stop(): Promise<void>;
}

interface Answer {
  code: keyof typeof MESSAGES;
  body?: object;
}

const MESSAGES = {
  200: 'Success',
  201: 'Payment created',
  400: 'Malformed request',
  401: 'Invalid API key',
  404: 'Payment Not Found',
  405: 'Method not allowed',
  422: 'Validation failed',
  500: 'Internal error',
};
const MAX_BODY = 1_000_000;
const DATA_EXCEPTION = '22';
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Serves POST /payments, GET /payments/{id} and GET /payments. */
export async function startPlain({ url, pool, keys }: PlainOptions): Promise<PlainService> {
  const db = new pg.Pool({ connectionString: url, max: pool });
  db.on('error', () => {}); // the next query reports it
  const teams = new Map(keys.map(([key, team]) => [digest(key).toString('hex'), team]));
  const server = http.createServer((request, response) => {
    handle(db, teams, request).then(
      (answer) => reply(request, response, answer),
      (error) => {
        console.error(error);
        reply(request, response, { code: 500 });
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await db.end();
    },
  };
}

async function handle(db: pg.Pool, teams: ReadonlyMap<string, Team>, request: http.IncomingMessage): Promise<Answer> {
  const team = teams.get(digest(request.headers.authorization ?? '').toString('hex'));
  if (!team) return { code: 401 };
  const [path = '', query = ''] = (request.url ?? '').split('?');
  if (path === '/payments') {
    if (request.method === 'POST') return create(db, team, request);
    return request.method === 'GET' ? list(db, team, query) : { code: 405 };
  }
  if (!path.startsWith('/payments/')) return { code: 404 };
  return request.method === 'GET' ? one(db, team, path.slice('/payments/'.length)) : { code: 405 };
}

async function create(db: pg.Pool, team: Team, request: http.IncomingMessage): Promise<Answer> {
  const bytes = await read(request);
  const body = parse(bytes);
  if (!bytes || !isObject(body)) return { code: 400 };
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || !KEY.test(key)) return invalid({ idempotency_key: ['is missing or malformed'] });
  const errors = errorsOf(body);
  if (errors) return invalid(errors);
  const hash = digest(bytes);
  const payment = newPayment(team, key, hash, body as unknown as Body, Date.now());
  try {
    const { rowCount } = await db.query({ name: 'create', text: CREATE, values: payment.values });
    return rowCount === 1 ? createdAnswer(payment.row, payment.token) : await replay(db, team, key, hash);
  } catch (error) {
    // Text that JSON can hold and PostgreSQL cannot: NUL, half a surrogate pair.
    if (String((error as pg.DatabaseError).code).startsWith(DATA_EXCEPTION)) return invalid({ body: ['cannot be stored'] });
    throw error;
  }
}

/** A statement after CREATE, because in the same one the first request's rows may not be visible. */
async function replay(db: pg.Pool, { team_id }: Team, key: string, hash: Buffer): Promise<Answer> {
  const values = [team_id, key];
  const { rows } = await db.query<Row & { request_hash: Buffer; token: string }>({ name: 'replay', text: REPLAY, values });
  const [first] = rows;
  if (!first) throw new Error('impossible: a key without its payment');
  if (!first.request_hash.equals(hash)) return invalid({ idempotency_key: ['was used with another payload'] });
  return createdAnswer({ ...first, status: 'pending' }, first.token);
}

function createdAnswer(row: Row, token: string): Answer {
  return {
    code: 201,
    body: { authorization_url: `http://127.0.0.1/pay/${token}`, authorization_token: token, transaction: created(row) },
  };
}

async function one(db: pg.Pool, { team_id }: Team, id: string): Promise<Answer> {
  const uuid = uuidOf(id);
  if (uuid === null) return { code: 404 };
  const { rows } = await db.query<WholeRow>({ name: 'one', text: ONE, values: [team_id, uuid] });
  return rows[0] ? { code: 200, body: { transaction: retrieved(rows[0]) } } : { code: 404 };
}

async function list(db: pg.Pool, { team_id }: Team, text: string): Promise<Answer> {
  const query = readQuery(text);
  return 'errors' in query ? invalid(query.errors) : { code: 200, body: await readList(db, team_id, query) };
}

function invalid(errors: Errors): Answer {
  return { code: 422, body: { errors } };
}

/** @returns null when the body is too long */
async function read(request: http.IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= MAX_BODY) chunks.push(chunk);
  }
  return length <= MAX_BODY ? Buffer.concat(chunks) : null;
}

function parse(bytes: Buffer | null): unknown {
  try {
    return JSON.parse(String(bytes));
  } catch {
    return null;
  }
}

function reply(request: http.IncomingMessage, response: http.ServerResponse, { code, body }: Answer): void {
  const text = JSON.stringify({ code, status: http.STATUS_CODES[code], message: MESSAGES[code], ...body });
  const trace = randomHex(32);
  const given = request.headers['x-request-id'];
  response.writeHead(code, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': typeof given === 'string' && given.length <= 64 ? given : `req_${trace}`,
    'X-Trace-Id': trace,
    traceparent: `00-${trace}-${trace.slice(16)}-01`,
  });
  response.end(text);
}

function digest(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest();
}
