import { type Command, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { accountName, costList, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const team = ['--team <id>', 'whose it is (default: the demo team of keys.json)', teamId] as const;
const environment = () => new Option('--environment <environment>', 'where it is used').choices(ENVIRONMENTS);

/** `pirogue providers …` */
export function addProviders(program: Command): void {
  const providers = program.command('providers').description('accounts of a team at payment providers');
  providers
    .command('add')
    .description('add an account; its credentials are sealed and never shown again')
    .argument('<provider>', 'the kind of provider: "pirogue providers kinds" lists them')
    .option(...team)
    .addOption(environment().default('live'))
    .option('--name <name>', 'what rules call it (default: the kind of provider)', accountName)
    .option('--credentials <file>', 'JSON object of its credentials; - reads standard input')
    .option('--set-env <name=VARIABLE...>', 'one credential, read from an environment variable')
    .option('--set <name=value...>', 'one credential that is no secret: every user of this machine sees the command line')
    .option('--cost <costs>', 'what it costs, such as mobile_money=1.5%+10,payout=1%', costList)
    .option(...json)
    .action(async (kind, options) => (await actions()).addCommand(kind, options));
  addList(providers);
  addTest(providers);
  addSwitches(providers);
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
    .description('show the kinds of provider and the credentials each asks for')
    .option(...json)
    .action(async (options) => (await actions()).kindsCommand(options));
}

function addTest(providers: Command): void {
  providers
    .command('test')
    .description('ask the provider, without moving money, whether the account works')
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
        active ? 'let the account take new operations again' : 'send nothing new by the account; what it has is still followed',
      )
      .argument('<account>', 'pa_…')
      .option(...json)
      .action(async (id, options) => (await actions()).switchCommand(id, active, options));
  }
}
