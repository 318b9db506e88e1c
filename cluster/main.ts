import { OptionError, type Options, readOptions, USAGE } from './options.ts';
import { StartError, startCluster } from './start.ts';
import { statusOf, statusText } from './status.ts';
import { stopCluster } from './stop.ts';

/** `npm run cluster`: several nodes of everything on this machine, for tests (docs/scaling.md). */

async function main(options: Options): Promise<number> {
  const data = options.data as string;
  switch (options.command) {
    case 'start':
      return start({ ...options, data });
    case 'status': {
      const status = await statusOf(data);
      console.log(options.json ? JSON.stringify(status) : statusText(status));
      return status.running ? 0 : 1;
    }
    case 'stop': {
      const stopped = await stopCluster(data);
      const text = stopped.length > 0 ? `stopped: ${stopped.join(', ')}` : `nothing was running in ${data}`;
      console.log(options.json ? JSON.stringify({ folder: data, stopped }) : text);
      return 0;
    }
    case 'faults': {
      const { faultsCommand } = await import('./faults-command.ts');
      return faultsCommand(options);
    }
  }
}

async function start(options: Options & { data: string }): Promise<number> {
  try {
    await startCluster(options, { progress: (text) => console.error(`starting ${text}`) });
  } catch (error) {
    if (!(error instanceof StartError)) await stopCluster(options.data);
    throw error;
  }
  const status = await statusOf(options.data);
  console.log(options.json ? JSON.stringify(status) : statusText(status));
  return 0;
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === null) console.log(USAGE);
  process.exitCode = options === null ? 0 : await main(options);
} catch (error) {
  const known = error instanceof OptionError || error instanceof StartError;
  console.error(known ? error.message : error);
  if (error instanceof OptionError) console.error(`\n${USAGE}`);
  process.exitCode = 1;
}
