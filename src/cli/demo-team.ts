import type { Config } from '../config.ts';
import { keysFilePath, readKeysFile } from '../start/demo.ts';
import { Failure } from './failure.ts';

/** The team a command is about when none is named. */
export function demoTeamId(config: Config): bigint {
  const keys = readKeysFile(config);
  if (keys) return BigInt(keys.team);
  throw new Failure(
    `there is no demo team: ${keysFilePath(config)} does not exist`,
    'Name a team with --team, or run "npm start" once in development.',
  );
}
