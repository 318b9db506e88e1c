import type { Command } from 'commander';
import { addApiOptions } from '../api-options.ts';
import { currencyCode, emailAddress } from '../values.ts';

/** `pirogue payments …` */
export function addPayments(program: Command): void {
  const create = program
    .command('payments')
    .description('payments of the sandbox')
    .command('create')
    .description('create a payment and print the address of its page')
    .requiredOption('--amount <number>', 'in major units, such as 5000')
    .requiredOption('--currency <code>', 'such as XAF', currencyCode)
    .option('--email <address>', 'of the payer', emailAddress)
    .option('--phone <number>', 'of the payer (e-mail or phone is required)')
    .option('--reference <text>', 'your reference')
    .option('--description <text>', 'shown to the payer')
    .option('--open', 'open the page in the browser');
  addApiOptions(create)
    .option('--json', 'print one JSON document')
    .action(async (options, command) => (await import('./actions.ts')).createPaymentCommand(options, command));
}
