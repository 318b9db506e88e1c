import { type Command, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { OPERATIONS } from '../../../providers/routing/schema.ts';
import { currencyCode, teamId } from '../values.ts';
import { amount, channel, channelList, countryList, currencyList, nameList, priority, shareList } from './values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const team = ['--team <id>', 'team (default: the demo team of keys.json)', teamId] as const;
const environment = () => new Option('--environment <environment>', 'environment of the rule').choices(ENVIRONMENTS);

/** `pirogue rules …` */
export function addRules(program: Command): void {
  const rules = program
    .command('rules')
    .description('routing rules: which accounts are tried for a charge or a payout, and in which order');
  addAdd(rules);
  addList(rules);
  addTest(rules);
  addRemove(rules);
}

function addAdd(rules: Command): void {
  rules
    .command('add')
    .description('add a rule; returns when every node applies it')
    .option(...team)
    .addOption(environment().default('live'))
    .option('--priority <number>', 'lower first; the first matching rule applies (default: after the last)', priority)
    .addOption(new Option('--operation <operation>', 'only for this operation (default: both)').choices(OPERATIONS))
    .option('--country <codes>', 'only in these countries, such as cm,ci', countryList)
    .option('--channel <ids>', 'only on these channels, such as cm.mtn', channelList)
    .option('--currency <codes>', 'only in these currencies, such as XAF', currencyList)
    .option('--min <amount>', 'minimum amount, in major units; needs --currency', amount)
    .option('--max <amount>', 'maximum amount, in major units; needs --currency', amount)
    .option('--order <accounts>', 'try these accounts in this order, such as kora,hub2', nameList)
    .option('--share <weights>', 'split the volume by weight, such as kora=70,hub2=30; the others are the fallback', shareList)
    .option('--least-cost', 'try the cheapest account first, by the costs of "pirogue providers add --cost"')
    .option('--no-fallback', 'do not try another account when the chosen one is unavailable')
    .option(...json)
    .action(async (options, command) => (await actions()).addRuleCommand(options, command));
}

function addList(rules: Command): void {
  rules
    .command('list')
    .description('show the rules of a team in the order of evaluation')
    .option(...team)
    .addOption(environment())
    .option(...json)
    .action(async (options) => (await actions()).listRulesCommand(options));
}

function addTest(rules: Command): void {
  rules
    .command('test')
    .description('show which accounts would be tried, and why; sends nothing')
    .requiredOption('--channel <id>', 'such as cm.mtn', channel)
    .requiredOption('--currency <code>', 'currency of the amount', currencyCode)
    .requiredOption('--amount <number>', 'in major units', amount)
    .addOption(new Option('--operation <operation>', 'operation').choices(OPERATIONS).default('collect'))
    .option(...team)
    .addOption(environment().default('live'))
    .option(...json)
    .action(async (options) => (await actions()).testRulesCommand(options));
}

function addRemove(rules: Command): void {
  rules
    .command('remove')
    .description('remove a rule; returns when no node applies it any more')
    .argument('<id>', 'id of the rule (rul_…)')
    .option(...json)
    .action(async (id, options, command) => (await actions()).removeRuleCommand(id, options, command));
}
