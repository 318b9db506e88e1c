import { spawn } from 'node:child_process';

export interface Ended {
  /** 0 only when all went well; 1 when a signal ended it. */
  code: number;
  output: string;
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  /** `show`: straight to our output. `keep`: returned as text. */
  output: 'show' | 'keep';
  /** Ends it with SIGTERM. */
  signal?: AbortSignal;
  /** Working directory; ours without. */
  cwd?: string;
}

/** Runs our Node with the given arguments to the end. */
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
