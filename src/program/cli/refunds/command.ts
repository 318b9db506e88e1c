import { type Command, Option } from 'commander';
import { REFUND_STATUSES } from '../../../core/refunds/states.ts';
import { addDayOptions, addIdOptions, addListOptions } from '../list-options.ts';

/** `pirogue refunds …` */
export function addRefunds(program: Command): void {
  const refunds = program.command('refunds').description('refunds of a team ("payments refund" makes one)');
  const list = refunds
    .command('list')
    .description('list refunds, newest first')
    .option('--payment <id>', 'only of this payment')
    .addOption(new Option('--status <status>', 'only of this status').choices(REFUND_STATUSES));
  addListOptions(addDayOptions(list)).action(async (options) => (await import('./actions.ts')).listRefundsCommand(options));
  addIdOptions(refunds.command('show').description('show a refund').argument('<id>', 'rfd_…'))
    .option('--json', 'print one JSON document')
    .action(async (id, options) => (await import('./actions.ts')).showRefundCommand(id, options));
}
