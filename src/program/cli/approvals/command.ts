import type { Command } from 'commander';
import { teamId } from '../values.ts';

/** `pirogue approvals …` */
export function addApprovals(program: Command): void {
  const approvals = program.command('approvals').description('what needs a second person in the console');
  approvals
    .command('off')
    .description('remove all thresholds of a team, when nobody is left who could approve')
    .requiredOption('--team <id>', 'team', teamId)
    .option('--json', 'print one JSON document')
    .action(async (options) => (await import('./actions.ts')).approvalsOffCommand(options));
}
