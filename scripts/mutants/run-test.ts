import { spawn } from 'node:child_process';
import path from 'node:path';

const FIRST_FAILURE = path.join(import.meta.dirname, 'first-failure.ts');

/** A copy of the project in which mutants are planted, one after another. */
export interface Place {
  root: string;
  env: NodeJS.ProcessEnv;
  /** Removes the remains of a test process that ended early. */
  clean(pid: number): Promise<void>;
  /** Ends the run. */
  end: AbortSignal;
}

export interface TestRun {
  outcome: 'passed' | 'failed' | 'timeout';
  seconds: number;
  /** Title of the first failed test; '' when the file failed as a whole. */
  failed: string;
  /** Its error. */
  error: string;
}

/** Runs one test file of a copy to its end, its first failure or its time limit. */
export async function runTest(place: Place, file: string, limit_ms: number, env: NodeJS.ProcessEnv = {}): Promise<TestRun> {
  place.end.throwIfAborted();
  const started = performance.now();
  const child = spawn(process.execPath, [`--test-reporter=${FIRST_FAILURE}`, file], {
    cwd: place.root,
    env: { ...place.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    // A separate process group, because tests start programs that must not outlive it.
    detached: true,
  });
  const pid = child.pid as number;
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    endGroup(pid);
  }, limit_ms);
  const abort = () => endGroup(pid);
  place.end.addEventListener('abort', abort, { once: true });
  // Programs that the test left running would keep the output open.
  child.once('exit', () => endGroup(pid));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  clearTimeout(limit);
  place.end.removeEventListener('abort', abort);
  await place.clean(pid);
  place.end.throwIfAborted();
  const [failed, error] = JSON.parse(/^FAILED (.*)$/m.exec(output)?.[1] ?? '["",""]') as [string, string];
  const outcome = late ? 'timeout' : code === 0 ? 'passed' : 'failed';
  return { outcome, failed, error, seconds: (performance.now() - started) / 1000 };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // the whole group has ended
  }
}
