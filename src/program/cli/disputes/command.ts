import { type Command, InvalidArgumentError, Option } from 'commander';
import { evidence, person, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const team = ['--team <id>', 'team (default: the demo team of keys.json)', teamId] as const;
const author = ['--author <name>', 'person who records it (default: the operating system user)', person] as const;

/** `pirogue disputes …` */
export function addDisputes(program: Command): void {
  const disputes = program.command('disputes').description('disputes (chargebacks) of which a provider has sent a notice');
  disputes
    .command('open')
    .description('record that a payer disputes a payment: the amount is held back')
    .argument('<payment>', 'trx_…')
    .requiredOption('--evidence <text>', "evidence, such as the number of the provider's case, stored with the dispute", evidence)
    .option('--reason <code>', 'reason that the provider names, such as fraudulent', reason, 'general')
    .option(
      '--amount <amount>',
      'in major units (default: all that was paid and has not gone back; a fee on top that alone is left is named)',
    )
    .option(...author)
    .option(...team)
    .option(...json)
    .action(async (id, options) => (await actions()).openCommand(id, options));
  disputes
    .command('decide')
    .description('record how a dispute ended: won and withdrawn return the money to the merchant, lost takes it away')
    .argument('<id>', 'dsp_…')
    .addOption(
      new Option('--as <outcome>', 'what the provider decided').choices(['won', 'lost', 'withdrawn']).makeOptionMandatory(),
    )
    .requiredOption('--evidence <text>', 'evidence, stored with the decision', evidence)
    .option(...author)
    .option(...team)
    .option(...json)
    .action(async (id, options) => (await actions()).decideCommand(id, options));
}

function reason(text: string): string {
  if (/^[a-z][a-z0-9_]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError('A reason has small letters, digits and underscores, such as product_not_received.');
}
