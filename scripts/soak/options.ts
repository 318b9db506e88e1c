import { parseArgs } from 'node:util';

export interface Options {
  minutes: number;
  /** Payments per second. */
  rate: number;
  /** Factor by which the time of the databases is faster than real time. */
  speed: number;
  fsync: boolean;
  /** Minutes between two restarts in the last third, of the API and of the worker in turn; 0: none. */
  restart_every: number;
  /** Whether every third restart is a SIGKILL. */
  kills: boolean;
  /** Whether the simulated providers have faults now and then. */
  faults: boolean;
  /** Retention of events (EVENTS_KEEP): in a run of hours nothing would be purged with the default. */
  events_keep: string;
  seed: number;
  /** File for the samples and results; null: none. */
  json: string | null;
}

export const USAGE = `npm run soak -- [options]
  --minutes N          duration of the load (default 120)
  --rate N             payments per second, open loop (default 100)
  --restart-every N    minutes between two restarts in the last third, API and worker in turn; 0: none
                       (default: a twenty-fourth of the run)
  --kills on|off       every third restart is a kill -9 (default on)
  --faults on|off      one provider after the other has faults for some seconds (default on)
  --speed N            the time of the databases is N times faster, so that days pass (default 1)
  --events-keep D      retention of events, so that some are purged during the run: 30m, 1d (default: a quarter of the run)
  --fsync on|off       off: the disk is not part of the run (default on)
  --seed N             another order of payers, amounts and faults (default 1)
  --json FILE          also write all samples and results there`;

/** An invalid option. Its message is shown without a stack. */
export class OptionError extends Error {}

/**
 * Parses the command line.
 * @returns the options; null when help was requested
 * @throws OptionError when an option is unknown or invalid
 */
export function readOptions(args: string[]): Options | null {
  const values = parse(args);
  if (values.help) return null;
  const minutes = number('--minutes', values.minutes, 120, 0.05, 10_080);
  const speed = number('--speed', values.speed, 1, 1, 100);
  const keep = values['events-keep'] ?? `${Math.max(1, Math.ceil((minutes * speed) / 4))}m`;
  if (!/^\d{1,6}[mhd]$/.test(keep)) throw new OptionError(`--events-keep ${keep}: must be a duration such as 30m, 12h or 7d`);
  return {
    minutes,
    speed: Math.round(speed),
    rate: number('--rate', values.rate, 100, 0.1, 5_000),
    fsync: isOn('--fsync', values.fsync),
    restart_every: number('--restart-every', values['restart-every'], minutes / 24, 0, 10_080),
    kills: isOn('--kills', values.kills),
    faults: isOn('--faults', values.faults),
    events_keep: keep,
    seed: Math.round(number('--seed', values.seed, 1, 0, 1_000_000)),
    json: values.json ?? null,
  };
}

function parse(args: string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({
      args,
      options: {
        ...{ minutes: text, rate: text, speed: text, fsync: text, kills: text, faults: text, seed: text, json: text },
        ...{ 'restart-every': text, 'events-keep': text },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

function number(name: string, text: string | undefined, fallback: number, least: number, most: number): number {
  if (text === undefined) return fallback;
  const value = text === '' ? Number.NaN : Number(text);
  if (!(value >= least && value <= most)) throw new OptionError(`${name} ${text}: must be a number from ${least} to ${most}`);
  return value;
}

function isOn(name: string, text = 'on'): boolean {
  if (text !== 'on' && text !== 'off') throw new OptionError(`${name} ${text}: must be on or off`);
  return text === 'on';
}
