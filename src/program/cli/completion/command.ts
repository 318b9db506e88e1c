import { Argument, type Command } from 'commander';

/** Shells that a completion can be written for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** `pirogue completion …` */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the completion of commands, options and values for a shell')
    .addArgument(new Argument('<shell>', 'shell that reads it: source <(pirogue completion bash)').choices(SHELLS))
    .option('--json', 'print one JSON document: shell and script')
    .action(async (shell, options) => (await import('./actions.ts')).completionCommand(shell, options, program));
}
