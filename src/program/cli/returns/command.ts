import { type Command, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { RESOLVED_AS } from '../../../core/obligations/schema.ts';
import { count, evidence, person, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const team = ['--team <id>', 'team (default: the demo team of keys.json)', teamId] as const;

/** `pirogue returns …` */
export function addReturns(program: Command): void {
  const returns = program.command('returns').description('captured money that must be returned to payers');
  returns
    .command('list')
    .description('show the returns that are not final, oldest first; exit code 1 when one needs manual resolution')
    .option('--team <id>', 'only of this team (default: all)', teamId)
    .addOption(new Option('--environment <environment>', 'environment').choices(ENVIRONMENTS).default('live'))
    .option('--limit <n>', 'maximum number', count, 100)
    .option(...json)
    .action(async (options) => (await actions()).listCommand(options));
  returns
    .command('resolve')
    .description('record how a return was resolved manually')
    .argument('<id>', 'rtn_…')
    .requiredOption('--evidence <text>', 'evidence, stored with the decision', evidence)
    .addOption(
      new Option('--as <outcome>', 'returned: to the payer; kept: by the merchant; recovered, absorbed: of money returned twice')
        .choices(RESOLVED_AS)
        .default('returned'),
    )
    .option('--author <name>', 'person who decides (default: the operating system user)', person)
    .option(...team)
    .option(...json)
    .action(async (id, options) => (await actions()).resolveCommand(id, options));
  returns
    .command('retry')
    .description('retry the payout of a return, for example after an account was added')
    .argument('<id>', 'rtn_…')
    .option(...team)
    .option(...json)
    .action(async (id, options) => (await actions()).retryCommand(id, options));
}
