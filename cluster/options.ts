import path from 'node:path';
import { parseArgs } from 'node:util';

export const COMMANDS = ['start', 'status', 'stop'] as const;

export type Command = (typeof COMMANDS)[number];

export interface Options {
  command: Command;
  /** Absolute path of the folder with all data, logs and settings. */
  data: string;
  apis: number;
  workers: number;
  /** Redis or Valkey that is already running. Null: one is started. */
  redis: string | null;
  /** Program file of another PgBouncer, or the URL of one that already leads to the primary. Null: the one on PATH. */
  pgbouncer: string | null;
  json: boolean;
}

export const USAGE = `npm run cluster -- start|status|stop [options]
  start                start everything on this machine: etcd, three Patroni members, haproxy, PgBouncer, Redis,
                       provider simulators, API and worker processes
  status               show the processes, the primary and the addresses
  stop                 end what start has started, and nothing else
  --data DIR           folder of data, logs and settings (default var/cluster)
  --apis N             API processes (default 2)
  --workers M          worker processes (default 2)
  --redis URL          use this Redis or Valkey
  --pgbouncer X        program file of another PgBouncer (1.21 or later: transaction mode), or the URL of one
  --json               print JSON
  Databases of your own: set CONTROL_DATABASE_URL, SANDBOX_DATABASE_URL and LIVE_DATABASE_URL (of their owner)`;

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
  return {
    command: command as Command,
    data: values.data ? path.resolve(cwd, values.data) : path.resolve(cwd, 'var', 'cluster'),
    apis: whole('--apis', values.apis, 2, 1, 16),
    workers: whole('--workers', values.workers, 2, 1, 16),
    redis: values.redis ?? null,
    pgbouncer: values.pgbouncer ?? null,
    json: values.json ?? false,
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
