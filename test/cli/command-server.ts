import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Ended } from './command.ts';

const ENTRY = path.join(import.meta.dirname, 'serve-commands.ts');

/** A command line and its whole environment. */
export interface Wanted {
  args: string[];
  env: NodeJS.ProcessEnv;
}

/** A process that runs one command line after another. It starts with the first. */
export class CommandServer {
  #child: Promise<ChildProcess> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  run(wanted: Wanted): Promise<Ended> {
    const ended = this.#last.then(async () => {
      this.#child ??= start(wanted.env);
      const child = await this.#child;
      const started = performance.now();
      const over = new AbortController();
      const listen = (event: string) => once(child, event, { signal: over.signal });
      child.send(wanted);
      const [answer] = await Promise.race([
        listen('message'),
        listen('exit').then(([code]) => [{ code: code ?? -1, stdout: '', stderr: 'the process of the commands ended' }]),
      ]).finally(() => over.abort());
      return { ...answer, duration_ms: performance.now() - started } as Ended;
    });
    this.#last = ended.catch(() => {});
    return ended;
  }

  async stop(): Promise<void> {
    const child = await this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }
}

async function start(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = fork(ENTRY, { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  return child;
}
