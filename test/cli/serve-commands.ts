// Runs command lines one after another, each as `src/program/cli/main.ts` runs its own: a start takes longer than most commands. A command that
// opens a database reads its time anew, so that none depends on the clock of the command before it.
import { exitCodeOf, failureText } from '../../src/program/cli/failure.ts';
import { buildProgram } from '../../src/program/cli/program.ts';
import type { Wanted } from './command-server.ts';

// A command leaves its handlers of signals behind, as its process ends with it.
process.setMaxListeners(0);
let last = Promise.resolve();
process.on('message', (wanted: Wanted) => {
  last = last.then(async () => {
    process.send?.(await run(wanted));
  });
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function run({ args, env }: Wanted) {
  process.env = { ...env };
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (part: string | Uint8Array, ...rest: unknown[]) => {
      text[name] += typeof part === 'string' ? part : Buffer.from(part).toString('utf8');
      const written = rest.find((given) => typeof given === 'function');
      if (written) process.nextTick(written as () => void);
      return true;
    };
  }
  process.exitCode = undefined;
  const code = await outcomeOf(args);
  return { code, ...text };
}

async function outcomeOf(args: string[]): Promise<number> {
  try {
    await buildProgram().parseAsync([process.execPath, 'pirogue', ...args]);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    const text = await failureText(error);
    if (text) console.error(text);
    return exitCodeOf(error);
  }
}
