import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { DEFAULT_PARTITIONS, KEPT_FOR_EVER, PARTITION_COUNTS } from '../../../platform/db/partitioning/tables.ts';

/** `pirogue partition` */
export function addPartition(program: Command): void {
  program
    .command('partition')
    .description(
      'divide large tables that are kept for ever into partitions by team; the service keeps running, and an interrupted run continues',
    )
    .argument('[tables...]', `${KEPT_FOR_EVER.join(', ')} (default with --check: all)`)
    .addOption(new Option('--environment <environment>', 'the store').choices(ENVIRONMENTS).default('live'))
    .addOption(
      new Option(
        '--partitions <number>',
        `partitions of each table: ${PARTITION_COUNTS.join(', ')} (default: ${DEFAULT_PARTITIONS}, or those it has begun with)`,
      ).argParser(partitionCount),
    )
    .option('--check', 'change nothing: print sizes, and what is in the way')
    .addOption(new Option('--abandon', 'give up what has begun: remove the unfinished copies').conflicts('check'))
    .option('--wait', 'wait for the end of a conversion or migration that runs; without it, say so and end')
    .option('--json', 'print one JSON document')
    .action(async (tables, options, command) => (await import('./actions.ts')).partitionCommand(tables, options, command));
}

function partitionCount(text: string): number {
  const count = PARTITION_COUNTS.find((one) => String(one) === text);
  if (count !== undefined) return count;
  throw new InvalidArgumentError(`Choose ${PARTITION_COUNTS.join(', ')}.`);
}
