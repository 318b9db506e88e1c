import { type Command, Option } from 'commander';
import { evidence, partNumber, person, teamId } from '../values.ts';

/** `pirogue resolve` */
export function addResolve(program: Command): void {
  program
    .command('resolve')
    .description('decide what became of an attempt, transfer or refund that no provider can tell of')
    .argument('<id>', 'att_…, po_… or rfd_…')
    .addOption(new Option('--as <outcome>', 'what happened').choices(['succeeded', 'failed']).makeOptionMandatory())
    .requiredOption('--evidence <text>', 'what shows it: kept with the decision', evidence)
    .option('--part <n>', 'of a refund of a payment in tranches: which of its parts, from 1', partNumber)
    .option('--author <name>', 'who decides (default: the user of this machine)', person)
    .option('--team <id>', 'whose it is (default: the demo team of keys.json)', teamId)
    .option('--json', 'print one JSON document')
    .action(async (id, options) => (await import('./actions.ts')).resolveCommand(id, options));
}
