import { readConfig } from '../../platform/config/config.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Environment } from '../../kit/environment.ts';
import { type Minor, minorFromWire } from '../../kit/money.ts';
import { withDatabases, withPool } from './databases.ts';
import { demoTeamId } from './demo-team.ts';
import { UsageFailure } from './failure.ts';
import { refuse } from './refuse.ts';
import { checkTeam } from './unknown.ts';

/**
 * Opens a store for `work`, with the team of the options or the demo team. A store has no list of teams and accepts rows of any team
 * id, so the team is checked first.
 * @throws Failure with a one-line message when there is no such team, or where the API would answer with an error status
 */
export async function inStore<T>(
  environment: Environment,
  options: { team?: bigint },
  work: (store: Store, team_id: bigint) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const team_id = options.team ?? demoTeamId(config);
  try {
    return await withDatabases(config, async (urls) => {
      await withPool(urls.control, (control) => checkTeam(control, team_id));
      return withPool(urls[environment], (db) => work({ environment, db }, team_id));
    });
  } catch (error) {
    refuse(error, { otherwise: 'Nothing was changed.' });
  }
}

/**
 * Parses an amount in major units.
 * @throws UsageFailure
 */
export function readAmount(text: string): Minor {
  const amount = /^\d+(\.\d{1,2})?$/.test(text) ? minorFromWire(Number(text)) : null;
  if (!amount) throw new UsageFailure(`${text} is not an amount`, 'Give major units with at most two decimals, such as 50000.');
  return amount;
}
