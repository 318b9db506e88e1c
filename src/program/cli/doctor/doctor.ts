import { type Config, ConfigError, readConfig } from '../../../platform/config/config.ts';
import { print } from '../output.ts';
import { checkDatabases } from './databases.ts';
import { fail, type Finding, ok } from './finding.ts';
import { checkDataDirectory, checkDisk, checkNode, checkSecretsKey } from './machine.ts';
import { checkService } from './service.ts';

/** Runs every check, even when earlier ones fail. Exits with code 1 when one fails. */
export async function doctorCommand(options: { json?: true }): Promise<void> {
  const checks = await examine(process.env);
  const healthy = checks.every(({ status }) => status !== 'fail');
  print(options.json, { ok: healthy, checks }, () => report(checks, healthy));
  process.exitCode = healthy ? 0 : 1;
}

async function examine(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const config = configuration(env);
  if (config instanceof ConfigError) {
    return [checkNode(), fail('configuration', config.message, 'Correct it and run this again; the other checks depend on it.')];
  }
  return [
    checkNode(),
    ok('configuration', `PROFILE=${config.profile}, ${config.database_urls ? 'external databases' : 'embedded database'}`),
    checkDataDirectory(config),
    checkDisk(config),
    checkSecretsKey(config),
    ...(await checkDatabases(config)),
    ...(await checkService(config)),
  ];
}

function configuration(env: NodeJS.ProcessEnv): Config | ConfigError {
  try {
    return readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

function report(checks: readonly Finding[], healthy: boolean): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, detail, advice }) => [
    `${status.padEnd(4)}  ${name.padEnd(width)}  ${detail}`,
    ...(advice ? [`${' '.repeat(width + 8)}→ ${advice}`] : []),
  ]);
  return [...lines, '', healthy ? 'All checks passed.' : 'Follow the advice after the arrows, then run this again.'].join('\n');
}
