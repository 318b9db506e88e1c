import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SERVICE_LOGIN } from '../../src/platform/db/roles.ts';
import { pgCode } from '../../src/kit/sql.ts';

/** Three databases of one test file, as connection URLs. */
export interface Databases {
  control: string;
  sandbox: string;
  live: string;
  /** Removes them, whoever is still connected. */
  drop(): Promise<void>;
}

const TEMPLATES = { control: 'template_control', sandbox: 'template_sandbox', live: 'template_live' } as const;

const OBJECT_IN_USE = '55006';
const COPY_LIMIT_MS = 120_000;
const CONNECT_LIMIT_MS = 60_000;

/** The same database as the service's own login, which can only take the service's roles. */
export function asService(url: string): string {
  return Object.assign(new URL(url), { username: SERVICE_LOGIN }).href;
}

/**
 * Fresh, empty databases with the newest schema, copied from the templates that `npm test` makes.
 * @param options `partitions: false`: stores without the partitions that a start of the service makes, for tests that count them
 */
export function cloneDatabases({ partitions = true }: { partitions?: boolean } = {}): Promise<Databases> {
  const templateOf = (kind: (typeof KINDS)[number]) => (kind === 'control' || partitions ? TEMPLATES[kind] : 'template_store');
  return newDatabases((client, kind, name) => copy(client, templateOf(kind), name));
}

/** Databases without any schema. */
export function emptyDatabases(): Promise<Databases> {
  return newDatabases(async (client, _, name) => {
    await client.query(`create database ${name} template template0 encoding 'UTF8'`);
  });
}

const KINDS = ['control', 'sandbox', 'live'] as const;

async function newDatabases(
  make: (client: pg.Client, kind: (typeof KINDS)[number], name: string) => Promise<void>,
): Promise<Databases> {
  const prefix = `t_${process.pid}_${randomBytes(4).toString('hex')}`;
  const names = { control: `${prefix}_control`, sandbox: `${prefix}_sandbox`, live: `${prefix}_live` };
  await withServer(async (client) => {
    for (const kind of KINDS) await make(client, kind, names[kind]);
  });
  return {
    control: urlOf(names.control),
    sandbox: urlOf(names.sandbox),
    live: urlOf(names.live),
    drop: () => dropAll(Object.values(names)),
  };
}

function serverUrl(): string {
  const url = process.env.PIROGUE_TEST_SERVER;
  if (url) return url;
  throw new Error('these tests need the server of npm test: run "npm test -- <this file>"');
}

function urlOf(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

async function withServer(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl(), connectionTimeoutMillis: CONNECT_LIMIT_MS });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** `file_copy` takes 14 ms in memory without fsync, `wal_log` (the default) 20 to 30 ms; dropping 6 instead of 18. */
async function copy(client: pg.Client, template: string, name: string): Promise<void> {
  const deadline = performance.now() + COPY_LIMIT_MS;
  for (;;) {
    try {
      await client.query(`create database ${name} template ${template} strategy file_copy`);
      return;
    } catch (error) {
      // copies of one template wait for each other, five seconds at most; autovacuum may look in as well
      if (pgCode(error) !== OBJECT_IN_USE || performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

async function dropAll(names: string[]): Promise<void> {
  await withServer(async (client) => {
    for (const name of names) await client.query(`drop database if exists ${name} with (force)`);
  });
}
