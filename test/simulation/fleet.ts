import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { COMPILE_CACHE } from '../../scripts/testing/compile-cache.ts';
import type { WorldOptions, WorldReport } from './world.ts';

/** A world that says nothing for so long hangs. */
const WORLD_LIMIT_MS = 600_000;
/** Worlds make much that is soon forgotten: a larger nursery halves the time that collecting it takes. */
const EXEC_ARGV = ['--max-semi-space-size=64'];

type Reply = { report: WorldReport; cpu_ms: number } | { error: string; cpu_ms: number };

/** Processes that run worlds side by side. A single world is sequential, so each process keeps one core busy. */
export class Fleet implements AsyncDisposable {
  readonly #idle: ChildProcess[] = [];
  readonly #waiting: ((child: ChildProcess) => void)[] = [];
  #all: ChildProcess[] = [];
  #closing = false;
  /** Processor time of the nodes, without that of PostgreSQL. */
  cpu_ms = 0;

  static async start(count: number): Promise<Fleet> {
    const fleet = new Fleet();
    await Promise.all(Array.from({ length: count }, () => fleet.#launch()));
    return fleet;
  }

  /** Runs a world as soon as a process is free. What ends a process is the failure of its world. */
  async run(options: WorldOptions): Promise<WorldReport> {
    const child = this.#idle.pop() ?? (await new Promise<ChildProcess>((resolve) => this.#waiting.push(resolve)));
    const reply = await this.#ask(child, options);
    this.cpu_ms += reply.cpu_ms;
    if ('report' in reply) {
      this.#free(child);
      return reply.report;
    }
    await this.#end(child);
    if (!this.#closing) await this.#launch();
    return failed(options, reply.error);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#all.map((child) => this.#end(child)));
  }

  async #launch(): Promise<void> {
    const child = fork(path.join(import.meta.dirname, 'child.ts'), {
      execArgv: EXEC_ARGV,
      env: { ...process.env, ...COMPILE_CACHE },
    });
    this.#all.push(child);
    const ended = once(child, 'exit').then(() => {
      throw new Error('a process of the simulation did not start');
    });
    ended.catch(() => {});
    await Promise.race([once(child, 'message'), ended]);
    this.#free(child);
  }

  #free(child: ChildProcess): void {
    const next = this.#waiting.shift();
    if (next) next(child);
    else this.#idle.push(child);
  }

  #ask(child: ChildProcess, options: WorldOptions): Promise<Reply> {
    const reply = Promise.withResolvers<Reply>();
    const fail = (error: string) => reply.resolve({ error, cpu_ms: 0 });
    const limit = setTimeout(() => fail('it hangs'), WORLD_LIMIT_MS);
    const died = () => fail('its process died');
    child.once('message', reply.resolve);
    child.once('exit', died);
    child.send({ ...options, without: [...(options.without ?? [])] });
    return reply.promise.finally(() => {
      clearTimeout(limit);
      child.off('exit', died);
      child.off('message', reply.resolve);
    });
  }

  /** Lets a process stop its server; one that does not is killed. */
  async #end(child: ChildProcess): Promise<void> {
    this.#all = this.#all.filter((other) => other !== child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    if (child.connected) child.disconnect();
    const kill = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await gone;
    clearTimeout(kill);
  }
}

function failed({ seed, payments }: WorldOptions, error: string): WorldReport {
  return {
    seed,
    trace: '',
    payments,
    wrong: [`the world broke: ${error}`],
    story: null,
    actors: [],
    counts: {},
    failures: {},
    occurred: {},
    virtual_ms: 0,
  };
}
