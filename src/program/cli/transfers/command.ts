import { type Command, Option } from 'commander';
import { TRANSFER_STATUSES } from '../../../core/transfers/states.ts';
import { addAmountOptions, addDayOptions, addIdOptions, addListOptions } from '../list-options.ts';

/** `pirogue transfers …` */
export function addTransfers(program: Command): void {
  const transfers = program.command('transfers').description('payouts of a team');
  const list = transfers
    .command('list')
    .description('list transfers, newest first')
    .addOption(new Option('--status <status>', 'only of this status').choices(TRANSFER_STATUSES))
    .option('--channel <channel>', 'only of this channel, such as cm.mtn')
    .option('--beneficiary <id>', 'only to this beneficiary')
    .option('--search <text>', 'only with this text in id, reference, description or recipient');
  addListOptions(addAmountOptions(addDayOptions(list))).action(async (options) =>
    (await import('./actions.ts')).listTransfersCommand(options),
  );
  addIdOptions(transfers.command('show').description('show a transfer').argument('<id>', 'po_…'))
    .option('--json', 'print one JSON document')
    .action(async (id, options) => (await import('./actions.ts')).showTransferCommand(id, options));
}
