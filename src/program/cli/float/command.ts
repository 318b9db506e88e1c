import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { minorFromWire } from '../../../kit/money.ts';
import { currencyCode, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;

/** `pirogue float …` */
export function addFloat(program: Command): void {
  const float = program.command('float').description('what the accounts of a team hold at their providers');
  float
    .command('list')
    .description('show what each account said it holds, and when')
    .option('--team <id>', 'whose they are (default: the demo team of keys.json)', teamId)
    .addOption(new Option('--environment <environment>', 'which store').choices(ENVIRONMENTS).default('live'))
    .option(...json)
    .action(async (options) => (await actions()).listCommand(options));
  float
    .command('set')
    .description('have the owner of the team told by mail when an account holds too little')
    .argument('<account>', 'pa_…')
    .requiredOption('--currency <code>', 'of the float', currencyCode)
    .requiredOption('--alert-below <amount>', 'in major units; off: tell nobody', below)
    .option('--area <area>', 'only the float of a country (cm) or channel (cm.mtn), as "float list" shows it', area)
    .option(...json)
    .action(async (account, options) => (await actions()).setCommand(account, options));
}

function below(text: string): bigint | 'off' {
  if (text === 'off') return text;
  const amount = /^\d{1,13}(\.\d{1,2})?$/.test(text) ? minorFromWire(Number(text)) : null;
  if (amount === null || amount === 0n) throw new InvalidArgumentError('Use an amount above 0 such as 500000, or off.');
  return amount;
}

function area(text: string): string {
  if (/^[a-z]{2}(\.[a-z0-9-]{1,40})?$/.test(text)) return text;
  throw new InvalidArgumentError('Use a country such as cm, or a channel such as cm.mtn.');
}
