import type { Command } from 'commander';
import { teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const team = ['--team <id>', 'whose charges (default: the demo team of keys.json)', teamId] as const;

/** `pirogue abuse …` */
export function addAbuse(program: Command): void {
  const abuse = program.command('abuse').description('rules against abuse, which live charges of a team are held against');
  for (const [name, on, description] of [
    ['on', true, 'hold the live charges of a team against the rules; known to every node at once'],
    ['off', false, 'let the live charges of a team through, blocks included'],
  ] as const) {
    abuse
      .command(name)
      .description(description)
      .option(...team)
      .option(...json)
      .action(async (options) => (await actions()).switchCommand(on, options));
  }
  abuse
    .command('show')
    .description('show what the rules let through, and how many payments they refused in the last day')
    .option(...team)
    .option(...json)
    .action(async (options) => (await actions()).showCommand(options));
}
