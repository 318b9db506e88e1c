import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readyPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { pack } from './archive.ts';
import { ARCHIVE, type Facts, FACTS, MADE_BY } from './facts.ts';
import { fillLive, fillSandbox, hold } from './make-data.ts';

/**
 * Makes the DATA_DIR that 889a742.test.ts opens:
 *
 *   git worktree add ../old 889a742 && (cd ../old && npm ci) && node test/upgrade/make.ts ../old
 *
 * The program of that checkout runs as `npm start` runs it, in development, and is stopped by SIGTERM.
 */
const PORT = '18089';
const START_LIMIT_MS = 120_000;
const checkout = path.resolve(process.argv[2] ?? '');
const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-old-'));
fs.chmodSync(dataDir, 0o711);

export interface Old {
  url: string;
  keys: { sandbox: { secret: string }; team: string };
  /** @throws when the status is another */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the routes answered
  call(key: string, method: string, route: string, body?: unknown, headers?: Record<string, string>): Promise<any>;
  /** A command of the old program, with --json. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the command printed
  command(...args: string[]): Promise<any>;
  stop(): Promise<void>;
}

const environment = (delay_ms: number) => ({
  ...{ PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT, LOG_LEVEL: 'warn', RATE_LIMITS: 'off' },
  ...{ HOLD_MOBILE_MONEY: '0s', SANDBOX_DELAY_MS: String(delay_ms) },
});

async function start(delay_ms: number): Promise<Old> {
  const url = `http://127.0.0.1:${PORT}`;
  const env = environment(delay_ms);
  const child = spawn(process.execPath, ['src/main.ts', 'all'], { cwd: checkout, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const deadline = Date.now() + START_LIMIT_MS;
  while ((await fetch(`${url}/health/ready`).catch(() => null))?.status !== 200) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('the old program did not start');
    await sleep(200);
  }
  return {
    url,
    keys: JSON.parse(fs.readFileSync(path.join(dataDir, 'keys.json'), 'utf8')),
    call: async (key, method, route, body, headers = {}) => {
      const init = { method, headers: { authorization: key, 'content-type': 'application/json', ...headers } };
      const response = await fetch(url + route, body === undefined ? init : { ...init, body: JSON.stringify(body) });
      const answer = await response.json();
      if (response.status >= 300 && response.status !== 402) throw new Error(`${method} ${route}: ${JSON.stringify(answer)}`);
      return answer;
    },
    command: async (...args) => {
      const run = spawn(process.execPath, ['src/cli/main.ts', ...args, '--json'], {
        ...{ cwd: checkout, env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const parts: Buffer[] = [];
      run.stdout.on('data', (part: Buffer) => parts.push(part));
      const [code] = await once(run, 'close');
      if (code !== 0) throw new Error(`pirogue ${args.join(' ')} ended with ${code}`);
      return JSON.parse(Buffer.concat(parts).toString());
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      if ((await ended)[0] !== 0) throw new Error('the old program did not end cleanly');
    },
  };
}

function databaseUrl(name: string): string {
  const server = readyPostmaster(path.join(dataDir, 'pg18'));
  if (!server) throw new Error('no server');
  return `postgresql://pirogue@${encodeURIComponent(server.socketDir)}:${server.port}/pirogue_${name}`;
}

async function query<Row extends pg.QueryResultRow>(database: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl(database) });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function countsOf(database: string): Promise<Record<string, number>> {
  const rows = await query<{ name: string; n: number }>(
    database,
    `select c.relname as name,
       (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I', c.relname), false, true, '')))[1]::text::int as n
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

async function answersOf(old: Old, key: string, name: 'sandbox' | 'live'): Promise<Facts['answers']> {
  const lists = ['payments', 'refunds', 'transfers', 'customers', 'beneficiaries', 'accounts', 'disputes', 'webhooks', 'events'];
  const answers: Facts['answers'] = [];
  for (const list of name === 'live' ? [...lists, 'invoices', 'links'] : lists) {
    const { items } = await old.call(key, 'GET', `/${list}?per_page=100`);
    for (const { id } of items) {
      const route = `/${list}/${id}`;
      answers.push({ environment: name, path: route, body: await old.call(key, 'GET', route) });
    }
  }
  const { code, status, message, ...figures } = await old.call(key, 'GET', '/balance?currency=XAF');
  return [...answers, { environment: name, path: '/balance?currency=XAF', body: { code, status, message, ...figures } }];
}

/** Leaves as much of the write-ahead log as a start needs: the segment with the last checkpoint. */
async function trimLog(): Promise<string> {
  await query('control', 'vacuum full');
  for (const name of ['sandbox', 'live']) await query(name, 'vacuum full');
  await query('control', 'select pg_switch_wal()');
  await query('control', 'checkpoint');
  const [row] = await query<{ segment: string }>('control', 'select pg_walfile_name(pg_current_wal_insert_lsn()) as segment');
  return row?.segment ?? '';
}

let old = await start(100);
await fillSandbox(old);
const live = await fillLive(old, checkout);
await old.stop();
// Nothing that begins now ends.
old = await start(600_000);
await hold(old, live.key);
const { sandbox } = old.keys;
await sleep(3_000);
const facts: Facts = {
  public_url: old.url,
  keys: { sandbox: sandbox.secret, live: live.key },
  team: old.keys.team,
  live_team: live.team,
  answers: [...(await answersOf(old, sandbox.secret, 'sandbox')), ...(await answersOf(old, live.key, 'live'))],
  counts: { control: await countsOf('control'), sandbox: await countsOf('sandbox'), live: await countsOf('live') },
};
await live.stop();
const segment = await trimLog();
await old.stop();
fs.writeFileSync(path.join(dataDir, FACTS), JSON.stringify(facts));
const isWanted = (name: string) =>
  !/\.lock$|^pg18\.log|^instance$|postmaster\.(pid|opts)$/.test(name) &&
  (!/^pg18\/pg_wal\/[0-9A-F]{24}$/.test(name) || name.endsWith(segment));
fs.writeFileSync(ARCHIVE, pack(dataDir, isWanted));
fs.rmSync(dataDir, { recursive: true });
console.log(`${ARCHIVE}: ${fs.statSync(ARCHIVE).size} bytes, ${facts.answers.length} resources, made by ${MADE_BY}`);
