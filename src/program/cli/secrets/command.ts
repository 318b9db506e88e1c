import type { Command } from 'commander';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;

/** `pirogue secrets …` */
export function addSecrets(program: Command): void {
  const secrets = program.command('secrets').description('the keys that seal what is stored');
  secrets
    .command('status')
    .description('show the keys and how many values each has sealed')
    .option(...json)
    .action(async (options) => (await actions()).statusCommand(options));
  secrets
    .command('rotate')
    .description('make a new key and seal everything again under it, while the service goes on')
    .option(...json)
    .action(async (options) => (await actions()).rotateCommand(options));
  secrets
    .command('prune')
    .description('forget keys that seal nothing any more')
    .option(...json)
    .action(async (options) => (await actions()).pruneCommand(options));
}
