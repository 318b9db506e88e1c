import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { COMPILE_CACHE } from '../../scripts/testing/compile-cache.ts';
import { newFolder } from '../ops/program.ts';
import { until } from '../setup/api.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { ROOT } from './blocks.ts';
import type { Service } from './service.ts';

/** One block hangs after this. */
const BLOCK_LIMIT_MS = 60_000;
/** How the guides call the service and the reader's own server. */
const SERVICE = 'http://127.0.0.1:8080';
const SHOP = 'https://shop.example';
/** What ends in `…` in a block is the newest one that came up: `trx_test_…`, `whsec_…`, `sk.…`. */
const PLACEHOLDER = /\b([prs]k(?:_test)?\.|[a-z]+_(?:test_)?)…/g;
/** An id has a digit, unlike a long word after an underscore; a key or a signing secret is random and may have none. */
const VALUE = /\b([prs]k(?:_test)?\.|whsec_|[a-z]+_(?:test_)?(?=[0-9A-Za-z]*[0-9]))[0-9A-Za-z]{20,}/g;

export interface Ran {
  code: number;
  output: string;
}

/** A command that goes on until it is stopped, as in another terminal. */
export interface Running {
  output(): string;
  stop(): Promise<void>;
}

/**
 * Where a guide is played: a team of its own at a running service, a folder as its reader has it after `npm start`, and a shell
 * that remembers what is exported.
 */
export class Stage {
  readonly folder = newFolder();
  readonly #receiver: Receiver;
  /** By the address in the guide, where it really is. */
  readonly #places: [shown: string, real: string][];
  readonly #env: NodeJS.ProcessEnv;
  readonly #seen = new Map<string, string>();
  #count = 0;

  static async open(service: Service): Promise<Stage> {
    const stage = new Stage(service, await startReceiver());
    await service.furnish(path.join(stage.folder, 'var'));
    return stage;
  }

  private constructor(service: Service, receiver: Receiver) {
    this.#receiver = receiver;
    this.#places = [
      [SERVICE, service.url],
      [SHOP, receiver.url],
    ];
    const bin = path.join(this.folder, 'bin');
    fs.mkdirSync(bin);
    const command = `#!/bin/sh\nexec "${process.execPath}" "${path.join(ROOT, 'src/program/cli/main.ts')}" "$@"\n`;
    fs.writeFileSync(path.join(bin, 'pirogue'), command, { mode: 0o755 });
    fs.writeFileSync(path.join(this.folder, 'exported'), '');
    this.#env = {
      ...COMPILE_CACHE,
      PATH: [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
      HOME: this.folder,
      LANG: 'C.UTF-8',
      SHOP_URL: receiver.url,
      DATA_DIR: path.join(this.folder, 'var'),
      PUBLIC_URL: service.url,
      CONTROL_DATABASE_URL: service.databases.control,
      SANDBOX_DATABASE_URL: service.databases.sandbox,
      LIVE_DATABASE_URL: service.databases.live,
    };
  }

  /** Runs a block of shell. It stops at the first command that fails; what it exports is there for the next. */
  async shell(text: string): Promise<Ran> {
    const script = `. ./exported\nset -euo pipefail\n${this.filled(text)}\nexport -p > exported\n`;
    return this.#run('bash', this.#write('block.sh', script));
  }

  /** Runs a block of TypeScript as a program. */
  async program(text: string): Promise<Ran> {
    const file = this.#write('block.mts', this.filled(text));
    return this.#run('bash', this.#write('run.sh', `. ./exported\nset -eu\nexec node ${file}\n`));
  }

  /** Starts a command that goes on; comes back when it has said something. */
  async start(text: string): Promise<Running> {
    const file = this.#write('running.sh', `. ./exported\nset -eu\nexec ${this.filled(text)}`);
    // A group of its own: Ctrl-C in a terminal goes to all processes of a command, and npm does not pass it on.
    const place = { cwd: this.folder, env: this.#env };
    const child = spawn('bash', [file], { ...place, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        // What it says later comes at any moment, and is not what the next block is about.
        if (output === '') this.#remember(part);
        output += part;
      });
    }
    const said = () => Promise.resolve(output !== '' || child.exitCode !== null);
    await until(said, (heard) => heard, BLOCK_LIMIT_MS);
    return {
      output: () => this.#asShown(output),
      stop: async () => {
        if (child.exitCode !== null || child.pid === undefined) return;
        const closed = once(child, 'close');
        process.kill(-child.pid, 'SIGINT');
        await closed;
      },
    };
  }

  /** A server of the guide that does not run where the guide says. */
  place(shown: string, real: string): void {
    this.#places.push([shown, real]);
  }

  /** The text with everything that ends in `…` replaced by the newest one seen. */
  filled(text: string): string {
    const filled = text.replace(PLACEHOLDER, (placeholder, prefix: string) => {
      const value = this.#seen.get(prefix);
      if (value === undefined) throw new Error(`no ${placeholder} has come up yet`);
      return value;
    });
    // The service and the shop are named by variables; what else names them only tells.
    return this.#places.slice(2).reduce((known, [shown, real]) => known.replaceAll(shown, real), filled);
  }

  #asShown(output: string): string {
    return this.#places.reduce((known, [shown, real]) => known.replaceAll(real, shown), output);
  }

  async close(): Promise<void> {
    await this.#receiver.close();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  #write(name: string, text: string): string {
    const file = path.join(this.folder, `${++this.#count}-${name}`);
    fs.writeFileSync(file, text);
    return file;
  }

  #run(command: string, file: string): Promise<Ran> {
    const options = { cwd: this.folder, env: this.#env, timeout: BLOCK_LIMIT_MS };
    return new Promise((resolve) => {
      execFile(command, [file], options, (error, stdout, stderr) => {
        this.#remember(stdout);
        resolve({ code: error ? Number(error.code ?? -1) : 0, output: this.#asShown(error ? `${stdout}${stderr}` : stdout) });
      });
    });
  }

  /** Of several with one prefix the first in the output is the one it is about. */
  #remember(output: string): void {
    for (const [value, prefix] of [...output.matchAll(VALUE)].reverse()) this.#seen.set(prefix as string, value);
  }
}
