import type { Command } from 'commander';
import { teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const team = ['--team <id>', 'team (default: the demo team of keys.json)', teamId] as const;

/** `pirogue abuse …` */
export function addAbuse(program: Command): void {
  const abuse = program.command('abuse').description('fraud rules for the live charges of a team');
  for (const [name, on, description] of [
    ['on', true, 'screen the live charges of a team; takes effect on every node at once'],
    ['off', false, 'stop screening the live charges of a team; blocks no longer apply'],
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
    .description('show the limits of the rules, and how many payments they rejected in the last day')
    .option(...team)
    .option(...json)
    .action(async (options) => (await actions()).showCommand(options));
}
