import type { Command } from 'commander';
import { filePath } from '../values.ts';

const json = ['--json', 'print one JSON document'] as const;

/** `pirogue backup` and `pirogue restore`. */
export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('copy the database under DATA_DIR with its API keys and its secrets key; the service keeps running')
    .argument('<folder>', 'new folder; anyone who can read it can read all data', filePath)
    .option(...json)
    .action(async (folder, options) => (await import('./backup.ts')).backupCommand(folder, options));
  program
    .command('restore')
    .description('create a DATA_DIR from a backup; never overwrites one')
    .argument('<folder>', 'folder created by "pirogue backup"', filePath)
    .option(...json)
    .action(async (folder, options) => (await import('./restore.ts')).restoreCommand(folder, options));
}
