import fs from 'node:fs';
import { OptionError, type Options, readOptions, USAGE } from './soak/options.ts';
import { reportOf } from './soak/report.ts';
import { failuresOf, runSoak } from './soak/run.ts';
import { buildStage } from './soak/stage.ts';

/**
 * `npm run soak -- --minutes 120 --rate 100`: the service under constant load for hours, with restarts, kills and faults of
 * providers. Fails when memory, open files, tables, queues or latency grow, or when the books differ (docs/reliability/soak.md).
 */

/** The end of a run by a signal. Its message is shown without a stack. */
class Stopped extends Error {}

async function main(options: Options): Promise<boolean> {
  const stopped = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => reject(new Stopped(`stopped by ${signal}`)));
  });
  stopped.catch(() => {}); // a signal may arrive before the race below starts, which then ends at once
  const { stage, tearDown } = await buildStage(options);
  try {
    const result = await Promise.race([runSoak(stage, options, (text) => console.error(text)), stopped]);
    console.log(reportOf(result));
    if (options.json !== null) fs.writeFileSync(options.json, JSON.stringify(result));
    return failuresOf(result).length === 0;
  } finally {
    await tearDown();
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === null) console.log(USAGE);
  process.exit(options === null || (await main(options)) ? 0 : 1);
} catch (error) {
  if (error instanceof Stopped) {
    console.error(error.message);
    process.exit(130);
  }
  console.error(error instanceof OptionError ? `${error.message}\n\n${USAGE}` : error);
  process.exit(1);
}
