#!/usr/bin/env node
// The `pirogue` command, from any folder. The program runs in the project's, where DATA_DIR is looked for; INIT_CWD
// (as npm names it) is where the caller stands.
process.env.INIT_CWD ||= process.cwd();
process.argv.splice(2, 0, 'src/program/cli/main.ts');
await import('./run.mjs');
