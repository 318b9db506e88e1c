import { createLog } from '../../src/kit/log.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { type CommandLine, openCommandLine } from './command.ts';

/** Commands beside a team, and its live database: what only providers cause is written there. */
export interface LiveTeam {
  cli: CommandLine;
  live: DbPool;
  /** Id of the team. */
  team: string;
  close(): Promise<void>;
}

export async function openLiveTeam(): Promise<LiveTeam> {
  const cli = await openCommandLine();
  const live = openPool({ url: cli.databases.live, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
  const { id: team } = await cli.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example');
  const close = async () => {
    await live.close();
    await cli.close();
  };
  return { cli, live, team, close };
}
