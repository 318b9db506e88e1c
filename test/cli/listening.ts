import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { COMPILE_CACHE } from '../../scripts/testing/compile-cache.ts';
import { type Api, freePort, until } from '../setup/api.ts';
import type { Received } from '../setup/receiver.ts';

const ENTRY = path.join(import.meta.dirname, '..', '..', 'src', 'program', 'cli', 'main.ts');

/** An event that is given up takes 7 s of waits between its attempts. */
const LIMIT_MS = 30_000;

/** Settings of a merchant's machine that has no service and no database of its own. */
export function merchantEnv(api: Api, key: string): Record<string, string> {
  return { PIROGUE_KEY: key, PIROGUE_URL: api.url, DATA_DIR: path.join(api.config.data_dir, 'nothing-here') };
}

/** `pirogue listen`, running. */
export class Listening {
  readonly #child: ChildProcess;
  #stdout = '';
  stderr = '';
  readonly ended: Promise<number | null>;

  constructor(args: string[], env: Record<string, string>) {
    this.#child = spawn(process.execPath, [ENTRY, 'listen', ...args, '--json'], {
      env: { ...COMPILE_CACHE, PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  get lines(): any[] {
    return this.#stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** @returns the line with which it greets */
  async ready(): Promise<{ secret: string; forward_to: string | null }> {
    return (await this.until((lines) => lines.length > 0))[0];
  }

  /** Waits until its lines fit. */
  until(fits: (lines: Listening['lines']) => boolean): Promise<Listening['lines']> {
    return until(
      async () => {
        if (this.#child.exitCode !== null && !fits(this.lines)) throw new Error(`it ended: ${this.stderr}`);
        return this.lines;
      },
      fits,
      LIMIT_MS,
    );
  }

  /** As by Ctrl-C. @returns its exit code */
  stop(): Promise<number | null> {
    this.#child.kill('SIGINT');
    return this.ended;
  }
}

/** A merchant's server on this machine, without https. */
export class Shop {
  readonly received: Received[] = [];
  /** What it answers. */
  status = 200;
  #server: Server | undefined;
  port = 0;

  async open(): Promise<void> {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const headers = request.headers as Record<string, string>;
      this.received.push({ path: request.url ?? '/', headers, body, event: JSON.parse(body.toString()), at: Date.now() });
      response.writeHead(this.status).end('ok');
    });
    // One that the system gives to nobody while the shop is closed.
    if (this.port === 0) this.port = await freePort();
    await new Promise<void>((resolve) => this.#server?.listen(this.port, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://localhost:${this.port}/hook`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server?.close(() => resolve());
      this.#server?.closeAllConnections();
    });
  }
}
