// The entry of every npm script: installs what is missing, then runs the pinned Node with the given arguments.
//
//   node scripts/run.mjs src/main.ts
//
// Plain JavaScript for Node 16 and later, without dependencies: it runs before anything is installed. A `prestart`
// hook could not do this (npm skips hooks under ignore-scripts=true), nor could `a && b` in one npm script (the shell
// has looked up `node` before the pinned one is there).
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './run/install.mjs';
import { programOptions } from './run/program.mjs';
import { findRuntime } from './run/runtime.mjs';
import { supervise } from './run/supervise.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

try {
  await install(root);
  const runtime = findRuntime(root);
  const { args, env } = programOptions(root, process.argv.slice(2), process.env);
  const found = { ...env, PATH: [path.dirname(runtime), process.env.PATH].join(path.delimiter) };
  const end = await supervise(runtime, args, { cwd: root, stdio: 'inherit', env: found });
  leave(end.code, end.signal);
} catch (error) {
  if (!error.signal) console.error(error.expected ? error.message : error);
  leave(1, error.signal);
}

/** Ends with the exit code or the signal of the program, because a shell distinguishes an interrupted command by its signal. */
function leave(code, signal) {
  if (signal) process.kill(process.pid, signal);
  process.exit(code);
}
