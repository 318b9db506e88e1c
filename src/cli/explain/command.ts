import type { Command } from 'commander';

/** `pirogue explain …` */
export function addExplain(program: Command): void {
  program
    .command('explain')
    .description('say of each attempt of a payment which provider had it, why, and what came of it')
    .argument('<payment>', 'trx_…')
    .option('--json', 'print one JSON document')
    .action(async (id, options, command) => (await import('./actions.ts')).explainCommand(id, options, command));
}
