import { onOneLine } from './failure.ts';

/** As shells report a program that Ctrl-C ended. */
const INTERRUPTED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work that moves money. When a signal ends the command meanwhile, one line on stderr says what is uncertain and what to do,
 * because a person would run the command again.
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
