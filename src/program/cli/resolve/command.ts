import { type Command, Option } from 'commander';
import { evidence, partNumber, person, teamId } from '../values.ts';

/** `pirogue resolve` */
export function addResolve(program: Command): void {
  program
    .command('resolve')
    .description('resolve an attempt, transfer or refund manually when no provider can report its outcome')
    .argument('<id>', 'att_…, po_… or rfd_…')
    .addOption(new Option('--as <outcome>', 'outcome').choices(['succeeded', 'failed']).makeOptionMandatory())
    .requiredOption('--evidence <text>', 'evidence, stored with the decision', evidence)
    .option('--part <n>', 'part of a refund of a payment in tranches, from 1', partNumber)
    .option('--author <name>', 'person who decides (default: the operating system user)', person)
    .option('--team <id>', 'team (default: the demo team of keys.json)', teamId)
    .option('--json', 'print one JSON document')
    .action(async (id, options) => (await import('./actions.ts')).resolveCommand(id, options));
}
