import { type Command, Option } from 'commander';
import { currencyCode, span, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;

/** `pirogue sandbox …`, `pirogue accounts …`: simulate in the sandbox what a provider, an operator or time causes in live. */
export function addSandbox(program: Command): void {
  const sandbox = program.command('sandbox').description('sandbox tools');
  sandbox
    .command('fund')
    .description('add test money to a sandbox balance')
    .requiredOption('--currency <code>', 'currency of the balance', currencyCode)
    .requiredOption('--amount <number>', 'in major units, such as 50000')
    .option('--team <id>', 'team (default: the demo team)', teamId)
    .option(...json)
    .action(async (options) => (await actions()).fundCommand(options));
  sandbox
    .command('clock')
    .description('clock of one sandbox team')
    .command('advance')
    .description('advance the clock: payments expire, retention ends, charges, transfers and deliveries continue')
    .argument('<time>', 'duration: 90s, 30m, 25h, 2d', span)
    .option('--team <id>', 'team (default: the demo team)', teamId)
    .option(...json)
    .action(async (by_ms, options) => (await import('./clock.ts')).advanceCommand(by_ms, options));
  program
    .command('accounts')
    .description('connected subaccounts')
    .command('verify')
    .description('set the verification status of an account')
    .argument('<id>', 'id of the account (acct_…)')
    .addOption(new Option('--status <status>', 'outcome').choices(['pending', 'verified', 'rejected']).default('verified'))
    .option('--team <id>', 'team (default: the demo team)', teamId)
    .option(...json)
    .action(async (id, options) => (await actions()).verifyAccountCommand(id, options));
}
