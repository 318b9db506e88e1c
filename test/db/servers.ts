import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { giveTo } from '../../src/platform/db/embedded/account.ts';
import { program, runnableBinaries } from '../../src/platform/db/embedded/binaries.ts';
import { ensureCluster } from '../../src/platform/db/embedded/cluster.ts';
import { findPlace, type Place } from '../../src/platform/db/embedded/place.ts';
import { runProgram, surroundings } from '../../src/platform/db/embedded/programs.ts';
import { serverArguments } from '../../src/platform/db/embedded/settings.ts';
import { connectClient } from '../../src/platform/db/client.ts';
import { freePort, until } from '../setup/api.ts';

const HBA = ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'].join('\n');

/** A PostgreSQL server on a loopback port, which can be ended as abruptly as a machine. */
export class Server {
  readonly port: number;
  readonly #place: Place;
  readonly #binaries: string;
  #child: ChildProcess | undefined;
  #log = '';

  private constructor(place: Place, binaries: string, port: number) {
    this.#place = place;
    this.#binaries = binaries;
    this.port = port;
  }

  /** A running primary. */
  static async primary(): Promise<Server> {
    const server = await Server.#in(newFolder());
    await ensureCluster(server.#place, server.#binaries, false);
    server.#write('pg_hba.conf', `${HBA}\n`);
    await server.start();
    return server;
  }

  static async #in(folder: string): Promise<Server> {
    const place = findPlace(folder);
    return new Server(place, await runnableBinaries(place), await freePort());
  }

  url(database: string): string {
    return `postgresql://pirogue@127.0.0.1:${this.port}/${database}`;
  }

  /** Starts it, and waits until it answers: as a standby too. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    const { cluster, account } = this.#place;
    const own = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      wal_level: 'replica',
      hot_standby: 'on',
      ...settings,
    };
    const args = serverArguments(cluster, { host: '', port: this.port }, false, { ...own, max_connections: '60' });
    this.#child = spawn(program(this.#binaries, 'postgres'), args, {
      ...surroundings(account),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-2_000);
    });
    await until(
      () =>
        connectClient(this.url('postgres')).then(
          (client) => client.end().then(() => true),
          () => false,
        ),
      (answered) => answered,
      120_000,
    ).catch((error: Error) => assert.fail(`${error.message}: ${this.#log}`));
  }

  /** A running standby that streams from this server: a copy taken while it is in backup mode, as pg_basebackup takes it. */
  async standby(): Promise<Server> {
    const folder = newFolder();
    const session = await connectClient(this.url('postgres'));
    await session.query(`select pg_backup_start('copy', true)`);
    await runProgram('/bin/cp', ['-a', this.#place.cluster, folder], null, 60_000);
    const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await session.end();
    const standby = await Server.#in(folder);
    fs.rmSync(path.join(standby.#place.cluster, 'postmaster.pid'));
    standby.#write('backup_label', rows[0]?.labelfile ?? '');
    standby.becomeStandby();
    await standby.start({ primary_conninfo: `host=127.0.0.1 port=${this.port} user=pirogue` });
    return standby;
  }

  /** From its next start on it is a standby. */
  becomeStandby(): void {
    this.#write('standby.signal', '');
  }

  #write(name: string, text: string): void {
    const file = path.join(this.#place.cluster, name);
    fs.writeFileSync(file, text, { mode: 0o600 });
    giveTo(this.#place.account, file);
  }

  /** Runs statements as the owner. */
  async run(...statements: string[]): Promise<void> {
    const client = await connectClient(this.url('postgres'));
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  /** SIGQUIT: every process of the server ends at once, without a checkpoint. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGQUIT');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    fs.rmSync(path.dirname(this.#place.entry), { recursive: true, force: true });
  }
}

function newFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-server-')));
  fs.chmodSync(folder, 0o711);
  return folder;
}

/** Where the server of a database URL is: a TCP address or a unix socket. */
export function addressOf(url: string): net.NetConnectOpts {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port) };
}

/** An address that moves from server to server. What was connected before stays connected to the one before. */
export class VirtualAddress {
  port = 0;
  /** Where new connections go; null: they are refused. */
  target: net.NetConnectOpts | null;
  /** Whether bytes, and the ends of connections, pass. Otherwise connections are accepted and nothing is ever answered. */
  passes = true;
  /** Connections made so far. */
  made = 0;
  readonly #sockets = new Set<net.Socket>();
  #server: net.Server | undefined;

  constructor(target: net.NetConnectOpts) {
    this.target = target;
  }

  /** The same address for a database URL of the target. */
  url(url: string): string {
    return url.replace(/@[^/]*/, `@127.0.0.1:${this.port}`);
  }

  async listen(): Promise<void> {
    this.#server = net.createServer({ allowHalfOpen: true }, (near) => this.#join(near));
    await new Promise<void>((resolve) => this.#server?.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.#server.address() as net.AddressInfo).port;
  }

  /** Sockets of connections that are open. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Ends every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.cut();
    this.#server?.close();
  }

  #join(near: net.Socket): void {
    this.made += 1;
    if (this.target === null) return void near.destroy();
    const far = net.connect({ ...this.target, allowHalfOpen: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => void (this.passes && to.write(bytes)));
      from.on('end', () => void (this.passes && to.end()));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}
