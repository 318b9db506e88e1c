import { readConfig, type Role } from '../../platform/config/config.ts';
import { runProgram } from '../start/run.ts';

/** Runs the service until a signal, as `npm start` does. */
export async function startCommand(options: { role: Exclude<Role, 'migrate'>; json?: true }): Promise<void> {
  const env = options.json ? { ...process.env, LOG_FORMAT: 'json' } : process.env;
  await runProgram(readConfig(env), options.role);
}
