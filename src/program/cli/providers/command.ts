import { type Command, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { accountName, costList, fileOrInput, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const team = ['--team <id>', 'team (default: the demo team of keys.json)', teamId] as const;
const environment = () => new Option('--environment <environment>', 'environment').choices(ENVIRONMENTS);

/** `pirogue providers …` */
export function addProviders(program: Command): void {
  const providers = program.command('providers').description('accounts of a team at payment providers');
  const add = providers
    .command('add')
    .description('add an account; its credentials are stored encrypted and never shown again')
    .argument('<provider>', 'provider; "pirogue providers kinds" lists them')
    .option(...team)
    .addOption(environment().default('live'))
    .option('--name <name>', 'name of the account in routing rules (default: the provider)', accountName);
  withCredentials(add)
    .option('--cost <costs>', 'cost of the provider, such as mobile_money=1.5%+10,payout=1%', costList)
    .option(...json)
    .action(async (kind, options) => (await actions()).addCommand(kind, options));
  const set = providers
    .command('set')
    .description('replace all credentials of an account, by those of the same account at the provider')
    .argument('<account>', 'pa_…');
  withCredentials(set)
    .option(...json)
    .action(async (id, options) => (await actions()).setCommand(id, options));
  addList(providers);
  addTest(providers);
  addSwitches(providers);
}

function withCredentials(command: Command): Command {
  return command
    .option('--credentials <file>', 'JSON object of its credentials; - reads standard input', fileOrInput)
    .option('--set-env <name=VARIABLE...>', 'one credential, read from an environment variable')
    .option('--set <name=value...>', 'one credential that is not secret: every user of this machine can read the command line');
}

function addList(providers: Command): void {
  providers
    .command('list')
    .description('show the accounts of a team')
    .option(...team)
    .addOption(environment())
    .option(...json)
    .action(async (options) => (await actions()).listCommand(options));
  providers
    .command('kinds')
    .description('show the providers and the credentials of each')
    .option(...json)
    .action(async (options) => (await actions()).kindsCommand(options));
}

function addTest(providers: Command): void {
  providers
    .command('test')
    .description('test the account with a request that moves no money')
    .argument('<account>', 'pa_…')
    .option(...json)
    .action(async (id, options) => (await actions()).testCommand(id, options));
}

function addSwitches(providers: Command): void {
  for (const [name, active] of [
    ['disable', false],
    ['enable', true],
  ] as const) {
    providers
      .command(name)
      .description(
        active
          ? 'use the account for new operations again'
          : 'stop using the account for new operations; existing operations are still followed',
      )
      .argument('<account>', 'pa_…')
      .option(...json)
      .action(async (id, options) => (await actions()).switchCommand(id, active, options));
  }
}
