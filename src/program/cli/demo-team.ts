import type { Config } from '../../platform/config/config.ts';
import { keysFilePath, readKeysFile } from '../start/demo.ts';
import { Failure } from './failure.ts';

/**
 * Returns the demo team, the default of commands without --team.
 * @throws Failure when keys.json does not exist
 */
export function demoTeamId(config: Config): bigint {
  const keys = readKeysFile(config);
  if (keys) return BigInt(keys.team);
  throw new Failure(
    `there is no demo team: ${keysFilePath(config)} does not exist`,
    'Select a team with --team, or run "npm start" once in development.',
  );
}
