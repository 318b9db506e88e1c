import { parseArgs } from 'node:util';

export const SECTIONS = [
  'post',
  'get',
  'list',
  'deliveries',
  'postings',
  'life',
  'latency',
  'start',
  'routing',
  'search',
  'console',
  'workers',
  'sweeps',
  'lists-and-filters',
  'sizing',
] as const;

export type SectionName = (typeof SECTIONS)[number];

export interface Options {
  only: SectionName[];
  /** Length of one window. */
  seconds: number;
  warm_seconds: number;
  rounds: number;
  /** Rows of the large team. */
  large_rows: number;
  /** Print JSON instead of a table. */
  json: boolean;
  /** A smoke run: everything once and briefly; its figures mean nothing and are not written down. */
  quick: boolean;
  /** Where CPU profiles of the service go; null: no profiles. */
  profile_dir: string | null;
}

export const USAGE = `npm run bench -- [options]
  --only post,get,list,deliveries,postings,life,latency,start,routing,search,console,workers,sweeps,
         lists-and-filters,sizing   measure these only
  --seconds N                       length of one window (default 3)
  --rounds N                        rounds, interleaved; medians are shown (default 5)
  --rows N                          payments of the large team (default 1,000,000)
  --json                            print JSON
  --quick                           a smoke run of about a minute; docs/performance stays as it is
  --profile DIR                     also write CPU profiles of the service and say where time goes (slower: not for figures)`;

/** A wrong option; its message is all the reader needs. */
export class OptionError extends Error {}

/** @returns null when help was asked for */
export function readOptions(args: string[]): Options | null {
  const values = parse(args);
  if (values.help) return null;
  const quick = values.quick ?? false;
  return {
    only: sections(values.only),
    seconds: number('--seconds', values.seconds, quick ? 0.15 : 3, 0.1, 600),
    warm_seconds: quick ? 0.05 : 1,
    rounds: Math.ceil(number('--rounds', values.rounds, quick ? 1 : 5, 1, 100)),
    large_rows: Math.ceil(number('--rows', values.rows, quick ? 2_000 : 1_000_000, 1_000, 100_000_000)),
    json: values.json ?? false,
    quick,
    profile_dir: values.profile ?? null,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        only: { type: 'string' },
        seconds: { type: 'string' },
        rounds: { type: 'string' },
        rows: { type: 'string' },
        profile: { type: 'string' },
        json: { type: 'boolean' },
        quick: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

function sections(text: string | undefined): SectionName[] {
  if (text === undefined) return [...SECTIONS];
  const names = text.split(',');
  const unknown = names.filter((name) => !SECTIONS.some((section) => section === name));
  if (unknown.length > 0) throw new OptionError(`--only ${unknown.join(',')}: choose among ${SECTIONS.join(', ')}`);
  return SECTIONS.filter((section) => names.includes(section));
}

function number(name: string, text: string | undefined, fallback: number, least: number, most: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!(value >= least && value <= most)) throw new OptionError(`${name} ${text}: must be a number from ${least} to ${most}`);
  return value;
}
