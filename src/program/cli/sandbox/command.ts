import { type Command, Option } from 'commander';
import { currencyCode, span, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;

/** `pirogue sandbox …`, `pirogue accounts …`: simulate what a provider, an operator or time does in live. */
export function addSandbox(program: Command): void {
  const sandbox = program.command('sandbox').description('test mode');
  sandbox
    .command('fund')
    .description('put play money on a sandbox balance')
    .requiredOption('--currency <code>', 'of the balance', currencyCode)
    .requiredOption('--amount <number>', 'in major units, such as 50000')
    .option('--team <id>', 'default: the demo team', teamId)
    .option(...json)
    .action(async (options) => (await actions()).fundCommand(options));
  sandbox
    .command('clock')
    .description('time, as one sandbox team sees it')
    .command('advance')
    .description('let time pass: payments expire, holds end, charges, transfers and deliveries go on')
    .argument('<time>', 'how much: 90s, 30m, 25h, 2d', span)
    .option('--team <id>', 'default: the demo team', teamId)
    .option(...json)
    .action(async (by_ms, options) => (await import('./clock.ts')).advanceCommand(by_ms, options));
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
