import { onOneLine } from './failure.ts';

/** Exit code that shells report for a program ended by Ctrl-C. */
const INTERRUPTED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work that moves money. When a signal ends the command meanwhile, one line on stderr states what is uncertain and what to do.
 * Otherwise the operator might run the command again.
 */
export async function interruptible<T>(uncertain: string, advice: string, work: () => Promise<T>): Promise<T> {
  const stop = () => {
    process.stderr.write(`${onOneLine(`pirogue: interrupted: ${uncertain}`, advice)}\n`);
    process.exit(INTERRUPTED);
  };
  for (const name of SIGNALS) process.on(name, stop);
  try {
    return await work();
  } finally {
    for (const name of SIGNALS) process.off(name, stop);
  }
}
