import type { Command } from 'commander';

/** `pirogue explain …` */
export function addExplain(program: Command): void {
  program
    .command('explain')
    .description('explain which provider each attempt of a payment or transfer went to, why, and its outcome')
    .argument('<id>', 'trx_… or po_…')
    .option('--json', 'print one JSON document')
    .action(async (id, options, command) => (await import('./actions.ts')).explainCommand(id, options, command));
}
