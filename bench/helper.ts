import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Message } from './child/jobs.ts';
import { type StartOptions, startChild, stopChild } from './children.ts';

interface HelperOptions extends Pick<StartOptions, 'env' | 'execArgv'> {
  /** Its file, when it is not in bench/child. */
  entry?: string;
}

/** A process of ours that does jobs, one at a time: load, baselines, receivers. */
export class Helper<Job extends object, Result> {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #log: string;

  /** @param name of a file in bench/child, unless `entry` is given */
  constructor(name: string, folder: string, { entry, ...options }: HelperOptions = {}) {
    this.#name = name;
    this.#log = path.join(folder, `${name}.log`);
    const file = entry ?? path.join(import.meta.dirname, 'child', `${name}.ts`);
    this.#child = startChild(file, { ...options, log: this.#log });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /**
   * @param started called when the measured part of the job begins
   * @param limit_ms the job fails when it takes longer
   */
  run(job: Job, limit_ms: number, started: () => void = () => {}): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const fail = (why: string) => settle(() => reject(new Error(`${this.#name}: ${why}\n${this.#tail()}`)));
      const timer = setTimeout(() => fail(`not done after ${limit_ms} ms`), limit_ms);
      const settle = (end: () => void) => {
        clearTimeout(timer);
        this.#child.off('message', onMessage).off('exit', onExit);
        end();
      };
      const onExit = () => fail('it ended');
      const onMessage = (message: unknown) => {
        const reported = message as Message<Result>;
        if (reported.kind === 'started') started();
        else if (reported.kind === 'failed') fail(reported.why);
        else settle(() => resolve(reported.result));
      };
      this.#child.on('message', onMessage).on('exit', onExit);
      this.#child.send(job);
    });
  }

  stop(): Promise<void> {
    return stopChild(this.#child);
  }

  #tail(): string {
    return fs.readFileSync(this.#log, 'utf8').slice(-2_000);
  }
}
