import type { Command } from 'commander';
import { addApiOptions } from '../api-options.ts';
import { teamId } from '../values.ts';

/** `pirogue trigger …` */
export function addTrigger(program: Command): void {
  const trigger = program
    .command('trigger')
    .description('cause an event in the sandbox')
    .argument('[event]', 'event type, such as payment.succeeded; also dispute.won and dispute.lost')
    .option('--list', 'show what can be triggered')
    .option('--payment <id>', 'dispute.* only: the disputed payment (default: a new one)')
    .option('--amount <number>', 'dispute.created only: disputed amount in major units (default: what has not been refunded)')
    .option('--team <id>', 'dispute.* with --payment only: team (default: the demo team)', teamId);
  addApiOptions(trigger)
    .option('--json', 'print one JSON document')
    .action(async (event, options, command) => (await import('./actions.ts')).triggerCommand(event, options, command));
}
