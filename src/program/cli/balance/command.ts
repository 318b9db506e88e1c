import { type Command, Option } from 'commander';
import { addTeamOptions } from '../list-options.ts';
import { currencyCode } from '../values.ts';

/** `pirogue balance` */
export function addBalance(program: Command): void {
  const balance = program
    .command('balance')
    .description('show the balance of a team in one currency')
    .option('--currency <code>', "currency (default: the team's)", currencyCode);
  addTeamOptions(balance)
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--json', 'print one JSON document')
    .action(async (options) => (await import('./actions.ts')).balanceCommand(options));
}
