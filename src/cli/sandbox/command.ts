import { type Command, Option } from 'commander';
import { currencyCode, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;

/** `pirogue sandbox …`, `pirogue trigger …`, `pirogue accounts …`: what in live a provider or an operator would do. */
export function addSandbox(program: Command): void {
  program
    .command('sandbox')
    .description('test mode')
    .command('fund')
    .description('put play money on a sandbox balance')
    .requiredOption('--currency <code>', 'of the balance', currencyCode)
    .requiredOption('--amount <number>', 'in major units, such as 50000')
    .option('--team <id>', 'default: the demo team', teamId)
    .option(...json)
    .action(async (options) => (await actions()).fundCommand(options));
  program
    .command('trigger')
    .description('let something happen to a sandbox payment')
    .addArgument(program.createArgument('<event>', 'what happens').choices(['dispute.created', 'dispute.won', 'dispute.lost']))
    .requiredOption('--payment <id>', 'the payment it happens to (trx_test_…)')
    .option('--amount <number>', 'disputed, in major units; default: what has not been refunded')
    .option('--team <id>', 'default: the demo team', teamId)
    .option(...json)
    .action(async (event, options) => (await actions()).triggerCommand(event, options));
  program
    .command('accounts')
    .description('connected subaccounts')
    .command('verify')
    .description('record what came of checking the owner of an account')
    .argument('<id>', 'the account (acct_…)')
    .addOption(new Option('--status <status>', 'outcome').choices(['pending', 'verified', 'rejected']).default('verified'))
    .option('--team <id>', 'default: the demo team', teamId)
    .option(...json)
    .action(async (id, options) => (await actions()).verifyAccountCommand(id, options));
}
