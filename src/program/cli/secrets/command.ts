import type { Command } from 'commander';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;

/** `pirogue secrets …` */
export function addSecrets(program: Command): void {
  const secrets = program.command('secrets').description('the keys that encrypt stored secrets');
  secrets
    .command('status')
    .description('show the keys and how many values each encrypts')
    .option(...json)
    .action(async (options) => (await actions()).statusCommand(options));
  secrets
    .command('rotate')
    .description('create a new key and re-encrypt all values with it; the service keeps running')
    .option(...json)
    .action(async (options) => (await actions()).rotateCommand(options));
  secrets
    .command('prune')
    .description('remove keys that are no longer in use')
    .option(...json)
    .action(async (options) => (await actions()).pruneCommand(options));
}
