import path from 'node:path';
import { parseArgs } from 'node:util';

export const COMMANDS = ['start', 'status', 'stop', 'faults'] as const;

export type Command = (typeof COMMANDS)[number];

export interface Options {
  command: Command;
  /** Absolute path of the folder with all data, logs and settings. Null: a new temporary folder (`faults` only). */
  data: string | null;
  apis: number;
  workers: number;
  /** Redis or Valkey that is already running. Null: one is started. */
  redis: string | null;
  /** Program file of another PgBouncer, or the URL of one that already leads to the primary. Null: the one on PATH. */
  pgbouncer: string | null;
  json: boolean;
  /** Minutes in which faults may begin. Null: each fault once, however long it takes. */
  minutes: number | null;
  /** Names of the only faults to run. */
  only: string[];
  seed: number;
  /** Payments per second. */
  rate: number;
}

export const USAGE = `npm run cluster -- start|status|stop|faults [options]
  start                start everything on this machine: etcd, three Patroni members, haproxy, PgBouncer, Redis,
                       provider simulators, API and worker processes
  status               show the processes, the primary and the addresses
  stop                 end what start has started, and nothing else
  faults               start a cluster of its own, and break it under load
  --data DIR           folder of data, logs and settings (default var/cluster; faults: a temporary folder)
  --apis N             API processes (default 2)
  --workers M          worker processes (default 2)
  --redis URL          use this Redis or Valkey
  --pgbouncer X        program file of another PgBouncer (1.21 or later: transaction mode), or the URL of one
  --json               print JSON
  Databases of your own: set CONTROL_DATABASE_URL, SANDBOX_DATABASE_URL and LIVE_DATABASE_URL (of their owner)
faults:
  --minutes N          begin no fault after N minutes (default: every fault once)
  --only NAME,…        only these faults
  --rate N             payments per second (default 20)
  --seed S             begin with the S-th fault (default 1)`;

/** An invalid option. Its message is shown without a stack. */
export class OptionError extends Error {}

/** @returns null when help was requested */
export function readOptions(args: string[], cwd = process.cwd()): Options | null {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const [command, ...more] = positionals;
  if (!COMMANDS.some((known) => known === command) || more.length > 0) {
    throw new OptionError(`${positionals.join(' ') || 'no command'}: must be one of ${COMMANDS.join(', ')}`);
  }
  const isFaults = command === 'faults';
  return {
    command: command as Command,
    data: values.data ? path.resolve(cwd, values.data) : isFaults ? null : path.resolve(cwd, 'var', 'cluster'),
    apis: whole('--apis', values.apis, 2, 1, 16),
    workers: whole('--workers', values.workers, 2, 1, 16),
    redis: values.redis ?? null,
    pgbouncer: values.pgbouncer ?? null,
    json: values.json ?? false,
    minutes: values.minutes === undefined ? null : whole('--minutes', values.minutes, 5, 1, 1440),
    only: values.only ? values.only.split(',') : [],
    seed: whole('--seed', values.seed, 1, 1, 1_000_000),
    rate: whole('--rate', values.rate, 20, 1, 200),
  };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const on = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...{ data: text, apis: text, workers: text, redis: text, pgbouncer: text, json: on, help: on },
        ...{ minutes: text, only: text, seed: text, rate: text },
      },
    });
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

function whole(name: string, text: string | undefined, fallback: number, least: number, most: number): number {
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new OptionError(`${name} ${text}: must be a whole number from ${least} to ${most}`);
  return value;
}
