import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

/** A database that is reached and says nothing any more, as behind a firewall that has forgotten the connection. */
let databases: Databases;
let road: Road;
let pool: DbPool;
before(async () => {
  databases = await cloneDatabases();
  const url = new URL(databases.sandbox);
  const host = decodeURIComponent(url.hostname);
  const port = Number(url.port);
  road = await openRoad(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  url.host = `127.0.0.1:${road.port}`;
  const log = createLog({ level: 'silent', format: 'json' });
  pool = openPool({ url: url.href, size: 1, statement_ms: 3_000, log });
});
after(async () => {
  road.close();
  await pool.close();
  await databases.drop();
});

interface Road {
  port: number;
  /** Whatever is under way stays under way. */
  block(): void;
  clear(): void;
  close(): void;
}

async function openRoad(to: net.NetConnectOpts): Promise<Road> {
  let blocked = false;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(to);
    for (const [from, next] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void (blocked || next.write(bytes)));
      from.on('error', () => next.destroy());
      from.on('close', () => next.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    block: () => {
      blocked = true;
    },
    clear: () => {
      blocked = false;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const answer = async () => (await pool.seeing(1n).all<{ answer: number }>(sql`select 42 as answer`))[0]?.answer;

test('a statement without a response times out, alone and in a transaction, and the next connection works', async () => {
  assert.equal(await answer(), 42);
  road.block();
  await assert.rejects(answer(), /timeout/);
  road.clear();
  assert.equal(await answer(), 42);
  const hanging = pool.seeing(1n).transaction(async (tx) => {
    road.block();
    await tx.all(sql`select 1`);
  });
  await assert.rejects(hanging, /timeout/);
  road.clear();
  assert.equal(await answer(), 42);
});
