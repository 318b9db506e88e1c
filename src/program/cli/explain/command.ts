import type { Command } from 'commander';

/** `pirogue explain …` */
export function addExplain(program: Command): void {
  program
    .command('explain')
    .description('say which provider had each attempt of a payment, or a transfer, why, and what came of it')
    .argument('<id>', 'trx_… or po_…')
    .option('--json', 'print one JSON document')
    .action(async (id, options, command) => (await import('./actions.ts')).explainCommand(id, options, command));
}
