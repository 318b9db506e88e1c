import type { Command } from 'commander';

const json = ['--json', 'print one JSON document'] as const;

/** `pirogue backup` and `pirogue restore`. */
export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('copy the database under DATA_DIR, its keys and its secrets key, while the service goes on')
    .argument('<folder>', 'a new folder: whoever can read it can read everything')
    .option(...json)
    .action(async (folder, options) => (await import('./backup.ts')).backupCommand(folder, options));
  program
    .command('restore')
    .description('make a DATA_DIR out of a backup; only where none is yet')
    .argument('<folder>', 'what "pirogue backup" made')
    .option(...json)
    .action(async (folder, options) => (await import('./restore.ts')).restoreCommand(folder, options));
}
