import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createClient } from '@redis/client';
import { freePort, until } from '../setup/api.ts';

export const PROGRAM = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
const HOW = 'no redis-server and no valkey-server on PATH: install one (Debian: apt-get install redis-server)';

/** Why tests that need a Redis are skipped, for `{ skip }`. With PIROGUE_REDIS_TESTS=required they fail instead. */
export function noRedis(): string | false {
  if (PROGRAM) return false;
  if (process.env.PIROGUE_REDIS_TESTS === 'required') throw new Error(HOW);
  console.error(`SKIP  counters shared by several nodes are not tested: ${HOW}`);
  return HOW;
}

/** A real server without persistence, in a folder of its own. */
export class RedisServer {
  readonly url: string;
  readonly #port: number;
  readonly #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-redis-'));
  #child: ChildProcess | null = null;

  constructor(port: number) {
    // It must not outlive a test process that was ended.
    process.on('exit', () => this.#child?.kill('SIGKILL'));
    this.#port = port;
    this.url = `redis://127.0.0.1:${port}`;
  }

  /** On a free port, not started yet. */
  static async prepare(): Promise<RedisServer> {
    return new RedisServer(await freePort());
  }

  async start(): Promise<void> {
    const settings = [
      '--port',
      String(this.#port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      this.#folder,
    ];
    this.#child = spawn(PROGRAM as string, settings, { stdio: 'ignore' });
    await until(
      () => this.run('PING').catch(() => null),
      (answer) => answer === 'PONG',
    );
  }

  /** One command over a connection of its own. */
  async run(...command: string[]): Promise<unknown> {
    const client = createClient({ url: this.url, socket: { reconnectStrategy: false } });
    client.on('error', () => {});
    await client.connect();
    try {
      return await client.sendCommand(command);
    } finally {
      client.destroy();
    }
  }

  /** Dies as by a crash of the machine. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** Connections stay open and nothing is answered any more. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    await this.kill();
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }
}
