import type { Command } from 'commander';
import { addApiOptions } from '../api-options.ts';
import { teamId } from '../values.ts';

/** `pirogue trigger …` */
export function addTrigger(program: Command): void {
  const trigger = program
    .command('trigger')
    .description('let something happen in the sandbox, so that its event is sent')
    .argument('[event]', 'a type of event, such as payment.succeeded; dispute.won and dispute.lost too')
    .option('--list', 'show what can be triggered')
    .option('--payment <id>', 'dispute.* only: the payment it happens to (default: a new one)')
    .option('--amount <number>', 'dispute.created only: disputed, in major units; default: what has not been refunded')
    .option('--team <id>', 'dispute.* with --payment only: whose it is; default: the demo team', teamId);
  addApiOptions(trigger)
    .option('--json', 'print one JSON document')
    .action(async (event, options, command) => (await import('./actions.ts')).triggerCommand(event, options, command));
}
