import { ConfigError, readConfig, type Role } from './platform/config/config.ts';
import { TableBlocked } from './platform/db/lock-tries.ts';
import { describeDatabaseError } from './program/database-errors.ts';
import { describeFileError } from './program/file-errors.ts';
import { runProgram } from './program/start/run.ts';

const ROLES: readonly Role[] = ['all', 'api', 'worker', 'migrate'];

/** How long an open resource, such as a connection, may keep a process alive after its work has ended. */
const EXIT_MS = 2_000;

/** Runs `npm start [-- role]`. */
async function main(argument: string | undefined): Promise<void> {
  const role = ROLES.find((known) => known === (argument ?? 'all'));
  if (!role) throw new ConfigError(`${argument} is not a role: use one of ${ROLES.join(', ')}`);
  await runProgram(readConfig(process.env), role);
  setTimeout(() => process.exit(), EXIT_MS).unref();
}

main(process.argv[2]).catch((error: unknown) => {
  // Errors that the operator can correct are one line. Other errors need their stack.
  const database = describeDatabaseError(error, { only_common: true });
  const file = describeFileError(error);
  if (error instanceof ConfigError) console.error(`pirogue: ${error.message}`);
  else if (database) console.error(`pirogue: the database cannot be used: ${database}`);
  else if (file) console.error(`pirogue: ${file.message}. ${file.advice}`);
  else if (error instanceof TableBlocked) console.error(`pirogue: ${error.message}.`);
  else console.error(error);
  process.exit(1);
});
