import { ConfigError, readConfig, type Role } from './platform/config/config.ts';
import { runProgram } from './program/start/run.ts';

const ROLES: readonly Role[] = ['all', 'api', 'worker', 'migrate'];

/** `npm start [-- role]`. */
async function main(argument: string | undefined): Promise<void> {
  const role = ROLES.find((known) => known === (argument ?? 'all'));
  if (!role) throw new ConfigError(`${argument} is not a role: use one of ${ROLES.join(', ')}`);
  await runProgram(readConfig(process.env), role);
}

main(process.argv[2]).catch((error: unknown) => {
  // A setting that cannot be used is one clear line; anything else needs its stack.
  console.error(error instanceof ConfigError ? `pirogue: ${error.message}` : error);
  process.exit(1);
});
