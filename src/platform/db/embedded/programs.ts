import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ConfigError } from '../../../kit/config-error.ts';
import type { Account } from './account.ts';

const run = promisify(execFile);

/** Returns the process options for every program of the server: its account, and an environment without our secrets. */
export function surroundings(account: Account | null): { cwd: string; env: NodeJS.ProcessEnv } & Partial<Account> {
  const { PATH, SystemRoot, TEMP } = process.env;
  const windows = process.platform === 'win32' ? { SystemRoot, TEMP } : {};
  // LC_ALL: messages that the code matches must not be translated. cwd: the account may lack access to ours.
  return { cwd: '/', env: { PATH, LC_ALL: 'C', TZ: 'UTC', ...windows }, ...account };
}

/**
 * Runs one program to its end.
 * @throws ConfigError with its stderr when it fails or exceeds the time limit
 */
export async function runProgram(file: string, args: string[], account: Account | null, limitMs: number): Promise<void> {
  try {
    await run(file, args, { ...surroundings(account), timeout: limitMs, killSignal: 'SIGKILL' });
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new ConfigError(`${file} failed: ${stderr?.trim() || message}`, { cause: error });
  }
}
