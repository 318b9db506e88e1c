#!/usr/bin/env node
// The `pirogue` command, for any working directory. The program runs in the project's folder, to which DATA_DIR is relative.
// INIT_CWD (named as by npm) is the caller's working directory, to which files and folders of the command line are relative. An npm script
// that calls this command has one of its own.
process.env.INIT_CWD = process.cwd();
process.argv.splice(2, 0, 'src/program/cli/main.ts');
await import('./run.mjs');
