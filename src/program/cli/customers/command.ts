import { type Command, Option } from 'commander';
import { addIdOptions, addListOptions } from '../list-options.ts';

/** `pirogue customers …` */
export function addCustomers(program: Command): void {
  const customers = program.command('customers').description('customers of a team');
  const list = customers
    .command('list')
    .description('list customers, newest first, without erased ones')
    .option('--search <text>', 'only with this text in id, name, e-mail, phone or company name')
    .addOption(new Option('--blocked <which>', 'true: only blocked ones, false: only others').choices(['true', 'false']));
  addListOptions(list).action(async (options) => (await import('./actions.ts')).listCustomersCommand(options));
  addIdOptions(customers.command('show').description('show a customer').argument('<id>', 'cus_…'))
    .option('--json', 'print one JSON document')
    .action(async (id, options) => (await import('./actions.ts')).showCustomerCommand(id, options));
}
