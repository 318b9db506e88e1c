import { type Command, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { OPERATIONS } from '../../../providers/routing/schema.ts';
import { currencyCode, teamId } from '../values.ts';
import { amount, channel, channelList, countryList, currencyList, nameList, priority, shareList } from './values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const team = ['--team <id>', 'whose they are (default: the demo team of keys.json)', teamId] as const;
const environment = () => new Option('--environment <environment>', 'where it holds').choices(ENVIRONMENTS);

/** `pirogue rules …` */
export function addRules(program: Command): void {
  const rules = program.command('rules').description('which accounts are tried for a charge or a payout, and in which order');
  addAdd(rules);
  addList(rules);
  addTest(rules);
  addRemove(rules);
}

function addAdd(rules: Command): void {
  rules
    .command('add')
    .description('add a rule; returns when every node knows it')
    .option(...team)
    .addOption(environment().default('live'))
    .option(
      '--priority <number>',
      'the lower comes first; the first rule that matches decides (default: after the last)',
      priority,
    )
    .addOption(new Option('--operation <operation>', 'only for these (default: both)').choices(OPERATIONS))
    .option('--country <codes>', 'only in these countries, such as cm,ci', countryList)
    .option('--channel <ids>', 'only on these channels, such as cm.mtn', channelList)
    .option('--currency <codes>', 'only in these currencies, such as XAF', currencyList)
    .option('--min <amount>', 'only from this amount on, in major units; needs --currency', amount)
    .option('--max <amount>', 'only up to this amount, in major units; needs --currency', amount)
    .option('--order <accounts>', 'try these accounts in this order, such as kora,hub2', nameList)
    .option('--share <weights>', 'split the volume, such as kora=70,hub2=30; the others follow as fallback', shareList)
    .option('--least-cost', 'try the cheapest account first, by the costs given with "pirogue providers add --cost"')
    .option('--no-fallback', 'try no other account when the chosen one is unavailable')
    .option(...json)
    .action(async (options, command) => (await actions()).addRuleCommand(options, command));
}

function addList(rules: Command): void {
  rules
    .command('list')
    .description('show the rules of a team in the order in which they are asked')
    .option(...team)
    .addOption(environment())
    .option(...json)
    .action(async (options) => (await actions()).listRulesCommand(options));
}

function addTest(rules: Command): void {
  rules
    .command('test')
    .description('show who would be tried, and why; nothing is sent')
    .requiredOption('--channel <id>', 'such as cm.mtn', channel)
    .requiredOption('--currency <code>', 'of the amount', currencyCode)
    .requiredOption('--amount <number>', 'in major units', amount)
    .addOption(new Option('--operation <operation>', 'what is asked for').choices(OPERATIONS).default('collect'))
    .option(...team)
    .addOption(environment().default('live'))
    .option(...json)
    .action(async (options) => (await actions()).testRulesCommand(options));
}

function addRemove(rules: Command): void {
  rules
    .command('remove')
    .description('remove a rule; returns when every node knows it')
    .argument('<id>', 'of the rule (rul_…)')
    .option(...json)
    .action(async (id, options, command) => (await actions()).removeRuleCommand(id, options, command));
}
