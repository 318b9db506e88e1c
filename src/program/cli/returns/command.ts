import { type Command, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { RESOLVED_AS } from '../../../core/obligations/schema.ts';
import { count, evidence, person, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const team = ['--team <id>', 'whose it is (default: the demo team of keys.json)', teamId] as const;

/** `pirogue returns …` */
export function addReturns(program: Command): void {
  const returns = program.command('returns').description('captured money that has to go back to payers and has not yet');
  returns
    .command('list')
    .description('show the returns that are not final, the oldest first; exit code 1 when one needs a person')
    .option('--team <id>', 'only of this team (default: of all)', teamId)
    .addOption(new Option('--environment <environment>', 'which store').choices(ENVIRONMENTS).default('live'))
    .option('--limit <n>', 'how many at most', count, 100)
    .option(...json)
    .action(async (options) => (await actions()).listCommand(options));
  returns
    .command('resolve')
    .description('record what a person did about a return that needs one')
    .argument('<id>', 'rtn_…')
    .requiredOption('--evidence <text>', 'what shows it: kept with the decision', evidence)
    .addOption(
      new Option('--as <outcome>', 'returned: the payer has it; kept: the merchant; recovered, absorbed: of money returned twice')
        .choices(RESOLVED_AS)
        .default('returned'),
    )
    .option('--author <name>', 'who decides (default: the user of this machine)', person)
    .option(...team)
    .option(...json)
    .action(async (id, options) => (await actions()).resolveCommand(id, options));
  returns
    .command('retry')
    .description('let the service try again to pay it out, after an account was added or an obstacle removed')
    .argument('<id>', 'rtn_…')
    .option(...team)
    .option(...json)
    .action(async (id, options) => (await actions()).retryCommand(id, options));
}
