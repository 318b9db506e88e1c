import { spawn } from 'node:child_process';

export interface Ended {
  /** Exit code: 0 on success; 1 when a signal ended the process. */
  code: number;
  output: string;
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  /** `show`: the process writes to our output. `keep`: its output is returned as text. */
  output: 'show' | 'keep';
  /** Ends the process with SIGTERM when it aborts. */
  signal?: AbortSignal;
  /** Working directory. Default: ours. */
  cwd?: string;
}

/**
 * Runs our version of Node with the given arguments until it ends.
 * @throws when the process cannot be started
 */
export function runNode(args: string[], { env = process.env, output, signal, cwd }: RunOptions): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const stdio = output === 'show' ? 'inherit' : 'pipe';
    const child = spawn(process.execPath, args, { env, stdio, ...(cwd === undefined ? {} : { cwd }) });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
    }
    const end = () => child.kill('SIGTERM');
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    child.once('error', reject);
    child.once('close', (code) => {
      signal?.removeEventListener('abort', end);
      resolve({ code: code ?? 1, output: text });
    });
  });
}
