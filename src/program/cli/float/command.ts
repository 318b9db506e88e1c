import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { minorFromWire } from '../../../kit/money.ts';
import { currencyCode, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;

/** `pirogue float …` */
export function addFloat(program: Command): void {
  const float = program.command('float').description('balances of the accounts of a team at providers');
  float
    .command('list')
    .description('show the last reported balance of each account')
    .option('--team <id>', 'team (default: the demo team of keys.json)', teamId)
    .addOption(new Option('--environment <environment>', 'environment').choices(ENVIRONMENTS).default('live'))
    .option(...json)
    .action(async (options) => (await actions()).listCommand(options));
  float
    .command('set')
    .description('mail the owner of the team when the balance of an account falls below a threshold')
    .argument('<account>', 'pa_…')
    .requiredOption('--currency <code>', 'currency of the float', currencyCode)
    .requiredOption('--alert-below <amount>', 'threshold in major units; off: no alert', below)
    .option('--area <area>', 'float of one country (cm) or channel (cm.mtn), as "float list" shows it', area)
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
