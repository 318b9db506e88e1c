import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Account } from './account.ts';

const run = promisify(execFile);

/** How every program of the server is started: as its account, and with none of our secrets in its environment. */
export function surroundings(account: Account | null): { cwd: string; env: NodeJS.ProcessEnv } & Partial<Account> {
  const { PATH, SystemRoot, TEMP } = process.env;
  const windows = process.platform === 'win32' ? { SystemRoot, TEMP } : {};
  // LC_ALL: messages we look for must not be translated. cwd: the account may be barred from ours.
  return { cwd: '/', env: { PATH, LC_ALL: 'C', TZ: 'UTC', ...windows }, ...account };
}

/** Runs one program to its end; throws with what it wrote to stderr. */
export async function runProgram(file: string, args: string[], account: Account | null, limitMs: number): Promise<void> {
  try {
    await run(file, args, { ...surroundings(account), timeout: limitMs, killSignal: 'SIGKILL' });
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`${file} failed: ${stderr?.trim() || message}`, { cause: error });
  }
}
