import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild, stopChild } from '../../bench/children.ts';
import { LAUNCH } from '../../bench/service.ts';
import { freePort } from '../../src/platform/db/embedded/address.ts';
import type { Options } from './options.ts';
import type { Measured } from './preload.ts';
import type { Stage } from './stage.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const READY_MS = 180_000;
const MEASURE_MS = 5_000;

export type Role = 'api' | 'worker';

/** One process of the service. It can be stopped or killed, and is then started again. */
export class ServiceProcess {
  readonly role: Role;
  readonly log: string;
  readonly #env: Record<string, string>;
  readonly #metrics_port: number;
  #child: ChildProcess;
  /** Number of starts. */
  life = 0;
  /** Time of the last start, in milliseconds of the monotonic clock. */
  started_at = 0;

  private constructor(role: Role, log: string, env: Record<string, string>, metrics_port: number) {
    this.role = role;
    this.log = log;
    this.#env = { ...env, METRICS_PORT: String(metrics_port) };
    this.#metrics_port = metrics_port;
    this.#child = this.#start();
  }

  static async open(role: Role, stage: Stage, options: Options): Promise<ServiceProcess> {
    const log = path.join(stage.folder, `${role}.out`);
    const process = new ServiceProcess(role, log, environmentOf(stage, options), await freePort());
    await process.#untilReady();
    return process;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /**
   * Ends the process, starts it again and waits until it is ready.
   * @param how `kill`: with SIGKILL, as when the machine loses power
   * @returns the durations of the end and of the start, in seconds
   * @throws Error when the new process does not become ready
   */
  async restart(how: 'stop' | 'kill'): Promise<{ stop_s: number; start_s: number }> {
    const since = performance.now();
    await (how === 'stop' ? stopChild(this.#child) : killed(this.#child));
    this.#child = this.#start();
    await this.#untilReady();
    return { stop_s: (this.started_at - since) / 1000, start_s: (performance.now() - this.started_at) / 1000 };
  }

  stop(): Promise<void> {
    return stopChild(this.#child);
  }

  /** Measures the process after a garbage collection. @returns null when the process does not respond */
  measure(): Promise<Measured | null> {
    const child = this.#child;
    return new Promise((resolve) => {
      const end = (measured: Measured | null) => {
        clearTimeout(timer);
        child.off('message', end).off('exit', gone);
        resolve(measured);
      };
      const gone = () => end(null);
      const timer = setTimeout(gone, MEASURE_MS);
      child.on('message', end).on('exit', gone);
      child.send('measure', (error) => error && end(null));
    });
  }

  /** Scrapes as Prometheus does. @returns the text; null when the process does not respond */
  async scrape(): Promise<string | null> {
    return textOf(`http://127.0.0.1:${this.#metrics_port}/metrics`);
  }

  #start(): ChildProcess {
    this.life += 1;
    this.started_at = performance.now();
    return startChild(path.join(ROOT, 'src', 'main.ts'), {
      args: [this.role],
      env: this.#env,
      execArgv: [...LAUNCH.flags, '--expose-gc', '--import', path.join(import.meta.dirname, 'preload.ts')],
      log: this.log,
    });
  }

  async #untilReady(): Promise<void> {
    const address = `http://127.0.0.1:${this.#env.PORT}/health/ready`;
    const deadline = performance.now() + READY_MS;
    while ((this.role === 'api' ? await textOf(address) : await this.scrape()) === null) {
      if (this.#child.exitCode === null && performance.now() < deadline) await sleep(50);
      else throw new Error(`the ${this.role} did not start:\n${fs.readFileSync(this.log, 'utf8').slice(-4_000)}`);
    }
  }
}

async function textOf(address: string): Promise<string | null> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(MEASURE_MS) });
    const text = await answer.text();
    return answer.ok ? text : null;
  } catch {
    return null;
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

function environmentOf({ folder, urls, port, secretsKey, from_s }: Stage, options: Options): Record<string, string> {
  return {
    ...LAUNCH.env,
    PORT: String(port),
    DATA_DIR: path.join(folder, 'service'),
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    RATE_LIMITS: 'off',
    HOLD_MOBILE_MONEY: '30s',
    EVENTS_KEEP: options.events_keep,
    SECRETS_KEY: secretsKey.toString('base64'),
    CONTROL_DATABASE_URL: urls.control,
    SANDBOX_DATABASE_URL: urls.sandbox,
    LIVE_DATABASE_URL: urls.live,
    ...(options.speed > 1 ? { CLOCK_SPEED: `${options.speed}@${from_s}` } : {}),
  };
}
