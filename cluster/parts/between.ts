import path from 'node:path';
import { pgbouncerVersion } from '../packages.ts';
import { portOf } from '../state.ts';
import { fillTemplate, templateText } from '../templates.ts';
import { until } from '../wait.ts';
import net from 'node:net';
import { folderOf, serverSpec, type Site, writeFor } from './database.ts';

const START_MS = 20_000;
/** First version with named prepared statements in transaction mode. */
const MIN_TRANSACTION_VERSION = 121;
const POOL_SIZE = 60;
const MAX_CLIENTS = 600;

/** Starts haproxy before the primary and before the API processes. */
export async function startBalancer({ state, account, programs, launch }: Site, apis: number): Promise<void> {
  const folder = folderOf(state, account, 'haproxy');
  const config = path.join(state.folder, 'haproxy.cfg');
  const primaries = state.members.map(
    ({ name, host, port, rest_port }) => `  server ${name} ${host}:${port} check port ${rest_port}`,
  );
  const nodes = Array.from({ length: apis }, (_, i) => `  server api${i + 1} 127.0.0.1:${portOf(state, `api${i + 1}`)} check`);
  const [database, api] = [portOf(state, 'database'), portOf(state, 'api')];
  writeFor(account, path.join(folder, '503.http'), templateText('503.http'));
  const text = fillTemplate('haproxy.cfg', {
    ...{ HOST: '127.0.0.1', DATABASE_PORT: database, API_PORT: api, FOLDER: folder },
    ...{ PRIMARY_SERVERS: primaries.join('\n'), API_SERVERS: nodes.join('\n') },
  });
  writeFor(account, config, text);
  const command = [programs.haproxy, '-db', '-f', config];
  launch(serverSpec(state, account, { name: 'haproxy', kind: 'haproxy', command, address: `127.0.0.1:${database},${api}` }));
  await untilOpen(database);
}

/** Starts PgBouncer: in transaction mode where its version knows named statements there. */
export async function startPgbouncer({ state, account, programs, launch }: Site): Promise<void> {
  const port = portOf(state, 'pgbouncer');
  const folder = folderOf(state, account, 'pgbouncer');
  writeFor(
    account,
    path.join(folder, 'userlist.txt'),
    fillTemplate('userlist.txt', { SERVICE_PASSWORD: state.choices.passwords.service }),
  );
  const config = path.join(state.folder, 'pgbouncer.ini');
  const mode = pgbouncerVersion(programs.pgbouncer) >= MIN_TRANSACTION_VERSION ? 'pgbouncer-transaction.ini' : 'pgbouncer.ini';
  const text = fillTemplate(mode, {
    ...{ DATABASE_HOST: '127.0.0.1', DATABASE_PORT: portOf(state, 'database'), HOST: '127.0.0.1', PORT: port },
    ...{ FOLDER: folder, POOL_SIZE, MAX_CLIENTS },
  });
  writeFor(account, config, text);
  const command = [programs.pgbouncer, config];
  launch(serverSpec(state, account, { name: 'pgbouncer', kind: 'pgbouncer', command, address: `127.0.0.1:${port}` }));
  await untilOpen(port);
}

export async function startRedis({ state, account, programs, launch }: Site): Promise<void> {
  const port = portOf(state, 'redis');
  const config = path.join(state.folder, 'redis.conf');
  const text = fillTemplate('redis.conf', { HOST: '127.0.0.1', PORT: port, FOLDER: folderOf(state, account, 'redis') });
  writeFor(account, config, text);
  launch(
    serverSpec(state, account, { name: 'redis', kind: 'redis', command: [programs.redis, config], address: `127.0.0.1:${port}` }),
  );
  await untilOpen(port);
}

export async function untilOpen(port: number, host = '127.0.0.1'): Promise<void> {
  await until(`${host}:${port} accepts connections`, START_MS, () => isOpen(port, host));
}

export function isOpen(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host, timeout: 1_000 });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
}
